// SPDX-License-Identifier: Apache-2.0
#include "tests/backends/metal/edge_cases.h"

#include <cmath>

#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "ir/ops/rope_attrs.h"

namespace infer::metal {
namespace {

using conformance::BatchArg;
using conformance::Cache;
using conformance::ConformanceCase;
using conformance::Norm;
using conformance::Rows;
using conformance::Values;
using conformance::Weight;

constexpr DType kWeights[] = {DType::kF32,  DType::kF16,  DType::kBF16, DType::kQ8_0,
                              DType::kQ4_0, DType::kQ4_K, DType::kQ6_K};
constexpr DType kCaches[] = {DType::kF32, DType::kF16, DType::kQ8_0};

// 70 outputs are a tile of 64 and six rows of the next. Plain rows end within a step of 32 and of
// 16 columns, and once within four, where f32 takes the plain kernel.
ConformanceCase Product(DType type, int32_t tokens, int64_t inner, Values values = Values::kPlain) {
  constexpr int64_t kOutputs = 70;
  return {.name = StrCat("edge_linear_", Name(type), "_", tokens, "x", inner, NameOf(values)),
          .op = &ops::kLinear,
          .args = {Rows({Symbol::kT, inner}), Weight(type, kOutputs, inner)},
          .sequences = {{0, tokens}},
          .values = values};
}

ConformanceCase Matmul(int32_t tokens) {
  return {.name = StrCat("edge_matmul_", tokens),
          .op = &ops::kMatmul,
          .args = {Rows({Symbol::kT, 37}), Rows({37, 70})},
          .sequences = {{0, tokens}}};
}

// Positions and tokens that end within a tile of 32 and of 8, in blocks smaller than a tile.
ConformanceCase Attention(DType type, int32_t tokens, int64_t head_dim) {
  return {.name = StrCat("edge_attention_", Name(type), "_", tokens, "x", head_dim),
          .op = &ops::kAttention,
          .args = {Rows({Symbol::kT, 6, head_dim}), Cache(type, 2, head_dim), BatchArg()},
          .attrs = {1 / std::sqrt(static_cast<double>(head_dim))},
          .sequences = {{13, tokens}},
          .block_positions = 7};
}

// Heads of one block, whose halves are less than a simdgroup, and of more than four runs.
ConformanceCase AttentionInputs(DType type, int32_t tokens, int64_t head_dim) {
  return {.name = StrCat("edge_attention_inputs_", Name(type), "_", tokens, "x", head_dim),
          .op = &ops::kAttentionInputs,
          .args = {Cache(type, 1, head_dim), Rows({Symbol::kT, 3 * head_dim}),
                   Rows({Symbol::kT, head_dim}), Rows({Symbol::kT, head_dim}), Norm(head_dim),
                   Norm(head_dim), BatchArg()},
          .attrs = ops::NormRopeAttrs(
              1e-6, {.base = 1e6, .freq_scale = 0.25, .ext_factor = 1, .original_context = 32768}),
          .sequences = {{5, tokens}},
          .block_positions = 9};
}

}  // namespace

std::vector<ConformanceCase> EdgeCases() {
  std::vector<ConformanceCase> cases;
  // What is padded with zeros must not meet an infinity or a NaN.
  for (DType type : {DType::kF32, DType::kF16}) {
    for (int32_t tokens : {2, 9}) {
      for (int64_t inner : {77, 84}) {
        cases.push_back(Product(type, tokens, inner, Values::kInf));
        cases.push_back(Product(type, tokens, inner, Values::kNan));
      }
    }
  }
  for (int32_t tokens : kEdgeRows) {
    for (DType type : kWeights) {
      const int64_t block = Info(type).block_elements;
      const bool plain = block == 1;
      for (int64_t inner : {plain ? 68 : block, plain ? 77 : 2 * block, plain ? 100 : 3 * block}) {
        cases.push_back(Product(type, tokens, inner));
      }
    }
    cases.push_back(Matmul(tokens));
    for (DType type : kCaches) {
      for (int64_t head_dim : {32, 96, 256}) cases.push_back(Attention(type, tokens, head_dim));
      cases.push_back(AttentionInputs(type, tokens, 32));
      cases.push_back(AttentionInputs(type, tokens, 160));
    }
  }
  return cases;
}

}  // namespace infer::metal
