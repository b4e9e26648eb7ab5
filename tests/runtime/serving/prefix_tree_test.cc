// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/prefix_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace infer {
namespace {

using Text = std::vector<int32_t>;

constexpr int32_t kBlock = 4;

std::unique_ptr<KvCache> NewCache(int64_t blocks) {
  return KvCache::Create({.layers = {{.kv_heads = 1, .head_dim = 1}},
                          .dtype = DType::kF32,
                          .capacity = blocks * kBlock,
                          .block_positions = kBlock,
                          .max_sequences = 8,
                          .max_tokens = 256})
      .value();
}

float* Slot(const KvCache& cache, int32_t slot) {
  return reinterpret_cast<float*>(cache.view(0).k) + cache.view(0).Index(slot, 0);
}

// Appends tokens to a sequence, each with its own id as its key.
void Append(KvCache& cache, SequenceId sequence, std::span<const int32_t> tokens) {
  if (tokens.empty()) return;
  ASSERT_TRUE(cache.Reserve(sequence, std::ssize(tokens)).ok());
  Batch batch;
  const BatchRequest request = {sequence, static_cast<int32_t>(tokens.size()), 0};
  ASSERT_TRUE(cache.MakeBatch({&request, 1}, &batch).ok());
  for (size_t i = 0; i < tokens.size(); ++i) {
    *Slot(cache, batch.token_slot[i]) = static_cast<float>(tokens[i]);
  }
  cache.Commit(sequence, std::ssize(tokens));
}

Text Contents(const KvCache& cache, SequenceId sequence) {
  Text text;
  for (int64_t i = 0; i < cache.length(sequence); ++i) {
    const int32_t block = cache.blocks(sequence)[static_cast<size_t>(i / kBlock)];
    text.push_back(
        static_cast<int32_t>(*Slot(cache, block * kBlock + static_cast<int32_t>(i % kBlock))));
  }
  return text;
}

class PrefixTreeTest : public ::testing::Test {
 protected:
  void Use(int64_t blocks) {
    cache_ = NewCache(blocks);
    tree_.emplace(cache_.get());
  }
  // Runs a text as a request would: begins with what is cached, computes the rest.
  SequenceId Run(const Text& text, const std::string& salt = "") {
    const CachedPrefix prefix = tree_->Find(salt, text);
    const SequenceId sequence = cache_->NewSequence(prefix.blocks, prefix.tokens).value();
    const std::span<const int32_t> rest =
        std::span(text).subspan(static_cast<size_t>(prefix.tokens));
    while (cache_->MissingBlocks(sequence, std::ssize(rest)) > cache_->free_blocks()) {
      EXPECT_TRUE(tree_->EvictOne());
    }
    Append(*cache_, sequence, rest);
    EXPECT_EQ(Contents(*cache_, sequence), text);
    return sequence;
  }
  void End(const Text& text, SequenceId sequence, const std::string& salt = "") {
    tree_->Add(salt, text, sequence, /*with_tail=*/true);
    cache_->Release(sequence);
  }
  int64_t Cached(const Text& text, const std::string& salt = "") {
    return tree_->Find(salt, text).tokens;
  }

