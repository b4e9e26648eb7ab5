// SPDX-License-Identifier: Apache-2.0
#include "backends/formats/dequantize_row.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "tests/backends/conformance/conformance_case.h"

namespace infer::conformance {
namespace {

constexpr int32_t kTokens = 3;
// One element; less than, equal to and more than a vector of 4, 8 and 16; a model's.
constexpr int64_t kColumns[] = {1, 3, 4, 7, 8, 15, 16, 17, 33, 64, 100, 1024};
constexpr Values kAllValues[] = {Values::kPlain, Values::kLarge,  Values::kTiny, Values::kSubnormal,
                                 Values::kZero,  Values::kUneven, Values::kNan,  Values::kInf};
constexpr double kEps = 1e-6;

// An op on rows of `columns` elements.
struct RowOp {
  const OpDef* op;
  std::vector<Arg> (*args)(int64_t columns);
  std::vector<Attr> attrs = {};
};

std::vector<Arg> One(int64_t columns) { return {Rows({Symbol::kT, columns})}; }
std::vector<Arg> Two(int64_t columns) {
  return {Rows({Symbol::kT, columns}), Rows({Symbol::kT, columns})};
}
std::vector<Arg> OneAndVector(int64_t columns) {
  return {Rows({Symbol::kT, columns}), Norm(columns)};
}

std::vector<RowOp> RowOps() {
  return {{&ops::kAdd, Two},
          {&ops::kAdd, OneAndVector},
          {&ops::kMul, Two},
          {&ops::kMul, OneAndVector},
          {&ops::kScale, One, {0.1}},
          {&ops::kAddScalar, One, {1e-6}},
          {&ops::kSilu, One},
          {&ops::kSwiglu, Two},
          {&ops::kRowSumSquares, One},
          {&ops::kRmsNorm, OneAndVector, {kEps}},
          {&ops::kAddRmsNorm,
           [](int64_t columns) {
             return std::vector<Arg>{Rows({Symbol::kT, columns}), Rows({Symbol::kT, columns}),
                                     Norm(columns)};
           },
           {kEps}},
          {&ops::kSoftmax, One},
          {&ops::kArgmax, One},
          {&ops::kCopy, One},
          {&ops::kTranspose, One}};
}

ConformanceCase Row(const RowOp& op, int64_t columns, Values values) {
  ConformanceCase c = {.op = op.op,
                       .args = op.args(columns),
                       .attrs = op.attrs,
                       .sequences = {{0, kTokens}},
                       .values = values};
  c.name = StrCat(op.op->name, "_", c.args.back().kind == Arg::Kind::kNorm ? "vector_" : "",
                  columns, values == Values::kPlain ? "" : "_", NameOf(values));
  return c;
}

ConformanceCase Embed(DType type) {
  const int64_t columns = IsQuantized(type) ? 2 * Info(type).block_elements : 37;
  return {.name = StrCat("embed_", Name(type)),
          .op = &ops::kEmbed,
          .args = {Weight(type, 11, columns), Indices(11)},
          .sequences = {{0, 5}}};
}

ConformanceCase Moving(std::string_view name, const OpDef* op, std::vector<Arg> args,
                       std::vector<Attr> attrs = {}) {
  return {.name = std::string(name),
          .op = op,
          .args = std::move(args),
          .attrs = std::move(attrs),
          .sequences = {{0, kTokens}}};
}

}  // namespace

std::vector<ConformanceCase> RowCases() {
  std::vector<ConformanceCase> cases;
  for (const RowOp& op : RowOps()) {
    for (int64_t columns : kColumns) cases.push_back(Row(op, columns, Values::kPlain));
    for (Values values : kAllValues) cases.push_back(Row(op, 200, values));
  }
  for (DType type : formats::WeightTypes()) cases.push_back(Embed(type));
  cases.push_back(Moving("rsqrt", &ops::kRsqrt, {Norm(37)}));
  cases.push_back(Moving("rsqrt_rows", &ops::kRsqrt, {Norm(Symbol::kT)}));
  cases.push_back(
      Moving("broadcast_rows", &ops::kBroadcastRows, {Rows({Symbol::kT})}, {int64_t{19}}));
  cases.push_back(Moving("gather_rows", &ops::kGatherRows, {Rows({9, 21}), Indices(9)}));
  cases.push_back(Moving("select_rows", &ops::kSelectRows, {Rows({Symbol::kT, 21}), BatchArg()}));
  cases.push_back(Moving("slice_columns", &ops::kSliceColumns, {Rows({Symbol::kT, 21})},
                         {int64_t{3}, int64_t{11}}));
  cases.push_back(Moving("concat_columns", &ops::kConcatColumns,
                         {Rows({Symbol::kT, 5}), Rows({Symbol::kT, 21})}));
  return cases;
}

}  // namespace infer::conformance
