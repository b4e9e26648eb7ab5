// SPDX-License-Identifier: Apache-2.0
//
// Editing, history, pasted texts and resizing at the prompt. What was entered is read from the
// history file, byte for byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/prompt/tmux_terminal.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kEditingChat[] = "--chat --think off --temp 0 -n 6";

class PromptEditing : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoPrompt(); !why.empty()) GTEST_SKIP() << why;
  }
};

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++count;
  return count;
}

TEST_F(PromptEditing, ArrowKeysHomeEndAndWordsEditTheLine) {
  TmuxTerminal terminal(kEditingChat);
  terminal.WaitForPrompt();
  terminal.Type("What is 2 + 33?");
  terminal.Keys("Left BSpace");  // 2 + 3?
  terminal.Keys("Home");
  terminal.Type("Hey. ");
  terminal.Keys("C-Right DC");  // behind "What", deletes the blank
  terminal.Type("'s");
  terminal.Keys("End C-w C-w");
  terminal.Type("5?");
  terminal.WaitFor("> Hey. What'sis 5?");
  terminal.Keys("Enter");
  terminal.WaitFor("; prompt of ");
  EXPECT_THAT(terminal.History(), ElementsAre("Hey. What'sis 5?"));
}

TEST_F(PromptEditing, WideCharactersAreEditedAsOne) {
  TmuxTerminal terminal(kEditingChat);
  terminal.WaitForPrompt();
  terminal.Type("ab漢字🙂cd");
  terminal.WaitFor("ab漢字🙂cd");
  terminal.Keys("Left Left BSpace BSpace");
  terminal.Type("é");
  terminal.WaitFor("> ab漢écd");
  terminal.Keys("Home Right Right DC End");
  terminal.Type("!");
  terminal.WaitFor("> abécd!");
  terminal.Keys("Enter");
  terminal.WaitFor("; prompt of ");
  EXPECT_THAT(terminal.History(), ElementsAre("abécd!"));
}

TEST_F(PromptEditing, HistoryComesBackInThisRunAndTheNext) {
  TmuxTerminal terminal(kEditingChat);
  terminal.WaitForPrompt();
  terminal.TypeLine("first message");
  terminal.WaitFor("; prompt of ");
  terminal.WaitForPrompt();
  terminal.TypeLine("/set n 3");
  terminal.WaitFor("n = 3");
  terminal.Keys("Up Up");
  terminal.WaitFor("\n> /set n 3\nn = 3\n> first message");
  terminal.Keys("C-u C-d");
  terminal.WaitFor("EXIT 0");

  terminal.Restart(kEditingChat);
  terminal.WaitForPrompt();
  terminal.Keys("Up");
  terminal.WaitFor("> /set n 3");
  terminal.Keys("Up");
  terminal.WaitFor("> first message");
  terminal.Keys("Down");
  terminal.WaitFor("> /set n 3");
  terminal.Keys("C-u C-d");
  terminal.WaitFor("EXIT 0");

  terminal.Restart(std::string(kEditingChat) + " --no-history");
  terminal.WaitForPrompt();
  terminal.TypeLine("/stats");
  terminal.WaitFor("context_used");
  EXPECT_THAT(terminal.History(), ElementsAre("first message", "/set n 3"));
}

TEST_F(PromptEditing, QuotesMakeAMessageOfSeveralLines) {
  TmuxTerminal terminal(kEditingChat);
  terminal.WaitForPrompt();
  terminal.TypeLine("\"\"\"");
  terminal.TypeLine("What is");
  terminal.TypeLine("  2 + 3?\"\"\"");
  terminal.WaitFor("; prompt of ");
  EXPECT_THAT(terminal.Screen(), HasSubstr("> \"\"\"\n. What is\n.   2 + 3?\"\"\"\n"));
  EXPECT_THAT(terminal.History(), ElementsAre("What is\n  2 + 3?"));
  terminal.WaitForPrompt();
  terminal.Keys("Up");
  terminal.WaitFor("> [2 lines #1: What is...]");
  terminal.Keys("Enter");
  terminal.WaitFor("from the cache");
  EXPECT_THAT(terminal.History(), ElementsAre("What is\n  2 + 3?", "What is\n  2 + 3?"));
}

TEST_F(PromptEditing, APasteOf2000LinesIsOneMessage) {
  TmuxTerminal terminal(kEditingChat);
  terminal.WaitForPrompt();
  std::string rows;
  for (int i = 1; i <= 2000; ++i) rows += "row " + std::to_string(i) + "\twith é\n";
  terminal.Type("before ");
  terminal.Paste(rows);
  terminal.WaitFor("> before [2000 lines #1: row 1 with é...]");
  terminal.Type(" after");
  terminal.Keys("Home");
  terminal.Type("/");  // a text of several lines is no command
  terminal.Keys("Enter");
  terminal.WaitFor("error: the message takes ");
  terminal.WaitForPrompt();
  EXPECT_THAT(terminal.History(), ElementsAre("/before " + rows + " after"));
  EXPECT_THAT(terminal.Screen(), Not(HasSubstr("row 2")));
  // What fits in a line is pasted into it, without being entered.
  terminal.Paste("one line");
  terminal.WaitFor("> one line");
  terminal.Keys("Enter");
  terminal.WaitFor("; prompt of ");
}

TEST_F(PromptEditing, ALineSurvivesAResize) {
  TmuxTerminal terminal(kEditingChat);
  terminal.WaitForPrompt();
  std::string text = "begin";
  for (int i = 0; i < 12; ++i) text += " word" + std::to_string(i);
  terminal.Type(text);
  terminal.WaitFor(text);
  terminal.Resize(40, 20);
  terminal.Type(" more");
  terminal.WaitFor("word11 more");
  terminal.Resize(100, 25);
  terminal.Keys("Home");
  terminal.Type("The ");
  terminal.WaitFor("> The " + text + " more");
  EXPECT_EQ(Count(terminal.Screen(), "begin"), 1) << terminal.Screen();
  terminal.Keys("Enter");
  terminal.WaitFor("; prompt of ");
  EXPECT_THAT(terminal.History(), ElementsAre("The " + text + " more"));
}

TEST_F(PromptEditing, PlainReadsLinesAsTheTerminalEditsThem) {
  TmuxTerminal terminal(std::string(kEditingChat) + " --plain");
  terminal.WaitForPrompt();
  terminal.TypeLine("/set n 2");
  terminal.WaitFor("n = 2");
  terminal.TypeLine("What is 2 + 3?");
  terminal.WaitFor("; prompt of ");
  EXPECT_THAT(terminal.History(), ElementsAre());
  terminal.WaitForPrompt();
  terminal.Keys("C-c");
  terminal.WaitFor("Ctrl-C again");
  terminal.Keys("C-c");
  terminal.WaitFor("EXIT 0");
}

}  // namespace
}  // namespace infer
