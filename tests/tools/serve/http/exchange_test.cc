// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/exchange.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace infer::http {
namespace {

// Counts how often the connection is told that there is something new.
struct Connected {
  IoLoop loop = {};
  int woken = 0;
  std::shared_ptr<Exchange> exchange =
      std::make_shared<Exchange>(loop.poster(), [this] { ++woken; }, 100);

  // Does what was posted.
  void Work() {
    loop.poster()->Post([this] { loop.Stop(); });
    loop.Run();
  }
};

TEST(Exchange, CollectsPiecesUntilTheyAreTaken) {
  Connected c;
  c.exchange->StartStream("text/plain", {});
  c.exchange->Write("one ");
  c.exchange->Write("two ");
  c.Work();
  EXPECT_EQ(c.woken, 1);
  Exchange::Output output = c.exchange->Take(100);
  EXPECT_TRUE(output.begins_stream);
  EXPECT_EQ(output.data, "one two ");
  EXPECT_FALSE(output.ends_stream);
  EXPECT_EQ(c.exchange->unsent_bytes(), 8u);
  c.exchange->MarkSent(8);
  c.exchange->Write("three");
  c.exchange->End();
  output = c.exchange->Take(3);
  EXPECT_EQ(output.data, "thr");
  EXPECT_FALSE(output.ends_stream);
  output = c.exchange->Take(3);
  EXPECT_EQ(output.data, "ee");
  EXPECT_TRUE(output.ends_stream);
}

TEST(Exchange, TakesOnlyTheFirstAnswer) {
  Connected c;
  c.exchange->Write("before the stream");
  c.exchange->Send({.status = 201});
  c.exchange->Send({.status = 202});
  c.exchange->StartStream("text/plain", {});
  c.exchange->Write("x");
  const Exchange::Output output = c.exchange->Take(100);
  ASSERT_TRUE(output.response.has_value());
  EXPECT_EQ(output.response->status, 201);
  EXPECT_EQ(output.data, "");
  EXPECT_FALSE(c.exchange->Take(100).response.has_value());
}

TEST(Exchange, ReportsTheBacklogOnceEachWay) {
  Connected c;
  std::string reports;
  c.exchange->OnBacklog([&](bool is_full) { reports += is_full ? '+' : '-'; });
  c.exchange->StartStream("text/plain", {});
  c.exchange->Write(std::string(150, 'x'));
  EXPECT_TRUE(c.exchange->OnWake());
  EXPECT_EQ(reports, "+");
  c.exchange->Take(80);
  c.exchange->MarkSent(80);  // 70 are left
  EXPECT_EQ(reports, "+");
  c.exchange->Take(60);
  EXPECT_EQ(reports, "+");
  c.exchange->MarkSent(60);
  EXPECT_EQ(reports, "+-");
  const auto later = Exchange::Clock::now() + std::chrono::seconds(10);
  EXPECT_FALSE(c.exchange->IsStuck(later, 5));
  c.exchange->Write(std::string(150, 'x'));
  EXPECT_TRUE(c.exchange->OnWake());
  EXPECT_TRUE(c.exchange->IsStuck(later, 5));
}

TEST(Exchange, GivesUpAStreamFarAboveItsLimit) {
  Connected c;
  c.exchange->StartStream("text/plain", {});
  c.exchange->Write(std::string(1600, 'x'));
  EXPECT_TRUE(c.exchange->OnWake());
  c.exchange->Write(std::string(200, 'x'));
  EXPECT_FALSE(c.exchange->OnWake());
  c.exchange->Write(std::string(5000, 'x'));
  EXPECT_EQ(c.exchange->unsent_bytes(), 0u);
}

TEST(Exchange, LetsACallbackHoldTheResponder) {
  Connected c;
  auto responder = MakeResponder(c.exchange);
  std::weak_ptr<Responder> weak = responder;
  bool is_closed = false;
  responder->OnClosed([responder, &is_closed] { is_closed = true; });
  responder->OnBacklog([responder](bool) {});
  responder.reset();
  c.exchange->Close();
  EXPECT_TRUE(is_closed);
  EXPECT_TRUE(weak.expired());
}

TEST(Exchange, KnowsWhenTheHandlerGaveNoAnswer) {
  Connected c;
  MakeResponder(c.exchange);
  EXPECT_TRUE(c.exchange->Take(100).is_abandoned);
  Connected answered;
  MakeResponder(answered.exchange)->Send({});
  EXPECT_FALSE(answered.exchange->Take(100).is_abandoned);
}

}  // namespace
}  // namespace infer::http
