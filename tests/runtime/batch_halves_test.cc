// SPDX-License-Identifier: Apache-2.0
#include "runtime/batch_halves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "ir/graph/plan.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using Half = BatchHalves::Half;

// A call that owns what its batch points to.
struct Call {
  struct Sequence {
    int32_t count;
    int32_t length;
  };

  Call(const std::vector<Sequence>& of, std::vector<int32_t> wanted) : rows(std::move(wanted)) {
    for (const Sequence& sequence : of) {
      const auto number = static_cast<int32_t>(sequences.size());
      sequences.push_back({.first_token = static_cast<int32_t>(tokens.size()),
                           .count = sequence.count,
                           .length = sequence.length,
                           .block_table = tables});
      for (int32_t i = 0; i < sequence.count; ++i) {
        seq.push_back(number);
        pos.push_back(sequence.length - sequence.count + i);
        slots.push_back(100 * number + pos.back());
        tokens.push_back(1000 + static_cast<int32_t>(tokens.size()));
      }
    }
    batch = {.token_seq = seq,
             .token_pos = pos,
             .token_slot = slots,
             .out_rows = rows,
             .sequences = sequences,
             .block_positions = 16};
  }

  std::vector<int32_t> tables = {3, 1};
  std::vector<int32_t> tokens, seq, pos, slots, rows;
  std::vector<BatchSequence> sequences;
  Batch batch;
};

void ExpectSequence(const BatchSequence& sequence, int32_t first, int32_t count, int32_t length) {
  EXPECT_EQ(sequence.first_token, first);
  EXPECT_EQ(sequence.count, count);
  EXPECT_EQ(sequence.length, length);
  EXPECT_THAT(sequence.block_table, ElementsAre(3, 1));
}

TEST(BatchHalves, APromptIsCutInTheMiddle) {
  const Call call({{.count = 5, .length = 9}}, {4});
  BatchHalves halves(8, 2);
  halves.Divide(call.tokens, call.batch, std::ssize(call.tokens) / 2);

  const Half& first = halves[0];
  EXPECT_THAT(first.tokens, ElementsAre(1000, 1001));
  EXPECT_THAT(first.batch.token_pos, ElementsAre(4, 5));
  EXPECT_THAT(first.batch.token_slot, ElementsAre(4, 5));
  EXPECT_THAT(first.batch.token_seq, ElementsAre(0, 0));
  ASSERT_EQ(first.batch.sequences.size(), 1u);
  ExpectSequence(first.batch.sequences[0], 0, 2, 6);
  EXPECT_FALSE(first.wants_rows);
  EXPECT_THAT(first.batch.out_rows, ElementsAre(1)) << "every call has a row";
  EXPECT_EQ(first.symbols.t, 2);
  EXPECT_EQ(first.symbols.r, 1);
  EXPECT_EQ(first.symbols.s, 6);
  EXPECT_EQ(first.symbols.sequences, 1);

  const Half& second = halves[1];
  EXPECT_THAT(second.tokens, ElementsAre(1002, 1003, 1004));
  EXPECT_THAT(second.batch.token_pos, ElementsAre(6, 7, 8));
  EXPECT_THAT(second.batch.token_seq, ElementsAre(0, 0, 0));
  ASSERT_EQ(second.batch.sequences.size(), 1u);
  ExpectSequence(second.batch.sequences[0], 0, 3, 9);
  EXPECT_TRUE(second.wants_rows);
  EXPECT_THAT(second.batch.out_rows, ElementsAre(2));
  EXPECT_EQ(second.batch.block_positions, 16);
  EXPECT_EQ(second.symbols.s, 9);
}

