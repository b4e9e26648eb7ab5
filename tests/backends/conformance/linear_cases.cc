// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "backends/formats/dequantize_row.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "tests/backends/conformance/conformance_case.h"

namespace infer::conformance {
namespace {

struct Product {
  int32_t tokens;
  int64_t outputs;
  int64_t blocks;  // of the weight's type in a row
};

// One output and one token; tails of every panel and tile width in use; more than one tile and
// group of tokens; rows of one block, of an odd number of blocks, and longer than any group.
constexpr Product kProducts[] = {{1, 1, 1},    {1, 7, 3},   {1, 33, 1},  {1, 64, 8},  {2, 31, 2},
                                 {3, 32, 5},   {4, 40, 4},  {5, 9, 1},   {6, 66, 3},  {7, 8, 2},
                                 {8, 65, 9},   {9, 24, 1},  {12, 17, 4}, {13, 96, 7}, {16, 1, 6},
                                 {31, 100, 2}, {70, 35, 3}, {1, 33, 2},  {5, 64, 1},  {14, 40, 3}};

// As large as a small model's, for the types that most files have; here `blocks` are elements.
constexpr Product kModelProducts[] = {{1, 256, 3072}, {4, 96, 1024}, {130, 64, 1024}};
// Of sequences that each have a few tokens in the call.
constexpr Product kSharedProducts[] = {{12, 24, 1280}, {20, 33, 512}, {33, 40, 1024}};
constexpr DType kCommonTypes[] = {DType::kF16,  DType::kBF16, DType::kQ8_0,
                                  DType::kQ4_0, DType::kQ4_K, DType::kQ6_K};

// Plain types have rows of any length.
constexpr int64_t kOddInner[] = {1, 3, 17, 37, 65, 130, 255, 257, 515};

// Where other numbers than plain ones are tried: as a matrix-vector and as a matrix-matrix product.
constexpr Product kSpecial[] = {{1, 40, 4}, {11, 40, 4}};
constexpr Values kSpecialValues[] = {Values::kLarge, Values::kTiny,    Values::kSubnormal,
                                     Values::kZero,  Values::kOutlier, Values::kUneven,
                                     Values::kNan,   Values::kInf};

// Elements that count as a block: all of a short row for plain types.
int64_t BlockOf(DType type) { return IsQuantized(type) ? Info(type).block_elements : 40; }

ConformanceCase Linear(DType type, const Product& p, int64_t inner, Values values) {
  return {.name = StrCat("linear_", Name(type), "_", p.tokens, "x", p.outputs, "x", inner,
                         values == Values::kPlain ? "" : "_", NameOf(values)),
          .op = &ops::kLinear,
          .args = {Rows({Symbol::kT, inner}), Weight(type, p.outputs, inner)},
          .sequences = {{0, p.tokens}},
          .values = values};
}

// Of heads as attention decomposes into, and tails of every tile; here `blocks` are the inner size.
constexpr Product kMatmuls[] = {{1, 1, 1},    {1, 17, 64}, {2, 5, 33},    {3, 7, 5},
                                {4, 64, 64},  {5, 100, 3}, {9, 33, 37},   {1, 700, 64},
                                {1, 64, 700}, {6, 16, 16}, {70, 67, 128}, {70, 128, 67}};

ConformanceCase Matmul(const Product& p, Values values) {
  return {.name = StrCat("matmul_", p.tokens, "x", p.outputs, "x", p.blocks,
                         values == Values::kPlain ? "" : "_", NameOf(values)),
          .op = &ops::kMatmul,
          .args = {Rows({Symbol::kT, p.blocks}), Rows({p.blocks, p.outputs})},
          .sequences = {{0, p.tokens}},
          .values = values};
}

ConformanceCase MultiLinear(std::string_view name, std::vector<DType> types, int32_t tokens) {
  ConformanceCase c = {.name = StrCat("multi_linear_", name, "_", tokens),
                       .op = &ops::kMultiLinear,
                       .args = {Rows({Symbol::kT, 512})},
                       .sequences = {{0, tokens}}};
  int64_t outputs = 64;
  for (DType type : types) {
    c.args.push_back(Weight(type, outputs, 512));
    outputs = outputs / 2 + 1;  // 64, 33, 17
  }
  return c;
}

}  // namespace

std::vector<ConformanceCase> LinearCases() {
  std::vector<ConformanceCase> cases;
  for (DType type : formats::WeightTypes()) {
    for (const Product& p : kProducts) {
      cases.push_back(Linear(type, p, p.blocks * BlockOf(type), Values::kPlain));
    }
    for (int64_t inner : kOddInner) {
      if (IsQuantized(type)) break;
      for (int32_t tokens : {1, 4, 9}) {
        cases.push_back(Linear(type, {tokens, 35, 0}, inner, Values::kPlain));
      }
    }
    for (Values values : kSpecialValues) {
      for (const Product& p : kSpecial) {
        cases.push_back(Linear(type, p, p.blocks * BlockOf(type), values));
      }
    }
  }
  for (DType type : kCommonTypes) {
    for (const Product& p : kModelProducts) {
      cases.push_back(Linear(type, p, p.blocks, Values::kPlain));
    }
    for (const Product& p : kSharedProducts) {
      ConformanceCase shared = Linear(type, p, p.blocks, Values::kPlain);
      shared.name += "_shared";
      shared.sequences.assign(p.tokens, {0, 1});
      cases.push_back(std::move(shared));
    }
  }
  for (DType type : {DType::kF16, DType::kQ8_0}) {  // more than a large GPU computes at once
    cases.push_back(Linear(type, {3, 4300, 128}, 128, Values::kPlain));
  }
  for (const Product& p : kMatmuls) cases.push_back(Matmul(p, Values::kPlain));
  for (Values values : kSpecialValues) {
    for (const Product& p : kSpecial) cases.push_back(Matmul(p, values));
  }
  for (int32_t tokens : {1, 7, 20}) {
    cases.push_back(MultiLinear("same", {DType::kQ8_0, DType::kQ8_0, DType::kQ8_0}, tokens));
    cases.push_back(MultiLinear("mixed", {DType::kQ4_K, DType::kQ4_K, DType::kQ6_K}, tokens));
    cases.push_back(MultiLinear("forms", {DType::kF16, DType::kQ4_0, DType::kF32}, tokens));
  }
  return cases;
}

}  // namespace infer::conformance
