// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C and Ctrl-D in each phase of a chat.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/prompt/tmux_terminal.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Slow enough to be interrupted.
constexpr char kSlowChat[] = "--chat --think off --temp 0 --ignore-eos --policy reference -ub 8";

class PromptInterrupt : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoPrompt(); !why.empty()) GTEST_SKIP() << why;
  }
};

// Waits until some words follow `line`, which ends with the message.
void WaitForWords(TmuxTerminal* terminal, const std::string& line) {
  terminal->WaitUntil([&](const std::string& screen) {
    const size_t found = screen.find(line);
    if (found == std::string::npos) return false;
    const std::string after = screen.substr(found + line.size());
    return after.size() > 20 && after.find("prompt") == std::string::npos;  // not the progress
  });
}

TEST_F(PromptInterrupt, AtAnEmptyPromptTheSecondOneLeaves) {
  TmuxTerminal terminal("--chat");
  terminal.WaitForPrompt();
  terminal.Keys("C-c");
  terminal.WaitFor("> ^C\nCtrl-C again, Ctrl-D or /quit leaves\n>");
  terminal.Keys("C-c");
  terminal.WaitFor("EXIT 0");
}

TEST_F(PromptInterrupt, AHalfTypedLineIsCleared) {
  TmuxTerminal terminal("--chat --think off --temp 0 -n 3");
  terminal.WaitForPrompt();
  terminal.Type("half a line");
  terminal.Keys("Left Left C-c");
  terminal.WaitFor("> half a line^C\n>");
  EXPECT_THAT(terminal.Screen(), Not(HasSubstr("Ctrl-C again")));
  terminal.TypeLine("whole line");
  terminal.WaitFor("; prompt of ");
  EXPECT_THAT(terminal.History(), ElementsAre("whole line"));
  terminal.WaitForPrompt();
  terminal.TypeLine("\"\"\"");
  terminal.Type("more");
  terminal.Keys("C-c");
  terminal.WaitFor(". more^C\n>");
}

TEST_F(PromptInterrupt, DuringAnAnswerItStopsTheAnswer) {
  TmuxTerminal terminal(kSlowChat);
  terminal.WaitForPrompt();
  terminal.TypeLine("Tell me about a hamster");
  WaitForWords(&terminal, "hamster\n");
  terminal.Keys("C-c");
  terminal.WaitFor("; interrupted\n>");
  // The conversation goes on, with what was said.
  terminal.TypeLine("/save ~/saved.json");
  terminal.WaitFor("saved 2 messages to ");
  terminal.Keys("C-d");
  terminal.WaitFor("EXIT 0");
}

TEST_F(PromptInterrupt, TheNextOneAfterAnAnswerLeaves) {
  TmuxTerminal terminal(kSlowChat);
  terminal.WaitForPrompt();
  terminal.TypeLine("Tell me about a hamster");
  WaitForWords(&terminal, "hamster\n");
  terminal.Keys("C-c");
  terminal.WaitFor("; interrupted\n>");
  terminal.Keys("C-c");
  terminal.WaitFor("EXIT 0");
}

TEST_F(PromptInterrupt, InAThoughtItStopsTheAnswer) {
  TmuxTerminal terminal("--chat --think on --temp 0 --ignore-eos --policy reference");
  terminal.WaitForPrompt();
  terminal.TypeLine("What is 47 + 38?");
  terminal.WaitFor("<think>\n47");
  terminal.Keys("C-c");
  terminal.WaitFor("; interrupted\n>");
  terminal.TypeLine("/save ~/saved.json");
  terminal.WaitFor("saved 2 messages to ");
}

TEST_F(PromptInterrupt, WhereAResultIsAskedForTheCallStaysUnanswered) {
  TmuxTerminal terminal("--chat --temp 0 --tools ~/tools.json --tool-choice flip",
                        R"(echo '[{"name": "flip"}]' >~/tools.json;)");
  terminal.WaitForPrompt();
  terminal.TypeLine("Hello");
  terminal.WaitFor("flip>");
  EXPECT_THAT(terminal.Screen(), HasSubstr("what does flip return?"));
  terminal.TypeLine("/quit");  // no result
  terminal.WaitFor("here the result of flip is expected");
  terminal.Type("half a result");
  terminal.Keys("C-c");
  terminal.WaitFor("flip> half a result^C\n>");
  terminal.TypeLine("/save ~/saved.json");
  terminal.WaitFor("saved 2 messages to ");
  terminal.Keys("C-d");
  terminal.WaitFor("EXIT 0");
}

TEST_F(PromptInterrupt, WhileThePromptIsProcessedTheMessageIsTakenBack) {
  TmuxTerminal terminal(kSlowChat);
  terminal.WaitForPrompt();
  std::string text = "Once upon a time";
  for (int i = 0; i < 300; ++i) text += " there was a cat";
  terminal.Paste(text);
  terminal.WaitFor("there was a cat");
  terminal.Keys("Enter");
  terminal.WaitFor("tokens/s");  // of the progress
  terminal.Keys("C-c");
  terminal.WaitFor("the message was taken back");
  terminal.WaitForPrompt();
  terminal.TypeLine("/save ~/saved.json");
  terminal.WaitFor("saved 0 messages to ");
  EXPECT_THAT(terminal.History(), ElementsAre(text, "/save ~/saved.json"));
}

// Before the first line is asked for, it ends the program; a machine that has loaded the model by
// then shows a prompt. That packing weights stops is a test of PackedWeights.
TEST_F(PromptInterrupt, WhileLoadingItEndsTheProgram) {
  TmuxTerminal terminal("--chat --policy reference", "echo starting;");
  terminal.WaitFor("starting");
  terminal.Keys("C-c");
  terminal.WaitUntil([](const std::string& screen) {
    return screen.find("EXIT 130") != std::string::npos ||
           screen.find("Ctrl-C again") != std::string::npos;
  });
  if (terminal.Screen().find("EXIT") == std::string::npos) terminal.Keys("C-c");
  terminal.WaitFor("EXIT ");
}

TEST_F(PromptInterrupt, CtrlDLeavesAtAnEmptyPromptOnly) {
  TmuxTerminal terminal("--chat");
  terminal.WaitForPrompt();
  terminal.Type("ab");
  terminal.Keys("Home C-d");
  terminal.WaitFor("> b");
  terminal.Keys("C-d C-d");
  terminal.WaitFor("EXIT 0");
}

}  // namespace
}  // namespace infer
