// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/runtime/access_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace infer::emulation {
namespace {

const std::byte* const kBase = reinterpret_cast<const std::byte*>(uintptr_t{1} << 20);

// "3-5 8-9"
std::string Text(const Spans& spans) {
  std::string text;
  for (const Span& span : spans) {
    if (!text.empty()) text += " ";
    text += std::to_string(span.begin - kBase) + "-" + std::to_string(span.end - kBase);
  }
  return text;
}

Spans SpansOf(std::initializer_list<std::pair<int, int>> list) {
  Spans spans;
  for (const auto& [begin, end] : list) spans.push_back({kBase + begin, kBase + end});
  return spans;
}

TEST(Spans, AreSortedAndJoined) {
  Spans spans = SpansOf({{8, 9}, {3, 5}, {5, 6}, {4, 5}, {20, 24}, {21, 22}});
  Normalize(spans);
  EXPECT_EQ(Text(spans), "3-6 8-9 20-24");
}

TEST(Spans, HaveAFirstCommonByte) {
  const Spans left = SpansOf({{0, 4}, {10, 12}, {20, 30}});
  EXPECT_EQ(FirstCommon(left, SpansOf({{4, 10}, {12, 20}, {30, 31}})), nullptr);
  EXPECT_EQ(FirstCommon(left, SpansOf({{4, 11}})), kBase + 10);
  EXPECT_EQ(FirstCommon(left, SpansOf({{5, 6}, {29, 99}})), kBase + 29);
  EXPECT_EQ(FirstCommon(left, {}), nullptr);
}

TEST(ByteMap, GivesBackWhatWasSetOnce) {
  ByteMap map;
  ASSERT_TRUE(map.Reserve(1000));
  map.Set(0, 4);
  map.Set(60, 8);    // across a word
  map.Set(128, 64);  // a whole word
  map.Set(192, 1);
  map.Set(990, 10);
  Spans spans;
  map.Take(kBase, spans);
  EXPECT_EQ(Text(spans), "0-4 60-68 128-193 990-1000");
  spans.clear();
  map.Take(kBase, spans);
  EXPECT_EQ(Text(spans), "");
}

TEST(ByteMap, AgreesWithAPlainListOfBytes) {
  std::minstd_rand random(5);
  ByteMap map;
  ASSERT_TRUE(map.Reserve(4096));
  for (int round = 0; round < 20; ++round) {
    std::vector<bool> plain(4096 + 64);
    for (int i = 0; i < 40; ++i) {
      const size_t bytes = 1 + random() % 48;
      const size_t offset = random() % (4096 - bytes);
      map.Set(offset, bytes);
      for (size_t b = 0; b < bytes; ++b) plain[offset + b] = true;
    }
    Spans spans;
    map.Take(kBase, spans);
    std::vector<bool> taken(plain.size());
    for (const Span& span : spans) {
      for (const std::byte* b = span.begin; b < span.end; ++b) {
        taken[static_cast<size_t>(b - kBase)] = true;
      }
    }
    EXPECT_EQ(taken, plain);
  }
}

}  // namespace
}  // namespace infer::emulation
