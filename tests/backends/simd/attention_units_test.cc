// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/attention_units.h"

#include <map>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace infer::simd {
namespace {

// Sequences of (committed positions, tokens in the call).
struct TestBatch {
  explicit TestBatch(const std::vector<std::pair<int32_t, int32_t>>& lengths) {
    for (const auto& [before, tokens] : lengths) {
      sequences.push_back({.first_token = static_cast<int32_t>(positions.size()),
                           .count = tokens,
                           .length = before + tokens,
                           .block_table = {}});
      for (int32_t i = 0; i < tokens; ++i) positions.push_back(before + i);
    }
    batch.token_pos = positions;
    batch.sequences = sequences;
  }
  std::vector<int32_t> positions;
  std::vector<BatchSequence> sequences;
  Batch batch;
};

// Every (token, head, position) that is visible is in exactly one unit.
void ExpectCoversAll(const TestBatch& test, int64_t kv_heads) {
  const AttentionUnits units(test.batch, kv_heads);
  std::map<std::pair<int64_t, int64_t>, int64_t> next;  // (token, head) to the position wanted next
  std::set<int64_t> parts;
  AttentionCursor cursor = units.From(0);
  for (int64_t i = 0; i < units.count(); ++i) {
    const AttentionUnit unit = cursor.Next();
    EXPECT_EQ(unit, units.From(i).Next()) << "unit " << i;
    const BatchSequence& sequence = test.sequences[unit.sequence];
    ASSERT_GE(unit.token, sequence.first_token);
    ASSERT_LE(unit.token + unit.tokens, sequence.first_token + sequence.count);
    ASSERT_LT(unit.begin, unit.end);
    for (int64_t t = unit.token; t < unit.token + unit.tokens; ++t) {
      int64_t& wanted = next[{t, unit.kv_head}];
      EXPECT_EQ(unit.begin, wanted);
      wanted = unit.tokens > 1 ? test.positions[t] + 1 : unit.end;
    }
    if (unit.parts > 1) {
      EXPECT_TRUE(parts.insert(unit.part).second) << "part " << unit.part << " twice";
      EXPECT_LT(unit.part, kMaxParts * kv_heads);
    }
  }
  ASSERT_EQ(next.size(), test.positions.size() * kv_heads);
  for (const auto& [key, end] : next) EXPECT_EQ(end, test.positions[key.first] + 1);

  size_t merged = 0;
  AttentionCursor merges = units.MergesFrom(0);
  for (int64_t i = 0; i < units.merges(); ++i) {
    const AttentionUnit first = merges.Next();
    EXPECT_EQ(first, units.MergesFrom(i).Next()) << "merge " << i;
    EXPECT_EQ(first.begin, 0);
    for (int64_t c = 0; c < first.parts; ++c) merged += parts.count(first.part + c);
  }
  EXPECT_EQ(merged, parts.size()) << "every part is merged";
}

TEST(AttentionUnits, CoverWhatTokensSeeOnce) {
  for (const int64_t kv_heads : {1, 3, 8}) {
    ExpectCoversAll(TestBatch({{0, 1}}), kv_heads);
    ExpectCoversAll(TestBatch({{255, 1}}), kv_heads);
    ExpectCoversAll(TestBatch({{256, 1}}), kv_heads);
    ExpectCoversAll(TestBatch({{100000, 1}}), kv_heads);
    ExpectCoversAll(TestBatch({{4095, 4}}), kv_heads);
    ExpectCoversAll(TestBatch({{4096, 5}}), kv_heads);
    ExpectCoversAll(TestBatch({{700, 1}, {9, 0}, {300, 1}}), kv_heads);
    ExpectCoversAll(TestBatch({{0, 129}, {5000, 1}, {3, 128}, {700, 3}, {255, 2}}), kv_heads);
    ExpectCoversAll(TestBatch(std::vector<std::pair<int32_t, int32_t>>(70, {900, 1})), kv_heads);
    ExpectCoversAll(TestBatch(std::vector<std::pair<int32_t, int32_t>>(33, {40000, 2})), kv_heads);
  }
}

TEST(AttentionUnits, ChunksFollowEachOther) {
  for (int64_t chunk = 0; chunk < 100; ++chunk) {
    const int64_t begin = ChunkBegin(chunk), end = ChunkBegin(chunk + 1);
    EXPECT_EQ(ChunkAt(begin), chunk);
    EXPECT_EQ(ChunkAt(end - 1), chunk);
    EXPECT_EQ((end - begin) % kMinChunk, 0) << chunk;
  }
  EXPECT_EQ(ChunkBegin(1), 256);
  EXPECT_EQ(ChunkBegin(16), 4096);
  EXPECT_EQ(ChunkBegin(17), 4096 + 512);
  EXPECT_EQ(ChunkBegin(40), 32768);
}

// So the sums of a token are the same whatever is in the call with it.
TEST(AttentionUnits, TheBoundsOfATokensPartsDependOnItsPositionAlone) {
  const TestBatch alone({{5000, 1}}), among({{5000, 1}, {70, 3}, {3000, 1}, {0, 200}});
  const AttentionUnits one(alone.batch, 2), many(among.batch, 2);
  for (int64_t i = 0; i < one.count(); ++i) {
    const AttentionUnit a = one.From(i).Next(), b = many.From(i).Next();
    EXPECT_EQ(a.begin, b.begin);
    EXPECT_EQ(a.end, b.end);
  }
}

TEST(AttentionUnits, ADeepTokenHasAtMostAsManyPartsAsThereIsMemoryFor) {
  for (const int32_t before : {0, 255, 256, 4095, 4096, 100000, 262143, 262144, 1 << 30}) {
    const TestBatch test({{before, 1}});
    EXPECT_LE(AttentionUnits(test.batch, 1).count(), kMaxPartsOfToken) << before;
  }
  EXPECT_EQ(AttentionUnits(TestBatch({{4095, 1}}).batch, 1).count(), 16);
  EXPECT_EQ(AttentionUnits(TestBatch({{262143, 1}}).batch, 1).count(), 64);
  EXPECT_EQ(AttentionUnits(TestBatch({{255, 1}}).batch, 1).count(), 1);
}

TEST(AttentionUnits, ManySequencesAreNotDivided) {
  const TestBatch test(std::vector<std::pair<int32_t, int32_t>>(65, {4000, 1}));
  const AttentionUnits units(test.batch, 2);
  EXPECT_EQ(units.count(), 130);
  EXPECT_EQ(units.merges(), 0);
}

TEST(AttentionUnits, ManyTokensAreCutByBlocks) {
  const TestBatch test({{10, 300}});
  const AttentionUnits units(test.batch, 2);
  ASSERT_EQ(units.count(), 6);
  EXPECT_EQ(units.From(4).Next().token, 256);
  EXPECT_EQ(units.From(4).Next().tokens, 44);
  EXPECT_EQ(units.From(4).Next().kv_head, 1);
}

// Slices as threads take them: finding a slice looks at the sequences before it once, and not once
// for each unit.
TEST(AttentionUnits, ASliceLooksAtEverySequenceOnce) {
  std::vector<std::pair<int32_t, int32_t>> lengths(256, {500, 1});
  lengths[100] = {40, 300};
  const TestBatch test(lengths);
  const AttentionUnits units(test.batch, 8);
  for (const int64_t slices : {1, 2, 16}) {
    int64_t visited = 0;
    for (int64_t slice = 0; slice < slices; ++slice) {
      const int64_t begin = units.count() * slice / slices;
      const int64_t end = units.count() * (slice + 1) / slices;
      AttentionCursor cursor = units.From(begin);
      for (int64_t i = begin; i < end; ++i) cursor.Next();
      EXPECT_LE(cursor.visited(), 257);
      visited += cursor.visited();
    }
    EXPECT_LE(visited, 257 * slices);
  }
}

TEST(AttentionUnits, HalvesOfTheUnitsSeeAsManyPositions) {
  const TestBatch test({{0, 4 * kTokenBlock}});
  const AttentionUnits units(test.batch, 2);
  ASSERT_EQ(units.count(), 8);
  for (int64_t parts : {2, 4}) {
    std::vector<int64_t> positions(parts);
    for (int64_t unit = 0; unit < 8; ++unit)
      positions[unit * parts / 8] += units.From(unit).Next().end;
    for (int64_t sum : positions) EXPECT_EQ(sum, positions[0]) << parts << " threads";
  }
}

}  // namespace
}  // namespace infer::simd
