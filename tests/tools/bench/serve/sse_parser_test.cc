// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/sse_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer::load {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Events(std::string_view text, size_t piece = 1 << 20) {
  SseParser parser;
  std::vector<std::string> events;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    for (std::string& event : parser.Feed(text.substr(0, piece))) events.push_back(event);
  }
  return events;
}

TEST(SseParser, ReadsEventsHoweverTheyAreCut) {
  const std::string text =
      ": ping\n\ndata: one\n\nevent: x\ndata: two\ndata:three\nid: 7\n\nretry: 5\n\ndata\n\n"
      "data: four\r\n\r\ndata: five\r\rdatabase: no\n\ndata:  six\n\ndata: cut";
  for (size_t piece = 1; piece < text.size(); ++piece) {
    EXPECT_THAT(Events(text, piece), ElementsAre("one", "two\nthree", "", "four", "five", " six"))
        << piece;
  }
}

TEST(SseParser, AnUnfinishedEventIsNone) {
  EXPECT_THAT(Events("data: one\n"), IsEmpty());
  EXPECT_THAT(Events("\n\n\n: x\n"), IsEmpty());
}

TEST(SseParser, StopsAtAnEventThatIsTooLarge) {
  SseParser parser;
  const std::string mib(1 << 20, 'x');
  for (int i = 0; i < 20; ++i) EXPECT_THAT(parser.Feed("data: " + mib + "\n"), IsEmpty());
  EXPECT_TRUE(parser.is_too_large());
  EXPECT_THAT(parser.Feed("\n\ndata: x\n\n"), IsEmpty());
}

}  // namespace
}  // namespace infer::load
