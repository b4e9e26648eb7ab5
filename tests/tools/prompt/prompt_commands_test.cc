// SPDX-License-Identifier: Apache-2.0
//
// The commands of a chat, the full context, and what the terminal gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "tests/tools/prompt/tmux_terminal.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

constexpr char kCommandsChat[] = "--chat --think off --temp 0 -n 8 -s 1";

class PromptCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoPrompt(); !why.empty()) GTEST_SKIP() << why;
  }
};

// The numbers of "prompt of N tokens, M from the cache", last one on the screen.
std::pair<int, int> PromptAndCached(const std::string& screen) {
  static const std::regex kLine(R"(prompt of (\d+) tokens, (\d+) from the cache)");
  std::pair<int, int> numbers = {-1, -1};
  for (std::sregex_iterator found(screen.begin(), screen.end(), kLine), end; found != end;
       ++found) {
    numbers = {std::stoi((*found)[1]), std::stoi((*found)[2])};
  }
  return numbers;
}

TEST_F(PromptCommands, RegenComputesOnlyTheNewTokens) {
  TmuxTerminal terminal(kCommandsChat);
  terminal.WaitForPrompt();
  terminal.TypeLine("What is 2 + 3?");
  terminal.WaitFor("; prompt of ");
  terminal.WaitForPrompt();
  terminal.TypeLine("/regen");
  terminal.WaitFor("from the cache");
  terminal.WaitForPrompt();
  const std::string screen = terminal.Screen();
  const auto [prompt, cached] = PromptAndCached(screen);
  EXPECT_GT(prompt, 10) << screen;
  EXPECT_EQ(cached, prompt - 1) << screen;
  // Greedy, so the answer is the same.
  const std::string answer = "\n2 + 3 = 5\n";
  EXPECT_NE(screen.find(answer), screen.rfind(answer)) << screen;
}

TEST_F(PromptCommands, AFullContextLosesTheOldestTurns) {
  TmuxTerminal terminal(std::string(kCommandsChat) + " -c 128 --system 'Be brief.'");
  terminal.WaitForPrompt();
  for (int i = 1; i <= 6; ++i) {
    terminal.TypeLine("Question " + std::to_string(i) + ": what is 20 + 30?");
    terminal.WaitFor("Question " + std::to_string(i));
    terminal.WaitForPrompt();
  }
  terminal.WaitFor("removed from the conversation");
  EXPECT_THAT(terminal.Screen(), HasSubstr("the context of 128 tokens is full: the oldest "));
  terminal.TypeLine("/save ~/saved.json");
  terminal.WaitFor("messages to ");
  const auto json = nlohmann::json::parse(ReadFile(terminal.Path("saved.json")));
  const auto& messages = json["messages"];
  ASSERT_GE(messages.size(), 3u);
  EXPECT_LT(messages.size(), 13u);
  EXPECT_EQ(messages[0]["role"], "system");
  EXPECT_EQ(messages[0]["content"], "Be brief.");
  EXPECT_EQ(messages[1]["role"], "user");
  EXPECT_EQ(messages[messages.size() - 2]["content"], "Question 6: what is 20 + 30?");
}

TEST_F(PromptCommands, ASavedConversationGoesOn) {
  TmuxTerminal terminal(kCommandsChat);
  terminal.WaitForPrompt();
  terminal.TypeLine("What is 2 + 3?");
  terminal.WaitFor("2 + 3 = 5");
  terminal.WaitForPrompt();
  terminal.TypeLine("/save ~/saved.json");
  terminal.WaitFor("saved 2 messages");
  terminal.TypeLine("/clear");
  terminal.WaitFor("the conversation is empty");
  terminal.TypeLine("/regen");
  terminal.WaitFor("error: there is no answer to give again");
  terminal.TypeLine("/load ~/missing.json");
  terminal.WaitFor("missing.json: ");
  terminal.TypeLine("/load ~/saved.json");
  terminal.WaitFor("loaded 2 messages");
  terminal.TypeLine("/regen");
  terminal.WaitFor("from the cache");
  const auto [prompt, cached] = PromptAndCached(terminal.Screen());
  EXPECT_EQ(cached, prompt - 1);
  terminal.WaitForPrompt();
  terminal.TypeLine("/save /nowhere/x.json");
  terminal.WaitFor("error: /nowhere/x.json");
}

TEST_F(PromptCommands, TabCompletesAndMistakesAreTold) {
  TmuxTerminal terminal(kCommandsChat);
  terminal.WaitForPrompt();
  terminal.Type("/he");
  terminal.Keys("Tab Enter");
  terminal.WaitFor("/regen                 give the last answer again");
  terminal.WaitForPrompt();
  terminal.Type("/s");
  terminal.Keys("Tab");
  terminal.WaitFor("/system  /set  /save  /stats\n> /s");
  terminal.Type("e");
  terminal.Keys("Tab");
  terminal.Type("min");
  terminal.Keys("Tab");
  terminal.Type("2");
  terminal.Keys("Enter");
  terminal.WaitFor("error: /set min-p: min_p is 2");
  terminal.TypeLine("/set temp 0.5");
  terminal.WaitFor("temp = 0.5");
  terminal.TypeLine("/rgen");
  terminal.WaitFor("error: unknown command /rgen (did you mean /regen?)");
  terminal.TypeLine("/clear all");
  terminal.WaitFor("error: /clear takes nothing behind it");
  terminal.TypeLine("/tools");
  terminal.WaitFor("no tools");
  terminal.TypeLine("/quit");
  terminal.WaitFor("EXIT 0");
}

TEST_F(PromptCommands, AnAnswerHasItsLines) {
  TmuxTerminal terminal("--chat --think on --temp 0 -s 1");
  terminal.WaitForPrompt();
  terminal.TypeLine("What is 47 + 38?");
  terminal.WaitFor("\n</think>\n\n47 + 38 = 85");
  EXPECT_THAT(terminal.Screen(), HasSubstr("<think>\n47 + 38."));
}

TEST_F(PromptCommands, TheSystemMessageIsShownAndSet) {
  TmuxTerminal terminal(kCommandsChat);
  terminal.WaitForPrompt();
  terminal.TypeLine("/system");
  terminal.WaitFor("there is no system message");
  terminal.TypeLine("/system You are a pirate.");
  terminal.WaitFor("was set");
  terminal.TypeLine("/system");
  terminal.WaitFor("\nYou are a pirate.\n");
  terminal.TypeLine("/etc/hosts is a file");
  terminal.WaitFor("; prompt of ");
  terminal.WaitForPrompt();
  terminal.TypeLine("/stats");
  terminal.WaitFor("3 in 1 turn\n");
}

}  // namespace
}  // namespace infer
