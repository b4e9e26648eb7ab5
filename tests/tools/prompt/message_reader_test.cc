// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/message_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace infer {
namespace {

using MessageKind = InputLine::Kind;

// Hands out lines, then the end.
class Lines final : public LineSource {
 public:
  explicit Lines(std::vector<InputLine> lines) : lines_(std::move(lines)) {}
  absl::StatusOr<InputLine> Next(std::string_view prompt) override {
    prompts += prompt;
    if (next_ == lines_.size()) return InputLine{MessageKind::kEnd};
    return lines_[next_++];
  }
  std::string prompts;

 private:
  std::vector<InputLine> lines_;
  size_t next_ = 0;
};

std::vector<InputLine> Texts(const std::vector<std::string>& texts) {
  std::vector<InputLine> lines;
  for (const std::string& text : texts) lines.push_back({MessageKind::kText, text});
  return lines;
}

InputMessage First(const std::vector<std::string>& texts, uint64_t limit = 1000) {
  Lines lines(Texts(texts));
  return *MessageReader(&lines, limit).Next(">", ".");
}

TEST(MessageReader, ALineIsAMessage) {
  const InputMessage message = First({"say \"\"\" please", "next"});
  EXPECT_EQ(message.text, "say \"\"\" please");
  EXPECT_FALSE(message.quoted);
  EXPECT_EQ(First({"pasted\nlines\n"}).text, "pasted\nlines");
  EXPECT_EQ(First({}).kind, MessageKind::kEnd);
}

TEST(MessageReader, QuotesHoldSeveralLinesTogether) {
  EXPECT_EQ(First({"\"\"\"", "one", "", "  two", "\"\"\""}).text, "one\n\n  two");
  EXPECT_EQ(First({" \"\"\"one", "two\"\"\" "}).text, "one\ntwo");
  EXPECT_EQ(First({"\"\"\"", "", "one", "\"\"\""}).text, "\none");
  EXPECT_EQ(First({"\"\"\"\none\ntwo\n\"\"\"\n"}).text, "one\ntwo") << "pasted in one piece";
  const InputMessage command = First({"\"\"\"/help\"\"\""});
  EXPECT_EQ(command.text, "/help");
  EXPECT_TRUE(command.quoted);
  EXPECT_EQ(First({"\"\"\"\"\"\""}).text, "");
}

TEST(MessageReader, AsksForFurtherLinesWithAnotherPrompt) {
  Lines lines(Texts({"\"\"\"", "one", "\"\"\"", "two"}));
  MessageReader reader(&lines, 1000);
  EXPECT_EQ(reader.Next(">", ".")->text, "one");
  EXPECT_EQ(reader.Next(">", ".")->text, "two");
  EXPECT_EQ(lines.prompts, ">..>");
}

TEST(MessageReader, TheEndOfTheInputEndsTheMessage) {
  EXPECT_EQ(First({"\"\"\"", "one", "two"}).text, "one\ntwo");
}

TEST(MessageReader, CtrlCDiscardsTheLinesSoFar) {
  Lines lines({{MessageKind::kText, "\"\"\""},
               {MessageKind::kText, "one"},
               {MessageKind::kInterrupt},
               {MessageKind::kText, "x"}});
  MessageReader reader(&lines, 1000);
  const InputMessage stopped = *reader.Next(">", ".");
  EXPECT_EQ(stopped.kind, MessageKind::kInterrupt);
  EXPECT_FALSE(stopped.was_empty);
  EXPECT_EQ(reader.Next(">", ".")->text, "x");
}

TEST(MessageReader, RefusesAMessageBeyondTheLimit) {
  Lines lines(Texts({"\"\"\"", std::string(600, 'x'), std::string(600, 'x'), "\"\"\""}));
  EXPECT_EQ(MessageReader(&lines, 1000).Next(">", ".").status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace infer
