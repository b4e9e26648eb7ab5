// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/isa/attention_kernels.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "backends/formats/dequantize_row.h"
#include "backends/simd/attention.h"
#include "backends/simd/isa/vector_kernels.h"
#include "gtest/gtest.h"
#include "tests/backends/simd/runnable_levels.h"
#include "tests/support/kernel_harness.h"

namespace infer::simd {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

struct AttentionCase {
  DType dtype;
  int64_t group_heads;
  int64_t head_dim;
  int32_t block_positions;
  int64_t length;
  int64_t tokens;    // the last ones
  float spread = 1;  // of the queries, and so of the scores
};

std::string Text(const AttentionCase& c) {
  std::string text(Name(c.dtype));
  for (const int64_t n :
       {c.group_heads, c.head_dim, int64_t{c.block_positions}, c.length, c.tokens}) {
    text += " " + std::to_string(n);
  }
  return text;
}

// One key/value head of a cache that has another one, with its blocks in descending order and
// everything that is no position of it NaN.
struct TestHead {
  TestHead(const Level* level, const AttentionCase& of) : c(of) {
    const int64_t blocks = (c.length + c.block_positions - 1) / c.block_positions;
    vector_bytes = formats::RowBytes(c.dtype, c.head_dim);
    stride = 2 * vector_bytes * c.block_positions;
    k.assign(blocks * stride, std::byte{0xff});
    v.assign(blocks * stride, std::byte{0xff});
    for (int64_t b = 0; b < blocks; ++b) table.push_back(static_cast<int32_t>(blocks - 1 - b));
    keys = RandomFloats(c.length * c.head_dim, 1);
    values = RandomFloats(c.length * c.head_dim, 2);
    for (int64_t i = 0; i < c.length; ++i) Store(level, i);
    q = RandomFloats(c.tokens * c.group_heads * c.head_dim * 2, 3);
    for (float& x : q) x *= c.spread;
  }

  std::byte* At(std::vector<std::byte>* memory, int64_t i) {
    return memory->data() + table[i / c.block_positions] * stride +
           i % c.block_positions * vector_bytes;
  }

  void Store(const Level* level, int64_t i) {
    for (const bool key : {true, false}) {
      std::byte* to = At(key ? &k : &v, i);
      float* from = (key ? keys : values).data() + i * c.head_dim;
      if (c.dtype == DType::kF32) {
        std::memcpy(to, from, vector_bytes);
      } else if (c.dtype == DType::kF16) {
        level->vector->to_f16(from, c.head_dim, reinterpret_cast<uint16_t*>(to));
      } else {
        level->vector->to_q8_0(from, c.head_dim, to);
      }
      formats::DequantizeRow(c.dtype, to, c.head_dim, from);  // what the cache holds
    }
  }

  AttentionCall Call(std::vector<float>* out, std::vector<std::byte>* scratch) const {
    return {.q = q.data(),
            .q_stride = 2 * c.group_heads * c.head_dim,
            .tokens = c.tokens,
            .group_heads = c.group_heads,
            .head_dim = c.head_dim,
            .cache = {k.data(), v.data(), stride, table.data(), c.block_positions, c.dtype},
            .first_visible = c.length - c.tokens,
            .scale = 1 / std::sqrt(static_cast<float>(c.head_dim)),
            .out = out->data(),
            .out_stride = c.group_heads * c.head_dim,
            .scratch = scratch->data()};
  }

  std::vector<double> Exact() const {
    std::vector<double> out;
    for (int64_t t = 0; t < c.tokens; ++t) {
      for (int64_t h = 0; h < c.group_heads; ++h) ExactHead(t, h, &out);
    }
    return out;
  }

  void ExactHead(int64_t t, int64_t h, std::vector<double>* out) const {
    const float* query = q.data() + (2 * t * c.group_heads + h) * c.head_dim;
    std::vector<double> sums(c.head_dim);
    double total = 0;
    for (int64_t i = 0; i <= c.length - c.tokens + t; ++i) {
      double score = 0;
      for (int64_t d = 0; d < c.head_dim; ++d) score += double{query[d]} * keys[i * c.head_dim + d];
      const double weight = std::exp(score / std::sqrt(c.head_dim));
      total += weight;
      for (int64_t d = 0; d < c.head_dim; ++d) sums[d] += weight * values[i * c.head_dim + d];
    }
    for (const double sum : sums) out->push_back(sum / total);
  }

