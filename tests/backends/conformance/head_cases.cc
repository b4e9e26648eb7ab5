// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "ir/ops/rope_attrs.h"
#include "tests/backends/conformance/conformance_case.h"

namespace infer::conformance {
namespace {

struct HeadShape {
  int64_t heads, kv_heads, head_dim;
};

// One head of its own; groups of 2 and 3; a model's head of 128.
constexpr HeadShape kShapes[] = {{1, 1, 32}, {4, 2, 64}, {3, 1, 32}, {4, 2, 128}};
constexpr DType kCacheTypes[] = {DType::kF32, DType::kF16, DType::kQ8_0};
constexpr ops::RopeParams kPlainRope = {.base = 1e6};
constexpr ops::RopeParams kYarn = {
    .base = 1e6, .freq_scale = 0.25, .ext_factor = 1, .original_context = 32768};
// Llama's: adjacent pairs, and angles divided by factors.
constexpr double kFactors[] = {1, 1, 1.25, 2.5, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8};
constexpr ops::RopeParams kLlamaRope = {.base = 5e5, .adjacent = true, .factors = kFactors};

// Tokens that follow nothing, a short and a long history; chunks; several sequences at once.
struct Call {
  std::string_view name;
  std::vector<SequencePart> sequences;
  int32_t block_positions;
};

std::vector<Call> Calls() {
  return {{"first", {{0, 1}}, 64},
          {"decode", {{37, 1}}, 64},
          {"deep", {{1500, 1}}, 2048},
          {"paged", {{75, 1}}, 16},
          {"prefill", {{0, 21}}, 64},
          {"chunk", {{50, 13}}, 128},
          {"chunk_paged", {{30, 40}}, 32},
          {"pair", {{20, 2}}, 64},
          {"batched", {{5, 1}, {70, 1}, {0, 1}}, 16},
          {"mixed", {{9, 3}, {0, 18}, {33, 1}}, 32}};
}

std::string Described(const HeadShape& s) {
  return StrCat(s.heads, "_", s.kv_heads, "x", s.head_dim);
}

ConformanceCase Attention(const HeadShape& s, DType type, const Call& call, Values values) {
  return {.name = StrCat("attention_", Name(type), "_", Described(s), "_", call.name,
                         values == Values::kPlain ? "" : "_", NameOf(values)),
          .op = &ops::kAttention,
          .args = {Rows({Symbol::kT, s.heads, s.head_dim}), Cache(type, s.kv_heads, s.head_dim),
                   BatchArg()},
          .attrs = {1 / std::sqrt(static_cast<double>(s.head_dim))},
          .sequences = call.sequences,
          .block_positions = call.block_positions,
          .values = values};
}

ConformanceCase AttentionInputs(const HeadShape& s, DType type, const Call& call,
                                const ops::RopeParams& rope = kPlainRope) {
  const int64_t q = s.heads * s.head_dim, k = s.kv_heads * s.head_dim;
  return {
      .name = StrCat("attention_inputs_", Name(type), "_", Described(s),
                     rope.adjacent ? "_adjacent_" : "_", call.name),
      .op = &ops::kAttentionInputs,
      .args = {Cache(type, s.kv_heads, s.head_dim), Rows({Symbol::kT, q}), Rows({Symbol::kT, k}),
               Rows({Symbol::kT, k}), Norm(s.head_dim), Norm(s.head_dim), BatchArg()},
      .attrs = ops::NormRopeAttrs(1e-6, rope),
      .sequences = call.sequences,
      .block_positions = call.block_positions};
}

ConformanceCase KvWrite(const HeadShape& s, DType type, const Call& call, Values values) {
  const int64_t k = s.kv_heads * s.head_dim;
  return {.name = StrCat("kv_write_", Name(type), "_", Described(s), "_", call.name,
                         values == Values::kPlain ? "" : "_", NameOf(values)),
          .op = &ops::kKvWrite,
          .args = {Cache(type, s.kv_heads, s.head_dim), Rows({Symbol::kT, k}),
                   Rows({Symbol::kT, k}), BatchArg()},
          .sequences = call.sequences,
          .block_positions = call.block_positions,
          .values = values};
}

ConformanceCase KvRead(const HeadShape& s, DType type, const Call& call) {
  return {.name = StrCat("kv_read_", Name(type), "_", Described(s), "_", call.name),
          .op = &ops::kKvRead,
          .args = {Cache(type, s.kv_heads, s.head_dim), BatchArg()},
          .sequences = call.sequences,
          .block_positions = call.block_positions};
}

ConformanceCase AttnMask(const Call& call, Values values) {
  return {
      .name = StrCat("attn_mask_", call.name, values == Values::kPlain ? "" : "_", NameOf(values)),
      .op = &ops::kAttnMask,
      .args = {Rows({Symbol::kT, Symbol::kS}), BatchArg()},
      .sequences = call.sequences,
      .block_positions = call.block_positions,
      .values = values};
}

ConformanceCase Rope(int64_t heads, int64_t head_dim, const ops::RopeParams& params,
                     const Call& call) {
  return {.name = StrCat("rope_", heads, "x", head_dim,
                         params.adjacent          ? "_adjacent_"
                         : params.ext_factor != 0 ? "_yarn_"
                                                  : "_",
                         call.name),
          .op = &ops::kRope,
          .args = {Rows({Symbol::kT, heads, head_dim}), BatchArg()},
          .attrs = ops::AttrsOf(params),
          .sequences = call.sequences,
          .block_positions = call.block_positions};
}

ConformanceCase QkNormRope(const HeadShape& s, const Call& call, Values values,
                           const ops::RopeParams& rope = kPlainRope) {
  return {.name = StrCat("qk_norm_rope_", Described(s), rope.adjacent ? "_adjacent_" : "_",
                         call.name, values == Values::kPlain ? "" : "_", NameOf(values)),
          .op = &ops::kQkNormRope,
          .args = {Rows({Symbol::kT, s.heads * s.head_dim}),
                   Rows({Symbol::kT, s.kv_heads * s.head_dim}), Norm(s.head_dim), Norm(s.head_dim),
                   BatchArg()},
          .attrs = ops::NormRopeAttrs(1e-6, rope),
          .sequences = call.sequences,
          .block_positions = call.block_positions,
          .values = values};
}

}  // namespace

std::vector<ConformanceCase> HeadCases() {
  std::vector<ConformanceCase> cases;
  const std::vector<Call> calls = Calls();
  for (const Call& call : calls) {
    for (DType type : kCacheTypes) {
      for (const HeadShape& s : kShapes) {
        cases.push_back(Attention(s, type, call, Values::kPlain));
      }
      cases.push_back(AttentionInputs(kShapes[1], type, call));
      cases.push_back(AttentionInputs(kShapes[2], type, call, kLlamaRope));
      cases.push_back(KvWrite(kShapes[1], type, call, Values::kPlain));
      cases.push_back(KvRead(kShapes[1], type, call));
    }
    cases.push_back(AttnMask(call, Values::kPlain));
    cases.push_back(Rope(3, 6, kPlainRope, call));
    cases.push_back(Rope(2, 128, kYarn, call));
    cases.push_back(Rope(3, 32, kLlamaRope, call));
    cases.push_back(QkNormRope(kShapes[2], call, Values::kPlain, kLlamaRope));
    cases.push_back(QkNormRope(kShapes[1], call, Values::kPlain));
    cases.push_back(QkNormRope({2, 1, 18}, call, Values::kPlain));
  }
  for (Values values : {Values::kLarge, Values::kTiny, Values::kSubnormal, Values::kZero,
                        Values::kNan, Values::kInf}) {
    cases.push_back(QkNormRope(kShapes[1], calls[5], values));
    for (DType type : kCacheTypes) cases.push_back(KvWrite(kShapes[1], type, calls[5], values));
  }
  for (Values values : {Values::kNan, Values::kInf}) cases.push_back(AttnMask(calls[9], values));
  // The cache's numbers are plain: a query of zeros weighs all positions alike, a large one takes
  // the likeliest, one with a NaN or an infinity spoils its own head.
  for (Values values : {Values::kTiny, Values::kZero, Values::kNan, Values::kInf}) {
    for (DType type : kCacheTypes) {
      cases.push_back(Attention(kShapes[1], type, calls[1], values));
      cases.push_back(Attention(kShapes[1], type, calls[5], values));
    }
  }
  return cases;
}

}  // namespace infer::conformance