  std::unique_ptr<KvCache> cache_;
  std::optional<PrefixTree> tree_;
};

TEST_F(PrefixTreeTest, FindsTokenByToken) {
  Use(8);
  const Text text = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  End(text, Run(text));
  EXPECT_EQ(tree_->num_blocks(), 3);
  EXPECT_EQ(Cached(text), 10);
  EXPECT_EQ(Cached({1, 2, 3, 4, 5, 6, 7, 8, 9, 11}), 9);
  EXPECT_EQ(Cached({1, 2, 3, 4, 5, 6, 0}), 6);
  EXPECT_EQ(Cached({1, 2}), 2);
  EXPECT_EQ(Cached({2, 2}), 0);
  EXPECT_TRUE(tree_->Find("", Text{1, 2, 0}).differs);
  EXPECT_TRUE(tree_->Find("", Text{0}).differs);
  EXPECT_FALSE(tree_->Find("", text).differs);
}

TEST_F(PrefixTreeTest, SaltsKeepTextsApart) {
  Use(8);
  const Text text = {1, 2, 3, 4, 5};
  End(text, Run(text, "a"), "a");
  EXPECT_EQ(Cached(text, "a"), 5);
  EXPECT_EQ(Cached(text, "b"), 0);
  EXPECT_EQ(Cached(text), 0);
}

TEST_F(PrefixTreeTest, BlocksOfARunningSequenceAreShared) {
  Use(8);
  const Text text = {1, 2, 3, 4, 5, 6};
  const SequenceId first = Run(text);
  tree_->Add("", text, first, /*with_tail=*/false);
  EXPECT_EQ(Cached(text), 4);  // it still writes the other block
  const SequenceId second = Run({1, 2, 3, 4, 9});
  EXPECT_EQ(cache_->blocks(first)[0], cache_->blocks(second)[0]);
  EXPECT_EQ(cache_->free_blocks(), 5);
  EXPECT_EQ(Contents(*cache_, first), text);
}

TEST_F(PrefixTreeTest, EqualBlocksAreKeptOnce) {
  Use(8);
  const Text text = {1, 2, 3, 4, 5};
  const SequenceId first = cache_->NewSequence().value();
  const SequenceId second = cache_->NewSequence().value();
  Append(*cache_, first, text);
  Append(*cache_, second, text);
  EXPECT_EQ(cache_->free_blocks(), 4);
  tree_->Add("", text, first, false);
  tree_->Add("", text, second, false);
  EXPECT_EQ(cache_->free_blocks(), 5);
  EXPECT_EQ(cache_->blocks(first)[0], cache_->blocks(second)[0]);
}

TEST_F(PrefixTreeTest, ALongerTailReplacesAShorterOne) {
  Use(8);
  End({1, 2}, Run({1, 2}));
  End({1, 2, 3}, Run({1, 2, 3}));
  EXPECT_EQ(tree_->num_blocks(), 1);
  End({1, 2}, Run({1, 2}));
  EXPECT_EQ(tree_->num_blocks(), 1);
  EXPECT_EQ(Cached({1, 2, 3, 4}), 3);
  End({1, 2, 3, 4, 5}, Run({1, 2, 3, 4, 5}));
  EXPECT_EQ(tree_->num_blocks(), 2);
}

TEST_F(PrefixTreeTest, EvictsTheLeafThatWasUsedLongestAgo) {
  Use(6);
  const Text a = {1, 2, 3, 4, 5, 6}, b = {1, 2, 3, 4, 7, 7}, c = {9, 9};
  End(a, Run(a));
  End(b, Run(b));
  End(c, Run(c));
  EXPECT_EQ(cache_->idle_blocks(), 4);
  EXPECT_EQ(Cached(a), 6);  // now b is the oldest leaf
  ASSERT_TRUE(tree_->EvictOne());
  EXPECT_EQ(Cached(b), 4);
  EXPECT_EQ(Cached(a), 6);
  ASSERT_TRUE(tree_->EvictOne());
  EXPECT_EQ(Cached(c), 0);
  EXPECT_EQ(Cached(a), 6);
  EXPECT_EQ(tree_->evicted_blocks(), 2);
}

TEST_F(PrefixTreeTest, NeverEvictsWhatASequenceUses) {
  Use(6);
  const Text text = {1, 2, 3, 4, 5, 6, 7, 8};
  const SequenceId sequence = Run(text);
  tree_->Add("", text, sequence, false);
  EXPECT_FALSE(tree_->EvictOne());
  cache_->Release(sequence);
  EXPECT_TRUE(tree_->EvictOne());
  EXPECT_TRUE(tree_->EvictOne());
  EXPECT_FALSE(tree_->EvictOne());
  EXPECT_EQ(cache_->free_blocks(), 6);
}

TEST_F(PrefixTreeTest, GivesEverythingBack) {
  Use(4);
  End({1, 2, 3, 4, 5, 6}, Run({1, 2, 3, 4, 5, 6}));
  tree_.reset();
  EXPECT_EQ(cache_->free_blocks(), 4);
}

// What is cached without pressure is the longest common beginning with any text before; under
// pressure it is no longer than that, and always right (Run compares).
class PrefixTreeMixTest : public PrefixTreeTest, public ::testing::WithParamInterface<int> {};

TEST_P(PrefixTreeMixTest, AgreesWithAListOfTexts) {
  const bool has_pressure = GetParam() < 1000;
  Use(GetParam());
  std::mt19937 random(7);
  std::vector<std::pair<std::string, Text>> ended;
  for (int round = 0; round < 600; ++round) {
    Text text(1 + random() % 23);
    for (int32_t& id : text) id = static_cast<int32_t>(1 + random() % 2);
    const std::string salt = random() % 4 == 0 ? "salt" : "";
    int64_t longest = 0;
    for (const auto& [other_salt, other] : ended) {
      if (other_salt != salt) continue;
      longest = std::max<int64_t>(longest, std::ranges::mismatch(text, other).in1 - text.begin());
    }
    const int64_t cached = Cached(text, salt);
    if (has_pressure) {
      ASSERT_LE(cached, longest) << round;
    } else {
      ASSERT_EQ(cached, longest) << round;
    }
    End(text, Run(text, salt), salt);
    ended.push_back({salt, text});
    ASSERT_EQ(cache_->idle_blocks(), tree_->num_blocks());
    ASSERT_EQ(cache_->idle_blocks() + cache_->free_blocks(), cache_->num_blocks());
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, PrefixTreeMixTest, ::testing::Values(8, 16, 64, 4000));

}  // namespace
}  // namespace infer
