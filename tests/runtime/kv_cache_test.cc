// SPDX-License-Identifier: Apache-2.0
#include "runtime/kv_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/random.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

KvCacheOptions Small(int64_t capacity, int32_t block_positions, int32_t max_sequences = 1) {
  return {.layers = {{.kv_heads = 2, .head_dim = 4}, {.kv_heads = 1, .head_dim = 8}},
          .dtype = DType::kF32,
          .capacity = capacity,
          .block_positions = block_positions,
          .max_sequences = max_sequences,
          .max_tokens = 64};
}

std::unique_ptr<KvCache> Make(KvCacheOptions options) {
  absl::StatusOr<std::unique_ptr<KvCache>> cache = KvCache::Create(std::move(options));
  EXPECT_TRUE(cache.ok()) << cache.status();
  return *std::move(cache);
}

SequenceId New(KvCache& cache) {
  const absl::StatusOr<SequenceId> sequence = cache.NewSequence();
  EXPECT_TRUE(sequence.ok()) << sequence.status();
  return sequence.value_or(-1);
}

std::string Message(const absl::Status& status) { return std::string(status.message()); }

// Writes `value` into K and -value into V of a slot, in every layer and head, as kv_write would.
void WriteSlot(const KvCache& cache, int32_t slot, float value) {
  for (int32_t layer = 0; layer < cache.num_layers(); ++layer) {
    const KvView view = cache.view(layer);
    for (int32_t head = 0; head < view.kv_heads; ++head) {
      for (int32_t i = 0; i < view.head_dim; ++i) {
        reinterpret_cast<float*>(view.k)[view.Index(slot, head) + i] = value;
        reinterpret_cast<float*>(view.v)[view.Index(slot, head) + i] = -value;
      }
    }
  }
}

// The value at a slot, or NaN if not every layer, head and element agrees.
float ReadSlot(const KvCache& cache, int32_t slot) {
  const KvView first = cache.view(0);
  const float value = reinterpret_cast<const float*>(first.k)[first.Index(slot, 0)];
  for (int32_t layer = 0; layer < cache.num_layers(); ++layer) {
    const KvView view = cache.view(layer);
    for (int32_t head = 0; head < view.kv_heads; ++head) {
      for (int32_t i = 0; i < view.head_dim; ++i) {
        const size_t at = view.Index(slot, head) + i;
        if (reinterpret_cast<const float*>(view.k)[at] != value ||
            reinterpret_cast<const float*>(view.v)[at] != -value) {
          return std::numeric_limits<float>::quiet_NaN();
        }
      }
    }
  }
  return value;
}

// A whole call: reserve, describe, write, commit.
absl::Status Append(KvCache& cache, SequenceId sequence, const std::vector<float>& values) {
  const int32_t tokens = static_cast<int32_t>(values.size());
  const absl::Status status = cache.Reserve(sequence, tokens);
  if (!status.ok()) return status;
  Batch batch;
  const BatchRequest request = {.sequence = sequence, .tokens = tokens, .logit_rows = 0};
  EXPECT_TRUE(cache.MakeBatch({&request, 1}, &batch).ok());
  for (int32_t i = 0; i < tokens; ++i) WriteSlot(cache, batch.token_slot[i], values[i]);
  cache.Commit(sequence, tokens);
  return status;
}

// What attention would read: through a block table. Needs room for one token more.
std::vector<float> Contents(KvCache& cache, SequenceId sequence) {
  std::vector<float> values;
  EXPECT_TRUE(cache.Reserve(sequence, 1).ok());
  Batch batch;
  const BatchRequest request = {.sequence = sequence, .tokens = 1, .logit_rows = 0};
  EXPECT_TRUE(cache.MakeBatch({&request, 1}, &batch).ok());
  for (int32_t position = 0; position < cache.length(sequence); ++position) {
    const int32_t block = batch.sequences[0].block_table[position / batch.block_positions];
    const int32_t offset = position % batch.block_positions;
    values.push_back(ReadSlot(cache, block * batch.block_positions + offset));
  }
  return values;
}

