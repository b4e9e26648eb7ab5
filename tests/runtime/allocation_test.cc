// SPDX-License-Identifier: Apache-2.0
//
// A binary of its own: it counts every allocation of the process.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/kv_cache.h"
#include "runtime/sampler.h"
#include "tests/runtime/counting_new.h"

namespace infer {
namespace {

TEST(Allocation, SamplerAllocatesNothingAfterItsFirstToken) {
  std::vector<float> logits(5000);
  for (size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i * 37 % 1009) / 50;
  for (const SamplerOptions& options :
       {SamplerOptions(), SamplerOptions{.temperature = 0, .repeat_penalty = 1.1},
        SamplerOptions{.top_k = 0, .min_p = 0.01, .presence_penalty = 1, .repeat_last_n = 8}}) {
    absl::StatusOr<Sampler> sampler = Sampler::Create(options, 5000);
    ASSERT_TRUE(sampler.ok());
    ASSERT_TRUE(sampler->Sample(logits).ok());
    const int64_t before = AllocationCount();
    for (int i = 0; i < 50; ++i) {
      const absl::StatusOr<SampledToken> token = sampler->Sample(logits);
      sampler->Accept(token.ok() ? token->id : -1);
    }
    EXPECT_EQ(AllocationCount(), before);
  }
}

TEST(Allocation, CacheAllocatesNothingAfterItWasMade) {
  for (const int32_t block_positions : {0, 4}) {
    absl::StatusOr<std::unique_ptr<KvCache>> cache =
        KvCache::Create({.layers = {{.kv_heads = 1, .head_dim = 2}},
                         .capacity = 64,
                         .block_positions = block_positions,
                         .max_sequences = 2,
                         .max_tokens = 32});
    ASSERT_TRUE(cache.ok());
    const int64_t before = AllocationCount();
    bool ok = true;
    const absl::StatusOr<SequenceId> a = (*cache)->NewSequence();
    for (int i = 0; i < 8; ++i) {
      const BatchRequest request = {.sequence = *a, .tokens = 4, .logit_rows = 4};
      Batch batch;
      ok = ok && (*cache)->Reserve(*a, 4).ok() && (*cache)->MakeBatch({&request, 1}, &batch).ok();
      (*cache)->Commit(*a, 4);
    }
    const absl::StatusOr<SequenceId> b = (*cache)->Clone(*a);
    (*cache)->Rewind(*b, 3);
    (*cache)->Release(*a);
    EXPECT_TRUE(ok);
    EXPECT_EQ(AllocationCount(), before);
  }
}

}  // namespace
}  // namespace infer
