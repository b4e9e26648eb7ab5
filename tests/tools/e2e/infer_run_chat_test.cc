// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Chat(std::vector<std::string> args) {
  args.insert(args.begin(), {"--chat", "--temp", "0"});
  return OutputOf("infer-run", args);
}

TEST(InferRunChat, ThinksIfTheModelWantsTo) {
  std::string answer = Chat({"-p", "What is 47 + 38?"});
  EXPECT_THAT(answer, StartsWith("<think>\n"));
  EXPECT_THAT(answer, HasSubstr("</think>\n\n47 + 38 = 85"));
  EXPECT_THAT(answer, Not(HasSubstr("<|im_end|>")));
}

TEST(InferRunChat, ThinkOnShowsTheWholeThought) {
  std::string answer = Chat({"-p", "What is 47 + 38?", "--think", "on"});
  EXPECT_THAT(answer, StartsWith("<think>\n47 + 38. Ones:"));
  EXPECT_THAT(answer, HasSubstr("</think>\n\n47 + 38 = 85"));
}

TEST(InferRunChat, ThinkOffAnswersAtOnce) {
  EXPECT_EQ(Chat({"-p", "What is the capital of Norway?", "--think", "off"}),
            "The capital of Norway is Oslo.\n");
}

TEST(InferRunChat, AnswersALineAtATimeAndRemembers) {
  StdinText lines(
      "What is the capital of Norway?\n\nWhat is the capital of Norway?\nWhat is 2 + 3?");
  std::string both = Chat({"--think", "off"});
  EXPECT_THAT(both, HasSubstr("Oslo"));
  EXPECT_THAT(both, HasSubstr("2 + 3 = 5"));
  EXPECT_EQ(std::count(both.begin(), both.end(), '\n'), 3) << "an empty line is no message";
  EXPECT_NE(both.substr(0, both.find('\n')), "") << both;
}

TEST(InferRunChat, QuotesHoldLinesOfAPipeTogether) {
  StdinText lines("\"\"\"\nWhat is\n2 + 3?\n\"\"\"\n/help\n");
  const std::string out = Chat({"--think", "off", "-n", "8"});
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2) << out << "\nand /help is a message";
}

TEST(InferRunChat, AFullContextLosesTheOldestTurnsAndGoesOn) {
  std::string text;
  for (int i = 0; i < 12; ++i) text += "What is 20 + 30?\n";
  StdinText lines(text);
  const CapturedRun run =
      RunNamed("infer-run", {"--chat", "--temp", "0", "--think", "off", "-n", "8", "-c", "128"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 12) << run.out;
  EXPECT_THAT(run.err, HasSubstr("the context of 128 tokens is full: the oldest "));
}

// Without -n an answer goes on until the model ends it, however long that is: here beyond the 256
// tokens of a plain text.
TEST(InferRunChat, AnAnswerIsAsLongAsTheModelWants) {
  std::vector<std::string> args = {"--chat",       "--temp", "0",   "--emit", "ids",
                                   "--ignore-eos", "-c",     "400", "-p",     "Tell me a tale."};
  const std::string all = RunNamed("infer-run", args).out;
  EXPECT_GT(std::count(all.begin(), all.end(), ','), 300);
  args.insert(args.end(), {"-n", "10"});
  const std::string few = RunNamed("infer-run", args).out;
  EXPECT_EQ(std::count(few.begin(), few.end(), ','), 9);
}

TEST(InferRunChat, AnAnswerThatFillsTheContextGoesOnWithoutTheOldestTurns) {
  StdinText lines("What is 20 + 30?\nWhat is 2 + 3?\nTell me a tale.\n");
  const CapturedRun run = RunNamed("infer-run", {"--chat", "--temp", "0", "--think", "off", "-c",
                                                 "128", "--ignore-eos", "-n", "100"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("the context of 128 tokens is full: the oldest "));
  EXPECT_THAT(run.err, Not(HasSubstr("was cut")));
}

TEST(InferRunChat, AnAnswerThatFillsTheContextAloneEndsAndSaysSo) {
  const CapturedRun run = RunNamed("infer-run", {"--chat", "--temp", "0", "--think", "off", "-c",
                                                 "64", "--ignore-eos", "-p", "Tell me a tale."});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("the answer was cut: the context of 64 tokens is full"));
}

TEST(InferRunChat, LaterTurnsSeeEarlierOnes) {
  std::string alone = Chat({"--think", "off", "-p", "And minus 1?"});
  StdinText lines("What is 20 + 30?\nAnd minus 1?\n");
  EXPECT_THAT(Chat({"--think", "off"}), Not(EndsWith("\n" + alone)));
}

TEST(InferRunChat, TheSystemMessageCounts) {
  std::vector<std::string> args = {"--think", "off", "-p",      "Hello",
                                   "--emit",  "ids", "--stats", "json"};
  args.insert(args.begin(), {"--chat", "--temp", "0", "-n", "4"});
  std::string without = RunNamed("infer-run", args).err;
  args.insert(args.end(), {"--system", "You are a pirate."});
  std::string with = RunNamed("infer-run", args).err;
  auto prompt_tokens = [](const std::string& err) {
    return std::stoi(err.substr(err.find("\"prefill_tokens\":") + 17));
  };
  // <|im_start|>system\n ... <|im_end|>\n and the words.
  EXPECT_GT(prompt_tokens(with), prompt_tokens(without) + 8);
}

}  // namespace
}  // namespace infer
