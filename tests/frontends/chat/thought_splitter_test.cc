// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/thought_splitter.h"

#include <gtest/gtest.h>

#include <vector>

namespace infer {
namespace {

struct Parts {
  std::string thought;
  std::string content;
  bool operator==(const Parts&) const = default;
};

Parts Split(std::string_view text, bool open, size_t piece_bytes) {
  Parts parts;
  ThoughtSplitter splitter(open, [&](ThoughtSplitter::Kind kind, std::string_view piece) {
    (kind == ThoughtSplitter::Kind::kThought ? parts.thought : parts.content) += piece;
  });
  for (size_t pos = 0; pos < text.size(); pos += piece_bytes) {
    splitter.Feed(text.substr(pos, piece_bytes));
  }
  splitter.Finish();
  return parts;
}

TEST(ThoughtSplitter, SeparatesTheThought) {
  struct Case {
    std::string_view text;
    bool open;
    Parts parts;
  };
  const std::vector<Case> cases = {
      {"<think>\nhm\n</think>\n\nYes", false, {"\nhm\n", "\n\nYes"}},
      {"hm</think>Yes", true, {"hm", "Yes"}},
      {"Yes", false, {"", "Yes"}},
      {"Yes <think>no</think>", false, {"", "Yes <think>no</think>"}},
      {"\n<think>a</thin</think>b</think>", false, {"a</thin", "\nb</think>"}},
      {"<think>never ends", false, {"never ends", ""}},
      {"cut </thi", true, {"cut </thi", ""}},
      {"<thin", false, {"", "<thin"}},
      {"  ", false, {"", "  "}},
      {"", true, {"", ""}},
      {"<think></think>", false, {"", ""}},
      {"</think>x", false, {"", "</think>x"}},
  };
  for (const Case& c : cases) {
    for (size_t bytes = 1; bytes < 12; ++bytes) {
      const Parts parts = Split(c.text, c.open, bytes);
      EXPECT_EQ(parts.thought, c.parts.thought) << c.text << " by " << bytes;
      EXPECT_EQ(parts.content, c.parts.content) << c.text << " by " << bytes;
    }
  }
}

TEST(ThoughtSplitter, SaysWhetherTheModelThinks) {
  ThoughtSplitter splitter(false, [](ThoughtSplitter::Kind, std::string_view) {});
  EXPECT_FALSE(splitter.inside_thought());
  splitter.Feed("<think>a");
  EXPECT_TRUE(splitter.inside_thought());
  splitter.Feed("</think>");
  EXPECT_FALSE(splitter.inside_thought());
}

}  // namespace
}  // namespace infer
