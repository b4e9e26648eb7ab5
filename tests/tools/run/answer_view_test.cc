// SPDX-License-Identifier: Apache-2.0
#include "tools/run/answer_view.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

constexpr char kEnd[] = "\x04";

// What a terminal receives.
class ViewTerminal {
 public:
  ViewTerminal() : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_EQ(grantpt(master_), 0);
    EXPECT_EQ(unlockpt(master_), 0);
    slave_ = open(ptsname(master_), O_RDWR | O_NOCTTY);
    termios raw = {};
    tcgetattr(slave_, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave_, TCSANOW, &raw);
  }
  ~ViewTerminal() {
    close(slave_);
    close(master_);
  }
  int fd() const { return slave_; }
  std::string Received() {
    EXPECT_EQ(write(slave_, kEnd, 1), 1);
    std::string text;
    for (char c = 0; read(master_, &c, 1) == 1 && c != kEnd[0];) text += c;
    return text;
  }

 private:
  int master_;
  int slave_ = -1;
};

void Push(const std::vector<std::string>& pieces, int fd, bool dim, bool in_thought = false,
          const std::vector<std::string>& tools = {}) {
  ProductOutput out(fd);
  ProductStream product(&out, EmitForm::kText);
  {
    AnswerView view(&product, dim);
    AnswerReader reader(in_thought, tools, [&](AnswerPart part, std::string_view text) {
      return view.Show(part, text);
    });
    for (const std::string& piece : pieces) EXPECT_TRUE(reader.Feed(piece));
    EXPECT_TRUE(reader.Finish());
  }
  EXPECT_TRUE(product.Finish().ok());
}

TEST(AnswerView, DimsTheThought) {
  const std::string expected = "\x1b[2m<think>\nhm <b></think>\x1b[0m\n\nYes </think>.\n";
  for (const std::vector<std::string>& pieces :
       {std::vector<std::string>{"<think>\nhm <b></think>\n\nYes </think>."},
        {"<th", "ink>\n", "hm <", "b>", "<", "/thin", "k>", "\n\n", "Yes </th", "ink>."}}) {
    ViewTerminal terminal;
    Push(pieces, terminal.fd(), /*dim=*/true);
    std::string received = terminal.Received();
    // Pieces of one part may come with no sequence between them.
    EXPECT_EQ(received, expected);
  }
  ViewTerminal begun;
  Push({"hm</think>Yes"}, begun.fd(), /*dim=*/true, /*in_thought=*/true);
  EXPECT_EQ(begun.Received(), "\x1b[2m<think>hm</think>\x1b[0mYes\n");
  ViewTerminal unfinished;
  Push({"<think>hm</thi"}, unfinished.fd(), /*dim=*/true);
  EXPECT_EQ(unfinished.Received(), "\x1b[2m<think>hm</thi\x1b[0m\n");
}

TEST(AnswerView, AnEmptyThoughtLeavesNothing) {
  CapturedFd file;
  Push({"<think>", "</think>", "\n", "\n", "Yes.\n\nNo."}, file.fd(), /*dim=*/false);
  EXPECT_EQ(file.Text(), "Yes.\n\nNo.\n");
}

TEST(AnswerView, ToolCallsAreBlocks) {
  const std::vector<std::string> tools = {R"({"function": {"name": "add"}})"};
  CapturedFd file;
  Push({"Let me see.\n<tool_", "call>\n{\"name\": \"add\", \"arguments\": {\"a\":  1}}\n",
        "</tool_call>\n<tool_call>\n{\"name\": \"add\", \"arguments\": {}}\n</tool_call>"},
       file.fd(), /*dim=*/false, /*in_thought=*/false, tools);
  EXPECT_EQ(file.Text(), "Let me see.\n[tool call] add\n{\"a\":  1}\n\n[tool call] add\n{}\n\n");
}

TEST(AnswerView, AModelCannotSendEscapeSequences) {
  ViewTerminal terminal;
  Push({"a\x1b]0;owned\x07", "\x1b[2J", "b\n\tc"}, terminal.fd(), /*dim=*/true);
  EXPECT_EQ(terminal.Received(), "a␛]0;owned␇␛[2Jb\n\tc\n");
}

TEST(AnswerView, AFileGetsTheTextByteForByte) {
  CapturedFd file;
  Push({"<think>\n", "\x1b[31m\xFF</think>", "x"}, file.fd(), /*dim=*/true);
  EXPECT_EQ(file.Text(), "<think>\n\x1b[31m\xFF</think>x\n");
}

}  // namespace
}  // namespace infer
