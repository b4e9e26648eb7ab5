// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/answer_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/serve/api/fake_responder.h"

namespace infer::serve {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AnswerOutputTest : public ::testing::Test {
 protected:
  const std::shared_ptr<FakeResponder> to_ = std::make_shared<FakeResponder>();
  AnswerOutput output_{to_, ErrorDialect::kOpenAi};
  const std::unique_ptr<AnswerShape> shape_ = NewChatShape(GenerationRequest{});
  const AnswerOutput::Clock::time_point later_ = AnswerOutput::Clock::now() + seconds(100);
};

TEST_F(AnswerOutputTest, AWholeResponseIsSentOnce) {
  EXPECT_FALSE(output_.is_closed());
  EXPECT_TRUE(output_.Send({}));
  EXPECT_TRUE(output_.is_closed());
  EXPECT_FALSE(output_.Send({}));
  EXPECT_FALSE(output_.EndStream("a"));
  output_.Fail(ErrorOf(503, "too late"));
  output_.StartStream({}, "a", shape_.get());
  EXPECT_EQ(to_->answers, 1);
}

TEST_F(AnswerOutputTest, AStreamEndsOnce) {
  output_.Write("dropped");
  output_.StartStream({}, "a", shape_.get());
  output_.Write("b");
  EXPECT_FALSE(output_.Send({}));
  EXPECT_TRUE(output_.EndStream("c"));
  output_.Write("dropped");
  output_.Fail(ErrorOf(503, "too late"));
  EXPECT_FALSE(output_.EndStream("d"));
  EXPECT_THAT(to_->writes, ElementsAre("a", "b", "c"));
  EXPECT_EQ(to_->answers, 1);
}

TEST_F(AnswerOutputTest, AnErrorIsAStatusOrTheLastEvent) {
  output_.Fail(ErrorOf(503, "no luck"));
  EXPECT_EQ(to_->response.status, 503);
  const auto other = std::make_shared<FakeResponder>();
  AnswerOutput stream(other, ErrorDialect::kOpenAi);
  stream.StartStream({}, "", shape_.get());
  stream.Fail(ErrorOf(503, "no luck"));
  EXPECT_THAT(other->text(), HasSubstr("no luck"));
  EXPECT_TRUE(other->is_ended);
}

TEST_F(AnswerOutputTest, OnlyAQuietOpenStreamIsKeptAlive) {
  output_.KeepAlive(later_, seconds(5));
  output_.StartStream({}, "a", shape_.get());
  output_.KeepAlive(AnswerOutput::Clock::now(), seconds(5));
  EXPECT_THAT(to_->writes, ElementsAre("a"));
  output_.KeepAlive(later_, seconds(5));
  output_.KeepAlive(later_ + seconds(1), seconds(5));
  EXPECT_THAT(to_->writes, ElementsAre("a", ": ping\n"));
  output_.Close();
  output_.KeepAlive(later_ + seconds(100), seconds(5));
  EXPECT_EQ(to_->writes.size(), 2u);
}

}  // namespace
}  // namespace infer::serve