  AttentionCase c;
  uint64_t vector_bytes;
  uint64_t stride;
  std::vector<std::byte> k, v;
  std::vector<float> keys, values, q;
  std::vector<int32_t> table;
};

double RelativeError(const std::vector<float>& found, const std::vector<double>& exact) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    difference += std::pow(found[i] - exact[i], 2);
    size += exact[i] * exact[i];
  }
  return std::sqrt(difference / size);
}

std::vector<std::byte> Scratch(const AttentionKernels& kernels, const AttentionCase& c) {
  const uint64_t bytes = kernels.scratch_bytes(c.tokens, c.group_heads, c.head_dim);
  EXPECT_LE(bytes, AttentionScratchBound(c.tokens, c.group_heads, c.head_dim));
  return std::vector<std::byte>(bytes, std::byte{0xff});
}

// A partial result of all tokens of a call.
struct TestPart {
  explicit TestPart(const AttentionCall& call)
      : max(call.tokens * call.group_heads),
        sum(max.size()),
        out(max.size() * call.head_dim),
        part{max.data(), sum.data(), out.data(), call.group_heads * call.head_dim} {}
  std::vector<float> max, sum, out;
  AttentionPart part;
};

// `range` over chunks of positions, merged.
std::vector<float> InChunks(const AttentionKernels& kernels, const AttentionCall& call,
                            int64_t chunk) {
  TestPart sums(call);
  const int64_t end = call.first_visible + call.tokens;
  for (int64_t begin = 0; begin < end; begin += chunk) {
    TestPart part(call);
    kernels.range(call, begin, std::min(begin + chunk, end), begin == 0 ? sums.part : part.part);
    if (begin > 0) kernels.merge(call, part.part, sums.part);
  }
  for (size_t i = 0; i < sums.out.size(); ++i) sums.out[i] /= sums.sum[i / call.head_dim];
  return sums.out;
}

std::vector<float> Prefill(const AttentionKernels& kernels, const TestHead& head) {
  std::vector<float> out(head.c.tokens * head.c.group_heads * head.c.head_dim);
  std::vector<std::byte> scratch = Scratch(kernels, head.c);
  const AttentionCall call = head.Call(&out, &scratch);
  if (kernels.many == nullptr) return InChunks(kernels, call, 256);
  kernels.many(call);
  return out;
}

// Every token by itself, in chunks of positions.
std::vector<float> Decode(const AttentionKernels& kernels, const TestHead& head, int64_t chunk) {
  const AttentionCase& c = head.c;
  std::vector<float> out;
  std::vector<std::byte> scratch = Scratch(kernels, c);
  for (int64_t t = 0; t < c.tokens; ++t) {
    AttentionCall call = head.Call(&out, &scratch);
    call.q += t * call.q_stride;
    call.tokens = 1;
    call.first_visible += t;
    const std::vector<float> row = InChunks(kernels, call, chunk);
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

std::vector<float> Prefill(const Level* level, const TestHead& head) {
  return Prefill(*level->attention(head.c.dtype), head);
}
std::vector<float> Decode(const Level* level, const TestHead& head, int64_t chunk) {
  return Decode(*level->attention(head.c.dtype), head, chunk);
}

// The attention of a level whose bits do not depend on the number of tokens.
const AttentionKernels& Invariant(const Level* level, DType cache) {
  return *(level->attention_invariant == nullptr ? level->attention
                                                 : level->attention_invariant)(cache);
}

class SimdAttention : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Level* level : RunnableLevels()) {
      if (level->attention != nullptr) levels_.push_back(level);
    }
    if (levels_.empty()) GTEST_SKIP() << "no level that runs here has attention";
  }
  std::vector<const Level*> levels_;
};

