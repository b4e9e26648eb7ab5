// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/attention.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "backends/formats/dequantize_row.h"
#include "backends/simd/isa/vector_kernels.h"
#include "backends/simd/levels/choose_level.h"
#include "gtest/gtest.h"
#include "ir/ops/ops.h"
#include "tests/support/kernel_harness.h"

namespace infer::simd {
namespace {

class SimdAttentionOp : public ::testing::Test {
 protected:
  void SetUp() override {
    if (ChosenLevel().level == nullptr || ChosenLevel().level->attention == nullptr) {
      GTEST_SKIP() << "the level in use has no attention";
    }
  }
};

// A call over several sequences, whose blocks lie in turn: sequence s has the blocks s, s + n, ...
struct TestCall {
  TestCall(const std::vector<std::pair<int32_t, int32_t>>& lengths, int32_t block_positions) {
    const auto count = static_cast<int32_t>(lengths.size());
    for (const auto& [before, tokens] : lengths) {
      blocks_each =
          std::max(blocks_each, (before + tokens + block_positions - 1) / block_positions);
    }
    tables.resize(count);
    for (int32_t s = 0; s < count; ++s) {
      for (int32_t b = 0; b < blocks_each; ++b) tables[s].push_back(b * count + s);
      const auto [before, tokens] = lengths[s];
      sequences.push_back({.first_token = static_cast<int32_t>(positions.size()),
                           .count = tokens,
                           .length = before + tokens,
                           .block_table = tables[s]});
      for (int32_t i = 0; i < tokens; ++i) positions.push_back(before + i);
    }
    batch.token_pos = positions;
    batch.sequences = sequences;
    batch.block_positions = block_positions;
  }
  int32_t blocks() const { return blocks_each * static_cast<int32_t>(sequences.size()); }

  int32_t blocks_each = 0;
  std::vector<int32_t> positions;
  std::vector<std::vector<int32_t>> tables;
  std::vector<BatchSequence> sequences;
  Batch batch;
};

constexpr int32_t kKvHeads = 2;
constexpr int32_t kQueryHeads = 6;
constexpr int32_t kHeadDim = 64;
constexpr double kScale = 0.125;

void FillCache(TestCache* cache, uint32_t seed) {
  const int64_t elements = int64_t{kKvHeads} * cache->block_positions * kHeadDim;
  const int64_t blocks = static_cast<int64_t>(cache->k.size()) /
                         static_cast<int64_t>(formats::RowBytes(cache->dtype, elements));
  for (std::vector<std::byte>* bytes : {&cache->k, &cache->v}) {
    const std::vector<float> values = RandomFloats(elements * blocks, seed++);
    const VectorKernels& vector = *ChosenLevel().level->vector;
    if (cache->dtype == DType::kF32) {
      std::memcpy(bytes->data(), values.data(), bytes->size());
    } else if (cache->dtype == DType::kF16) {
      vector.to_f16(values.data(), elements * blocks, reinterpret_cast<uint16_t*>(bytes->data()));
    } else {
      vector.to_q8_0(values.data(), elements * blocks, bytes->data());
    }
  }
}

std::vector<float> CacheVector(TestCache* cache, const std::vector<std::byte>& bytes,
                               const BatchSequence& sequence, int32_t position, int32_t head) {
  const KvView view = cache->View();
  const int32_t slot =
      sequence.block_table[position / view.block_positions] * view.block_positions +
      position % view.block_positions;
  std::vector<float> out(kHeadDim);
  formats::DequantizeRow(cache->dtype, bytes.data() + view.Offset(slot, head), kHeadDim,
                         out.data());
  return out;
}

std::vector<double> Exact(TestCache* cache, const TestCall& call, const std::vector<float>& q,
                          const BatchSequence& sequence, int32_t token, int32_t head) {
  std::vector<double> sums(kHeadDim);
  double total = 0;
  for (int32_t p = 0; p <= call.positions[token]; ++p) {
    const int32_t kv_head = head / (kQueryHeads / kKvHeads);
    const std::vector<float> k = CacheVector(cache, cache->k, sequence, p, kv_head);
    const std::vector<float> v = CacheVector(cache, cache->v, sequence, p, kv_head);
    double score = 0;
    for (int d = 0; d < kHeadDim; ++d)
      score += double{q[(token * kQueryHeads + head) * kHeadDim + d]} * k[d];
    const double weight = std::exp(score * kScale);
    total += weight;
    for (int d = 0; d < kHeadDim; ++d) sums[d] += weight * v[d];
  }
  for (double& sum : sums) sum /= total;
  return sums;
}

void ExpectNearExact(DType dtype, const TestCall& call, double bound) {
  TestCache cache(dtype, kKvHeads, kHeadDim, call.batch.block_positions, call.blocks());
  FillCache(&cache, 11);
  const auto tokens = static_cast<int64_t>(call.positions.size());
  const std::vector<float> q = RandomFloats(tokens * kQueryHeads * kHeadDim, 5);
  const std::string name = "attention_" + std::string(Name(dtype)) + "_simd";
  const std::vector<TestTensor> out = KernelHarness(AttentionTable(), name)
                                          .At({.t = tokens})
                                          .In(F32Tensor({Symbol::kT, kQueryHeads, kHeadDim}, q))
                                          .In(&cache)
                                          .In(&call.batch)
                                          .Attrs({kScale})
                                          .Run();
  ASSERT_EQ(out.size(), 1u);
  const std::vector<float> found = out[0].floats();
  for (const BatchSequence& sequence : call.sequences) {
    for (int32_t t = sequence.first_token; t < sequence.first_token + sequence.count; ++t) {
      for (int32_t head = 0; head < kQueryHeads; ++head) {
        const std::vector<double> exact = Exact(&cache, call, q, sequence, t, head);
        for (int d = 0; d < kHeadDim; ++d) {
          ASSERT_NEAR(found[(t * kQueryHeads + head) * kHeadDim + d], exact[d], bound)
              << name << " token " << t << " head " << head;
        }
      }
    }
  }
}

// Several sequences, some with one token, some with many, paged: decode, prefill and merging in one
// call. The harness also runs units one by one and compares the bits.
TEST_F(SimdAttentionOp, ServesAllSequencesOfABatch) {
  const TestCall call({{300, 1}, {0, 20}, {40, 3}, {700, 2}, {10, 7}}, 16);
  ExpectNearExact(DType::kF32, call, 2e-6);
  ExpectNearExact(DType::kF16, call, 2e-2);
  ExpectNearExact(DType::kQ8_0, call, 2e-2);
}

TEST_F(SimdAttentionOp, ServesOneDeepToken) {
  const TestCall call({{2100, 1}}, 4096);
  ExpectNearExact(DType::kF32, call, 2e-6);
  ExpectNearExact(DType::kF16, call, 1e-3);
  ExpectNearExact(DType::kQ8_0, call, 1e-3);
}

TEST_F(SimdAttentionOp, ServesAPromptOfMoreThanABlock) {
  const TestCall call({{3, 135}}, 512);
  ExpectNearExact(DType::kF32, call, 2e-6);
  ExpectNearExact(DType::kF16, call, 2e-2);
}

}  // namespace
}  // namespace infer::simd