// Whether nothing is left once all free blocks are cleared, as they are when they are taken.
bool AllZeroOnceCleared(KvCache& cache) {
  while (cache.ClearOneBlock()) continue;
  EXPECT_EQ(cache.clean_blocks(), cache.free_blocks());
  const std::byte* data = cache.view(0).k;
  for (uint64_t i = 0; i < cache.bytes(); ++i) {
    if (data[i] != std::byte{0}) return false;
  }
  return true;
}

TEST(KvCache, PredictsTheBytesItMaps) {
  // Two layers of 8 elements a position, K and V, 4 bytes each.
  EXPECT_EQ(*KvCache::PredictBytes(Small(100, 0)), 2u * 2 * 8 * 4 * 100);
  for (const auto& [capacity, block, sequences] :
       std::vector<std::tuple<int64_t, int32_t, int32_t>>{
           {100, 0, 1}, {100, 0, 3}, {100, 32, 3}, {1, 1, 1}, {7, 100, 1}}) {
    const KvCacheOptions options = Small(capacity, block, sequences);
    EXPECT_EQ(Make(options)->bytes(), *KvCache::PredictBytes(options));
  }
  KvCacheOptions half = Small(128, 0);
  half.dtype = DType::kF16;
  EXPECT_EQ(*KvCache::PredictBytes(half) * 2, *KvCache::PredictBytes(Small(128, 0)));
}

TEST(KvCache, ViewsOfLayersDoNotOverlap) {
  const std::unique_ptr<KvCache> cache = Make(Small(10, 4));
  const KvView first = cache->view(0);
  const KvView second = cache->view(1);
  const ptrdiff_t bytes = 12 * 8 * 4;  // three blocks of four positions
  EXPECT_GE(first.v - first.k, bytes);
  EXPECT_GE(second.k - first.v, bytes);
  EXPECT_GE(second.v - second.k, bytes);
  EXPECT_EQ(first.block_positions, 4);
  EXPECT_EQ(second.head_dim, 8);
  for (const std::byte* start : {first.k, first.v, second.k, second.v}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(start) % 64, 0u);
  }
}

TEST(KvCache, ContiguousIsOneBlockAsLongAsTheCapacity) {
  const std::unique_ptr<KvCache> cache = Make(Small(10, 0));
  const SequenceId sequence = New(*cache);
  ASSERT_TRUE(cache->Reserve(sequence, 10).ok());
  Batch batch;
  const BatchRequest request = {.sequence = sequence, .tokens = 3, .logit_rows = 1};
  ASSERT_TRUE(cache->MakeBatch({&request, 1}, &batch).ok());
  EXPECT_EQ(batch.block_positions, 10);
  EXPECT_THAT(batch.token_slot, ElementsAre(0, 1, 2));
  EXPECT_THAT(batch.sequences[0].block_table, ElementsAre(0));
}

TEST(KvCache, BatchDescribesSeveralSequences) {
  const std::unique_ptr<KvCache> cache = Make(Small(40, 4, 3));
  const SequenceId a = New(*cache);
  const SequenceId b = New(*cache);
  ASSERT_TRUE(Append(*cache, a, {1, 2, 3}).ok());  // block 0
  ASSERT_TRUE(cache->Reserve(b, 5).ok());          // blocks 1, 2
  ASSERT_TRUE(cache->Reserve(a, 2).ok());          // blocks 0, 3
  Batch batch;
  const BatchRequest requests[] = {{.sequence = b, .tokens = 5, .logit_rows = 2},
                                   {.sequence = a, .tokens = 2, .logit_rows = 1}};
  ASSERT_TRUE(cache->MakeBatch(requests, &batch).ok());
  EXPECT_THAT(batch.token_seq, ElementsAre(0, 0, 0, 0, 0, 1, 1));
  EXPECT_THAT(batch.token_pos, ElementsAre(0, 1, 2, 3, 4, 3, 4));
  EXPECT_THAT(batch.token_slot, ElementsAre(4, 5, 6, 7, 8, 3, 12));
  EXPECT_THAT(batch.out_rows, ElementsAre(3, 4, 6));
  ASSERT_EQ(batch.sequences.size(), 2u);
  EXPECT_EQ(batch.sequences[1].first_token, 5);
  EXPECT_EQ(batch.sequences[1].count, 2);
  EXPECT_EQ(batch.sequences[1].length, 5);
  EXPECT_THAT(batch.sequences[0].block_table, ElementsAre(1, 2));
  EXPECT_THAT(batch.sequences[1].block_table, ElementsAre(0, 3));
}