constexpr AttentionCase kCases[] = {
    {DType::kF16, 2, 128, 512, 1, 1},      {DType::kF16, 2, 128, 1024, 700, 40},
    {DType::kF16, 2, 128, 16, 610, 33, 4}, {DType::kF16, 1, 64, 64, 77, 77},
    {DType::kF16, 3, 96, 40, 131, 31},     {DType::kF16, 4, 256, 33, 530, 5, 4},
    {DType::kF16, 7, 40, 7, 51, 13},       {DType::kF16, 2, 8, 16, 40, 40},
    {DType::kF16, 16, 64, 32, 100, 9},     {DType::kQ8_0, 2, 128, 64, 600, 20},
    {DType::kQ8_0, 3, 96, 40, 131, 7},     {DType::kQ8_0, 1, 32, 9, 50, 50, 4},
    {DType::kF32, 2, 128, 512, 1, 1},      {DType::kF32, 2, 128, 1024, 300, 40},
    {DType::kF32, 3, 96, 40, 131, 31, 10}, {DType::kF32, 5, 40, 7, 51, 30},
};

// f32 caches are exact but for f32 sums. Of one token, q and the weights are rounded to f16; of
// many, q, K, the weights and V to bf16, which costs 1e-3 for each unit of the scores' deviation.
TEST_F(SimdAttention, ManyTokensAreNearTheExactResult) {
  for (const Level* level : levels_) {
    for (const AttentionCase& c : kCases) {
      const TestHead head(level, c);
      EXPECT_LT(RelativeError(Prefill(level, head), head.Exact()),
                c.dtype == DType::kF32 ? 2e-6 : 4e-3 + 1.5e-3 * c.spread)
          << level->name << " " << Text(c);
    }
  }
}

TEST_F(SimdAttention, OneTokenIsNearTheExactResultInAnyChunks) {
  for (const Level* level : levels_) {
    for (const AttentionCase& c : kCases) {
      const TestHead head(level, c);
      const std::vector<double> exact = head.Exact();
      for (const int64_t chunk : {c.length, int64_t{64}, int64_t{192}}) {
        EXPECT_LT(RelativeError(Decode(level, head, chunk), exact),
                  c.dtype == DType::kF32 ? 2e-6 : 5e-4 + 2e-4 * c.spread)
            << level->name << " " << Text(c) << " chunk " << chunk;
      }
    }
  }
}

// Where one function takes any number of tokens, a token's bits depend neither on the others nor on
// the blocks of the cache. A level without such an attention would fail here.
TEST_F(SimdAttention, ATokenHasTheSameBitsAloneAndInAnyCache) {
  for (const Level* level : levels_) {
    for (AttentionCase c : kCases) {
      const AttentionKernels& kernels = Invariant(level, c.dtype);
      const TestHead head(level, c);
      const std::vector<float> together = Prefill(kernels, head);
      EXPECT_LT(RelativeError(together, head.Exact()),
                c.dtype == DType::kF32 ? 2e-6 : 4e-3 + 1.5e-3 * c.spread)
          << level->name << " " << Text(c);
      EXPECT_EQ(Decode(kernels, head, 256), together) << level->name << " " << Text(c);
      for (const int32_t positions : {5, 16, 2048}) {
        c.block_positions = positions;
        EXPECT_EQ(Prefill(kernels, TestHead(level, c)), together) << level->name << " " << Text(c);
      }
    }
  }
}

// Scores that climb from block to block move the reference of every row again and again.
TEST_F(SimdAttention, ScoresMayGrowAlongThePositions) {
  for (const Level* level : levels_) {
    for (const DType dtype : {DType::kF16, DType::kF32}) {
      TestHead head(level, {dtype, 2, 64, 2048, 1200, 20});
      for (float& x : head.q) x = 1;
      for (int64_t i = 0; i < head.c.length; ++i) {
        for (int64_t d = 0; d < 64; ++d) {
          // Whole eighths, which bf16 holds: scores climb to 75 in steps of 1.
          head.keys[i * 64 + d] = 0.125f * static_cast<float>(i / 16) * (i % 37 == 0 ? -1 : 1);
        }
        head.Store(level, i);
      }
      const double bound = dtype == DType::kF32 ? 1e-5 : 1e-2;
      EXPECT_LT(RelativeError(Prefill(level, head), head.Exact()), bound) << level->name;
      EXPECT_LT(RelativeError(Decode(level, head, 256), head.Exact()), bound) << level->name;
    }
  }
}

