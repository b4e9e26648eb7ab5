// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/formats/dequantize_row.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "tests/backends/conformance/conformance_case.h"

namespace infer::conformance {
namespace {

constexpr int64_t kExperts = 5, kUsed = 2;
// Fewer tokens than experts, and so many that some experts have enough rows for tiles.
constexpr int32_t kExpertTokens[] = {1, 6, 45};

int64_t InnerOf(DType type) {
  return IsQuantized(type) ? std::max<int64_t>(64, Info(type).block_elements) : 72;
}

// `each`: x has a row for each expert of a token.
ConformanceCase ExpertLinear(DType type, int32_t tokens, bool each) {
  const int64_t inner = InnerOf(type);
  const Shape rows = each ? Shape{Symbol::kT, kUsed, inner} : Shape{Symbol::kT, inner};
  return {.name = StrCat("expert_linear_", Name(type), "_", tokens, each ? "_each" : ""),
          .op = &ops::kExpertLinear,
          .args = {Rows(rows), Weights(type, kExperts, 40, inner), ExpertIds(kUsed, kExperts)},
          .sequences = {{0, tokens}}};
}

ConformanceCase ExpertSwiglu(DType gate, DType up, int32_t tokens) {
  return {.name = StrCat("expert_swiglu_", Name(gate), "_", Name(up), "_", tokens),
          .op = &ops::kExpertSwiglu,
          .args = {Rows({Symbol::kT, 256}), Weights(gate, kExperts, 36, 256),
                   Weights(up, kExperts, 36, 256), ExpertIds(kUsed, kExperts)},
          .sequences = {{0, tokens}}};
}

ConformanceCase Routing(const OpDef* op, int64_t experts, int64_t used, bool normed,
                        int32_t tokens) {
  return {.name = StrCat(op->name, "_", experts, "_", used, normed ? "_normed_" : "_", tokens),
          .op = op,
          .args = {Rows({Symbol::kT, experts})},
          .attrs = {used, normed},
          .sequences = {{0, tokens}}};
}

}  // namespace

std::vector<ConformanceCase> ExpertCases() {
  std::vector<ConformanceCase> cases;
  for (DType type : formats::WeightTypes()) {
    for (int32_t tokens : kExpertTokens) cases.push_back(ExpertLinear(type, tokens, false));
    cases.push_back(ExpertLinear(type, 7, true));
  }
  for (int32_t tokens : kExpertTokens) {
    cases.push_back(ExpertSwiglu(DType::kQ4_K, DType::kQ4_K, tokens));
    cases.push_back(ExpertSwiglu(DType::kQ8_0, DType::kQ6_K, tokens));
    cases.push_back(ExpertSwiglu(DType::kF16, DType::kQ8_0, tokens));
    cases.push_back(ExpertSwiglu(DType::kF32, DType::kF32, tokens));
  }
  for (int32_t tokens : kExpertTokens) {
    for (const OpDef* op : {&ops::kRoute, &ops::kTopK}) {
      cases.push_back(Routing(op, 1, 1, true, tokens));
      cases.push_back(Routing(op, 37, 3, false, tokens));
      cases.push_back(Routing(op, 128, 8, true, tokens));
    }
    for (int64_t columns : {1, 37, 128}) {
      cases.push_back({.name = StrCat("combine_", columns, "_", tokens),
                       .op = &ops::kCombine,
                       .args = {Rows({Symbol::kT, 3, columns}), Rows({Symbol::kT, 3})},
                       .sequences = {{0, tokens}}});
    }
  }
  cases.push_back({.name = "select_rows_i32",
                   .op = &ops::kSelectRows,
                   .args = {ExpertIds(kUsed, kExperts), BatchArg()},
                   .sequences = {{0, 3}, {0, 2}}});
  return cases;
}

}  // namespace infer::conformance