TEST(KvCache, BatchBuffersAreReusedWithoutMoving) {
  const std::unique_ptr<KvCache> cache = Make(Small(64, 0));
  const SequenceId sequence = New(*cache);
  ASSERT_TRUE(cache->Reserve(sequence, 64).ok());
  Batch one;
  Batch all;
  const BatchRequest request = {.sequence = sequence, .tokens = 1};
  const BatchRequest most = {.sequence = sequence, .tokens = 64, .logit_rows = 64};
  ASSERT_TRUE(cache->MakeBatch({&request, 1}, &one).ok());
  ASSERT_TRUE(cache->MakeBatch({&most, 1}, &all).ok());
  EXPECT_EQ(one.token_slot.data(), all.token_slot.data());
  EXPECT_EQ(one.out_rows.data(), all.out_rows.data());
}

TEST(KvCache, RefusesRequestsThatDoNotFit) {
  const std::unique_ptr<KvCache> cache = Make(Small(100, 0, 1));
  const SequenceId sequence = New(*cache);
  ASSERT_TRUE(cache->Reserve(sequence, 90).ok());
  Batch batch;
  const auto message = [&](std::vector<BatchRequest> requests) {
    const absl::Status status = cache->MakeBatch(requests, &batch);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return Message(status);
  };
  EXPECT_THAT(message({}), HasSubstr("needs a sequence"));
  EXPECT_THAT(message({{.sequence = 1, .tokens = 1}}), HasSubstr("no sequence 1"));
  EXPECT_THAT(message({{.sequence = -1, .tokens = 1}}), HasSubstr("no sequence -1"));
  EXPECT_THAT(message({{.sequence = 0, .tokens = 0, .logit_rows = 0}}), HasSubstr("0 tokens"));
  EXPECT_THAT(message({{.sequence = 0, .tokens = 91}}),
              HasSubstr("expected 1 to 90, its reservation"));
  EXPECT_THAT(message({{.sequence = 0, .tokens = 2, .logit_rows = 3}}), HasSubstr("3 rows"));
  EXPECT_THAT(message({{.sequence = 0, .tokens = 2, .logit_rows = -1}}), HasSubstr("-1 rows"));
  EXPECT_THAT(message({{.sequence = 0, .tokens = 65}}), HasSubstr("at most 64"));
  EXPECT_THAT(message({{.sequence = 0, .tokens = 1}, {.sequence = 0, .tokens = 1}}),
              HasSubstr("twice"));
  EXPECT_TRUE(batch.token_pos.empty());
  const BatchRequest good = {.sequence = 0, .tokens = 1};
  EXPECT_TRUE(cache->MakeBatch({&good, 1}, &batch).ok());
}

TEST(KvCache, OverflowSaysHowToRaiseIt) {
  const std::unique_ptr<KvCache> cache = Make(Small(4096, 0));
  const SequenceId sequence = New(*cache);
  ASSERT_TRUE(cache->Reserve(sequence, 4090).ok());
  cache->Commit(sequence, 4090);
  const absl::Status status = cache->Reserve(sequence, 7);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Message(status),
            "context of 4096 tokens is full: 4090 used, 7 more requested; use a larger context");
  EXPECT_EQ(cache->reserved(sequence), 0);
  EXPECT_TRUE(cache->Reserve(sequence, 6).ok());
  EXPECT_FALSE(cache->Reserve(sequence, std::numeric_limits<int64_t>::max()).ok());
}