TEST_F(SimdAttention, ScoresMayBeFarApart) {
  for (const Level* level : levels_) {
    for (const DType dtype : {DType::kF16, DType::kF32}) {
      TestHead head(level, {dtype, 2, 64, 64, 200, 8});
      for (float& x : head.q) x = 1000;
      for (int64_t i = 0; i < head.c.length; ++i) {
        for (int64_t d = 0; d < 64; ++d) head.keys[i * 64 + d] = i == 70 ? 1000.0f : -1000.0f;
        head.Store(level, i);
      }
      const std::vector<float> many = Prefill(level, head);
      const std::vector<float> one = Decode(level, head, 64);
      for (int64_t row = 0; row < 16; ++row) {
        for (int64_t d = 0; d < 64; ++d) {
          EXPECT_NEAR(many[row * 64 + d], head.values[70 * 64 + d], 1e-2) << level->name;
          EXPECT_NEAR(one[row * 64 + d], head.values[70 * 64 + d], 1e-3) << level->name;
        }
      }
    }
  }
}

TEST_F(SimdAttention, NanAndInfinityReachTheTokensThatSeeThem) {
  for (const Level* level : levels_) {
    for (const DType dtype : {DType::kF16, DType::kF32}) {
      for (const float bad : {kNoNumber, kInfinity}) {
        TestHead head(level, {dtype, 2, 64, 64, 90, 30});
        for (float& x : head.q) x = std::abs(x);
        head.keys[70 * 64 + 5] = bad;
        head.Store(level, 70);
        const std::vector<float> many = Prefill(level, head);
        const std::vector<float> one = Decode(level, head, 64);
        for (int64_t t = 0; t < 30; ++t) {
          const bool finite = 60 + t < 70;
          EXPECT_EQ(std::isfinite(many[t * 128]), finite) << level->name << " token " << t;
          EXPECT_EQ(std::isfinite(one[t * 128]), finite) << level->name << " token " << t;
        }
      }
    }
  }
}

TEST_F(SimdAttention, NanInAValueReachesItsElement) {
  for (const Level* level : levels_) {
    for (const DType dtype : {DType::kF16, DType::kF32}) {
      TestHead head(level, {dtype, 2, 64, 64, 90, 30});
      head.values[3 * 64 + 5] = kNoNumber;
      head.Store(level, 3);
      const std::vector<float> many = Prefill(level, head);
      const std::vector<float> one = Decode(level, head, 64);
      for (size_t i = 0; i < many.size(); ++i) {
        EXPECT_EQ(std::isnan(many[i]), i % 64 == 5) << level->name << " " << i;
        EXPECT_EQ(std::isnan(one[i]), i % 64 == 5) << level->name << " " << i;
      }
    }
  }
}

// With V the unit matrix, the sums of a part are the weights themselves.
TEST_F(SimdAttention, TheExponentialIsExactToSomeUnits) {
  for (const Level* level : levels_) {
    const int64_t n = 64;
    TestHead head(level, {DType::kF32, 1, n, 64, n, 1});
    std::vector<float> out(n);
    std::vector<std::byte> scratch = Scratch(*level->attention(head.c.dtype), head.c);
    AttentionCall call = head.Call(&out, &scratch);
    call.scale = 1;
    std::fill(head.q.begin(), head.q.end(), 0.0f);
    head.q[0] = 1;
    double worst = 0;
    for (float low = 0; low > -80; low -= 0.37f) {
      for (int64_t i = 0; i < n; ++i) {
        std::fill_n(&head.keys[i * n], n, 0.0f);
        std::fill_n(&head.values[i * n], n, 0.0f);
        head.keys[i * n] = i == 0 ? 0.0f : low - 0.0137f * static_cast<float>(i);
        head.values[i * n + i] = 1;
        head.Store(level, i);
      }
      float max, sum;
      std::vector<float> weights(n);
      level->attention(call.cache.dtype)->range(call, 0, n, {&max, &sum, weights.data(), n});
      for (int64_t i = 0; i < n; ++i) {
        const float score = head.keys[i * n] * 1.44269504f;
        worst = std::max(worst, std::abs(weights[i] / std::exp2(double{score}) - 1));
      }
    }
    EXPECT_LT(worst, 3e-7) << level->name;
  }
}

}  // namespace
}  // namespace infer::simd