// Three decodes and a prompt, as a server combines them: rows are wanted in both halves.
TEST(BatchHalves, SequencesGoWhereTheirTokensAre) {
  const Call call({{1, 7}, {1, 3}, {1, 2}, {5, 5}}, {0, 1, 2, 7});
  BatchHalves halves(8, 4);
  halves.Divide(call.tokens, call.batch, std::ssize(call.tokens) / 2);
  ASSERT_EQ(halves[0].batch.sequences.size(), 4u);
  ExpectSequence(halves[0].batch.sequences[2], 2, 1, 2);
  ExpectSequence(halves[0].batch.sequences[3], 3, 1, 1);
  EXPECT_THAT(halves[0].batch.out_rows, ElementsAre(0, 1, 2));
  EXPECT_TRUE(halves[0].wants_rows);
  EXPECT_EQ(halves[0].symbols.s, 7 + 3 + 2 + 1);
  EXPECT_EQ(halves[0].symbols.sequences, 4);
  ASSERT_EQ(halves[1].batch.sequences.size(), 1u);
  ExpectSequence(halves[1].batch.sequences[0], 0, 4, 5);
  EXPECT_THAT(halves[1].batch.token_seq, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(halves[1].batch.out_rows, ElementsAre(3));
}

TEST(BatchHalves, ACutBetweenSequencesDividesNone) {
  const Call call({{2, 2}, {1, 4}, {1, 8}}, {1});
  BatchHalves halves(4, 3);
  halves.Divide(call.tokens, call.batch, std::ssize(call.tokens) / 2);
  ASSERT_EQ(halves[0].batch.sequences.size(), 1u);
  ExpectSequence(halves[0].batch.sequences[0], 0, 2, 2);
  ASSERT_EQ(halves[1].batch.sequences.size(), 2u);
  ExpectSequence(halves[1].batch.sequences[0], 0, 1, 4);
  ExpectSequence(halves[1].batch.sequences[1], 1, 1, 8);
  EXPECT_THAT(halves[1].batch.token_seq, ElementsAre(0, 1));
  EXPECT_TRUE(halves[0].wants_rows);
  EXPECT_FALSE(halves[1].wants_rows);
  EXPECT_THAT(halves[1].batch.out_rows, ElementsAre(1));
}

// Every token is in one half, with its position, slot and sequence.
TEST(BatchHalves, NothingIsLost) {
  for (int32_t count = 2; count <= 40; ++count) {
    const Call call({{count / 3 + 1, 20}, {count, count}, {1, 33}}, {count / 3, count + 1});
    BatchHalves halves(64, 3);
    halves.Divide(call.tokens, call.batch, std::ssize(call.tokens) / 2);
    std::vector<int32_t> tokens, pos, slots, lengths;
    size_t rows = 0;
    for (size_t i : {0, 1}) {
      const Half& half = halves[i];
      tokens.insert(tokens.end(), half.tokens.begin(), half.tokens.end());
      pos.insert(pos.end(), half.batch.token_pos.begin(), half.batch.token_pos.end());
      slots.insert(slots.end(), half.batch.token_slot.begin(), half.batch.token_slot.end());
      if (half.wants_rows) rows += half.batch.out_rows.size();
      int32_t next = 0;
      for (size_t s = 0; s < half.batch.sequences.size(); ++s) {
        const BatchSequence& sequence = half.batch.sequences[s];
        EXPECT_EQ(sequence.first_token, next);
        next += sequence.count;
        EXPECT_EQ(half.batch.token_pos[static_cast<size_t>(next - 1)], sequence.length - 1);
        EXPECT_EQ(half.batch.token_seq[static_cast<size_t>(next - 1)], static_cast<int32_t>(s));
      }
      EXPECT_EQ(next, half.symbols.t);
    }
    EXPECT_EQ(rows, 2u);
    EXPECT_THAT(tokens, ElementsAreArray(call.tokens));
    EXPECT_THAT(pos, ElementsAreArray(call.pos));
    EXPECT_THAT(slots, ElementsAreArray(call.slots));
  }
}

TEST(MiddleOf, IsNearTheMiddle) {
  EXPECT_EQ(MiddleOf(Call({{100, 100}}, {99}).batch, 1, 1), 50);
  EXPECT_EQ(MiddleOf(Call({{1, 5}, {1, 6}, {30, 30}}, {0}).batch, 1, 1), 16);
}

TEST(MiddleOf, LeavesEnoughOfTheSequenceThatItCuts) {
  EXPECT_EQ(MiddleOf(Call({{100, 100}}, {99}).batch, 1, 50), 50);
  EXPECT_EQ(MiddleOf(Call({{100, 100}}, {99}).batch, 1, 51), 0);
  EXPECT_EQ(MiddleOf(Call({{30, 30}, {40, 40}}, {0}).batch, 1, 17), 30) << "between them";
  EXPECT_EQ(MiddleOf(Call({{20, 20}, {80, 80}}, {0}).batch, 1, 17), 50);
  EXPECT_EQ(MiddleOf(Call({{20, 20}, {80, 80}}, {0}).batch, 1, 35), 55);
}

TEST(MiddleOf, LeavesEnoughToBothHalves) {
  EXPECT_EQ(MiddleOf(Call({{20, 20}, {15, 15}}, {0}).batch, 17, 17), 0);
  EXPECT_EQ(MiddleOf(Call({{20, 20}, {15, 15}}, {0}).batch, 15, 17), 20);
  EXPECT_EQ(MiddleOf(Call({{1, 9}}, {0}).batch, 1, 1), 0);
}

}  // namespace
}  // namespace infer