TEST(KvCache, SequencesOfAPagedCacheShareItsBlocks) {
  const std::unique_ptr<KvCache> cache = Make(Small(16, 4, 3));
  const SequenceId a = New(*cache);
  const SequenceId b = New(*cache);
  ASSERT_TRUE(cache->Reserve(a, 9).ok());
  const absl::Status status = cache->Reserve(b, 5);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Message(status), HasSubstr("3 of 4 blocks"));
  EXPECT_EQ(cache->free_blocks(), 1);
  cache->Release(a);
  EXPECT_TRUE(cache->Reserve(b, 16).ok());
}

TEST(KvCache, SequencesOfAContiguousCacheHaveTheirOwnPart) {
  const std::unique_ptr<KvCache> cache = Make(Small(16, 0, 2));
  EXPECT_EQ(cache->sequence_capacity(), 8);
  const SequenceId a = New(*cache);
  ASSERT_TRUE(Append(*cache, a, {1, 2, 3}).ok());
  const absl::StatusOr<SequenceId> b = cache->Clone(a);
  ASSERT_TRUE(b.ok()) << b.status();
  ASSERT_TRUE(Append(*cache, *b, {7}).ok());
  EXPECT_THAT(Contents(*cache, a), ElementsAre(1, 2, 3));
  EXPECT_THAT(Contents(*cache, *b), ElementsAre(1, 2, 3, 7));
  EXPECT_THAT(Message(cache->Reserve(a, 6)), HasSubstr("context of 8 tokens"));
  EXPECT_EQ(cache->NewSequence().status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(cache->Clone(a).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(KvCache, RewindForgetsAndFreesBlocks) {
  const std::unique_ptr<KvCache> cache = Make(Small(16, 4));
  const SequenceId sequence = New(*cache);
  ASSERT_TRUE(Append(*cache, sequence, {1, 2, 3, 4, 5, 6, 7, 8, 9}).ok());
  EXPECT_EQ(cache->free_blocks(), 1);
  cache->Rewind(sequence, 5);
  EXPECT_EQ(cache->length(sequence), 5);
  EXPECT_EQ(cache->free_blocks(), 2);
  ASSERT_TRUE(Append(*cache, sequence, {60}).ok());
  EXPECT_THAT(Contents(*cache, sequence), ElementsAre(1, 2, 3, 4, 5, 60));
}

TEST(KvCache, RewindGivesAReservationBack) {
  const std::unique_ptr<KvCache> cache = Make(Small(16, 4));
  const SequenceId sequence = New(*cache);
  ASSERT_TRUE(cache->Reserve(sequence, 16).ok());
  EXPECT_EQ(cache->free_blocks(), 0);
  cache->Rewind(sequence, 0);
  EXPECT_EQ(cache->reserved(sequence), 0);
  EXPECT_EQ(cache->free_blocks(), 4);
}

TEST(KvCache, CommitTakesFromTheReservation) {
  const std::unique_ptr<KvCache> cache = Make(Small(16, 4));
  const SequenceId sequence = New(*cache);
  ASSERT_TRUE(cache->Reserve(sequence, 10).ok());
  cache->Commit(sequence, 4);
  EXPECT_EQ(cache->length(sequence), 4);
  EXPECT_EQ(cache->reserved(sequence), 6);
  ASSERT_TRUE(cache->Reserve(sequence, 3).ok());
  EXPECT_EQ(cache->reserved(sequence), 6);
}

TEST(KvCache, CloneSharesFullBlocksAndCopiesTheRest) {
  const std::unique_ptr<KvCache> cache = Make(Small(40, 4, 2));
  const SequenceId a = New(*cache);
  ASSERT_TRUE(Append(*cache, a, {1, 2, 3, 4, 5, 6, 7, 8, 9}).ok());
  EXPECT_EQ(cache->free_blocks(), 7);
  const absl::StatusOr<SequenceId> b = cache->Clone(a);
  ASSERT_TRUE(b.ok()) << b.status();
  EXPECT_EQ(cache->free_blocks(), 6);
  ASSERT_TRUE(Append(*cache, *b, {20}).ok());
  ASSERT_TRUE(Append(*cache, a, {10}).ok());
  EXPECT_THAT(Contents(*cache, a), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(Contents(*cache, *b), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 20));
  cache->Release(a);
  EXPECT_THAT(Contents(*cache, *b), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 20));
}

TEST(KvCache, WritingIntoASharedBlockCopiesItFirst) {
  const std::unique_ptr<KvCache> cache = Make(Small(12, 4, 2));
  const SequenceId a = New(*cache);
  ASSERT_TRUE(Append(*cache, a, {1, 2, 3, 4, 5, 6, 7, 8}).ok());
  const absl::StatusOr<SequenceId> b = cache->Clone(a);
  ASSERT_TRUE(b.ok());
  EXPECT_EQ(cache->free_blocks(), 1);
  cache->Rewind(*b, 6);
  EXPECT_EQ(cache->free_blocks(), 1);
  ASSERT_TRUE(Append(*cache, *b, {70}).ok());
  EXPECT_EQ(cache->free_blocks(), 0);
  EXPECT_THAT(Contents(*cache, *b), ElementsAre(1, 2, 3, 4, 5, 6, 70));
  cache->Rewind(a, 6);
  EXPECT_THAT(Contents(*cache, a), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(KvCache, CopyOnWriteWithoutAFreeBlockFailsAndChangesNothing) {
  const std::unique_ptr<KvCache> cache = Make(Small(8, 4, 2));
  const SequenceId a = New(*cache);
  ASSERT_TRUE(Append(*cache, a, {1, 2, 3, 4, 5, 6, 7, 8}).ok());
  const absl::StatusOr<SequenceId> b = cache->Clone(a);
  ASSERT_TRUE(b.ok());
  cache->Rewind(*b, 6);
  EXPECT_EQ(cache->Reserve(*b, 1).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(cache->length(*b), 6);
  cache->Release(a);
  EXPECT_THAT(Contents(*cache, *b), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(KvCache, CloneWithoutAFreeBlockFailsAndTakesNoSequence) {
  const std::unique_ptr<KvCache> cache = Make(Small(4, 4, 2));
  const SequenceId a = New(*cache);
  ASSERT_TRUE(Append(*cache, a, {1, 2}).ok());
  EXPECT_EQ(cache->Clone(a).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(cache->NewSequence().ok());
  EXPECT_EQ(cache->Clone(7).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(KvCache, NothingIsLeftOfAReleasedSequence) {
  for (const int32_t block_positions : {0, 4}) {
    const std::unique_ptr<KvCache> cache = Make(Small(16, block_positions));
    const SequenceId sequence = New(*cache);
    ASSERT_TRUE(Append(*cache, sequence, {1, 2, 3, 4, 5, 6, 7}).ok());
    cache->Rewind(sequence, 2);
    // A run that wrote and was never committed.
    ASSERT_TRUE(cache->Reserve(sequence, 3).ok());
    Batch batch;
    const BatchRequest request = {.sequence = sequence, .tokens = 3};
    ASSERT_TRUE(cache->MakeBatch({&request, 1}, &batch).ok());
    for (const int32_t slot : batch.token_slot) WriteSlot(*cache, slot, 99);
    cache->Release(sequence);
    EXPECT_LT(cache->clean_blocks(), cache->free_blocks());
    EXPECT_TRUE(AllZeroOnceCleared(*cache));
    EXPECT_FALSE(cache->alive(sequence));
  }
}

TEST(KvCache, CloneDoesNotSeeWhatWasRewound) {
  const std::unique_ptr<KvCache> cache = Make(Small(16, 0, 2));
  const SequenceId a = New(*cache);
  ASSERT_TRUE(Append(*cache, a, {1, 2, 3, 4}).ok());
  cache->Rewind(a, 2);
  const absl::StatusOr<SequenceId> b = cache->Clone(a);
  ASSERT_TRUE(b.ok());
  EXPECT_THAT(Contents(*cache, *b), ElementsAre(1, 2));
  Batch batch;
  const BatchRequest request = {.sequence = *b, .tokens = 1};
  ASSERT_TRUE(cache->MakeBatch({&request, 1}, &batch).ok());
  EXPECT_EQ(ReadSlot(*cache, batch.token_slot[0]), 0.0f);
}

TEST(KvCache, BadOptionsAreRefused) {
  const auto refused = [](KvCacheOptions options) {
    const absl::Status status = KvCache::Create(options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(KvCache::PredictBytes(options).status(), status);
    return Message(status);
  };
  EXPECT_THAT(refused(Small(0, 0)), HasSubstr("capacity is 0, expected 1 to"));
  EXPECT_THAT(refused(Small(int64_t{1} << 31, 0)), HasSubstr("capacity is 2147483648"));
  EXPECT_THAT(refused(Small(2147483647, 1000)), HasSubstr("whole blocks"));
  EXPECT_THAT(refused(Small(8, -1)), HasSubstr("block_positions"));
  EXPECT_THAT(refused(Small(8, 0, 0)), HasSubstr("max_sequences"));
  EXPECT_THAT(refused(Small(2147483647, 1)), HasSubstr("block tables"));
  KvCacheOptions options = Small(8, 0);
  options.dtype = DType::kBF16;
  EXPECT_THAT(refused(options), HasSubstr("KV cache: type bf16, expected f32, f16 or q8_0"));
  options.dtype = DType::kQ8_0;
  options.layers[0].head_dim = 48;
  EXPECT_THAT(refused(options),
              HasSubstr("heads of 48 are not a multiple of the 32 elements in a block of q8_0"));
  options = Small(8, 0);
  options.layers[1].head_dim = 0;
  EXPECT_THAT(refused(options), HasSubstr("head_dim is 0"));
  options.layers.clear();
  EXPECT_THAT(refused(options), HasSubstr("layers is 0"));
}

TEST(KvCache, RefusedMemoryNamesTheBytesAndTheFlags) {
  KvCacheOptions options;
  options.layers.assign(64, {.kv_heads = 1024, .head_dim = 1024});
  options.dtype = DType::kF32;
  options.capacity = 1 << 23;  // 2^52 bytes in all: beyond any address space of today
  const absl::Status status = KvCache::Create(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Message(status), HasSubstr("4503599627370496 bytes"));
  EXPECT_THAT(Message(status), HasSubstr("use a smaller context, or a cache in f16"));
}

// Random calls on all operations, held against vectors.
void CompareWithVectors(int32_t block_positions, uint64_t seed) {
  constexpr int32_t kSequences = 4;
  const std::unique_ptr<KvCache> cache = Make(Small(64, block_positions, kSequences));
  Random random(seed);
  const auto below = [&random](uint64_t limit) { return random.Next() % limit; };
  std::map<SequenceId, std::vector<float>> model;
  float next_value = 1;
  for (int step = 0; step < 3000; ++step) {
    const uint64_t action = below(10);
    if (model.empty() || action == 0) {
      const absl::StatusOr<SequenceId> sequence = cache->NewSequence();
      ASSERT_EQ(sequence.ok(), model.size() < kSequences);
      if (sequence.ok()) {
        ASSERT_TRUE(model.try_emplace(*sequence).second);
      }
      continue;
    }
    auto chosen = model.begin();
    std::advance(chosen, below(model.size()));
    auto& [sequence, values] = *chosen;
    if (action == 1) {
      cache->Release(sequence);
      model.erase(chosen);
    } else if (action == 2) {
      const absl::StatusOr<SequenceId> clone = cache->Clone(sequence);
      if (clone.ok()) {
        ASSERT_TRUE(model.try_emplace(*clone, std::vector<float>(values)).second);
      }
    } else if (action <= 4) {
      const uint64_t length = below(values.size() + 1);
      cache->Rewind(sequence, static_cast<int64_t>(length));
      values.resize(length);
    } else {
      std::vector<float> more(1 + below(6));
      for (float& value : more) value = next_value++;
      if (Append(*cache, sequence, more).ok())
        values.insert(values.end(), more.begin(), more.end());
    }
    for (const auto& [id, expected] : model) {
      ASSERT_EQ(cache->length(id), std::ssize(expected));
      if (!cache->Reserve(id, 1).ok()) continue;
      ASSERT_EQ(Contents(*cache, id), expected) << "step " << step;
      cache->Rewind(id, cache->length(id));
    }
  }
  for (const auto& [id, values] : model) cache->Release(id);
  EXPECT_TRUE(AllZeroOnceCleared(*cache));
}

TEST(KvCache, ADirtyBlockIsClearedWhenItIsTaken) {
  const std::unique_ptr<KvCache> cache = Make(Small(8, 4));
  SequenceId sequence = New(*cache);
  ASSERT_TRUE(Append(*cache, sequence, {1, 2, 3, 4, 5, 6, 7, 8}).ok());
  cache->Release(sequence);
  EXPECT_EQ(cache->clean_blocks(), 0);
  sequence = New(*cache);
  ASSERT_TRUE(cache->Reserve(sequence, 8).ok());
  for (int32_t slot = 0; slot < 8; ++slot) EXPECT_EQ(ReadSlot(*cache, slot), 0);
}

TEST(KvCache, KeptBlocksOutliveTheirSequenceAndBeginOthers) {
  const std::unique_ptr<KvCache> cache = Make(Small(20, 4, 3));
  SequenceId sequence = New(*cache);
  ASSERT_TRUE(Append(*cache, sequence, {1, 2, 3, 4, 5, 6, 7}).ok());
  const std::vector<int32_t> blocks(cache->blocks(sequence).begin(), cache->blocks(sequence).end());
  for (const int32_t block : blocks) cache->KeepBlock(block);
  EXPECT_EQ(cache->idle_blocks(), 0);
  cache->Release(sequence);
  EXPECT_EQ(cache->idle_blocks(), 2);
  EXPECT_EQ(cache->free_blocks(), 3);

  const SequenceId whole = cache->NewSequence(blocks, 7).value();
  const SequenceId part = cache->NewSequence(blocks, 6).value();
  EXPECT_EQ(cache->idle_blocks(), 0);
  EXPECT_TRUE(cache->used_by_sequence(blocks[1]));
  EXPECT_EQ(cache->MissingBlocks(part, 1), 1);  // its own copy of the block it continues in
  ASSERT_TRUE(Append(*cache, part, {60}).ok());
  ASSERT_TRUE(Append(*cache, whole, {80, 90}).ok());
  EXPECT_THAT(Contents(*cache, part), ElementsAre(1, 2, 3, 4, 5, 6, 60));
  EXPECT_THAT(Contents(*cache, whole), ElementsAre(1, 2, 3, 4, 5, 6, 7, 80, 90));
  EXPECT_EQ(cache->idle_blocks(), 1);  // both have left it
  cache->UnkeepBlock(blocks[1]);
  EXPECT_EQ(cache->idle_blocks(), 0);
  cache->Release(whole);
  cache->Release(part);
  EXPECT_EQ(cache->idle_blocks(), 1);
  cache->UnkeepBlock(blocks[0]);
  EXPECT_EQ(cache->free_blocks(), 5);
  EXPECT_TRUE(AllZeroOnceCleared(*cache));
}

TEST(KvCache, AnEqualBlockReplacesASequencesOwn) {
  const std::unique_ptr<KvCache> cache = Make(Small(16, 4, 2));
  const SequenceId a = New(*cache);
  const SequenceId b = New(*cache);
  ASSERT_TRUE(Append(*cache, a, {1, 2, 3, 4, 5}).ok());
  ASSERT_TRUE(Append(*cache, b, {1, 2, 3, 4, 6}).ok());
  EXPECT_EQ(cache->free_blocks(), 0);
  cache->ReplaceBlock(b, 0, cache->blocks(a)[0]);
  EXPECT_EQ(cache->free_blocks(), 1);
  cache->Release(a);
  EXPECT_THAT(Contents(*cache, b), ElementsAre(1, 2, 3, 4, 6));
}

TEST(KvCache, BehavesAsVectorsPaged) { CompareWithVectors(4, 1); }
TEST(KvCache, BehavesAsVectorsWithBlocksOfOne) { CompareWithVectors(1, 2); }
TEST(KvCache, BehavesAsVectorsContiguous) { CompareWithVectors(0, 3); }

}  // namespace
}  // namespace infer
