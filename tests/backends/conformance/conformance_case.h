// SPDX-License-Identifier: Apache-2.0
//
// A call of one op as data. Every kernel of the target under test that accepts it is run on it and
// compared with the scalar kernels.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "ir/graph/attr.h"
#include "ir/graph/dtype.h"
#include "ir/graph/op_def.h"
#include "ir/graph/shape.h"

namespace infer::conformance {

// What the activations look like.
enum class Values : uint8_t {
  kPlain,      // between -2 and 2
  kLarge,      // up to 2e15
  kTiny,       // up to 2e-15
  kSubnormal,  // below the smallest normal float
  kZero,
  kOutlier,  // one element in 200 is a hundred times as large as the others
  kUneven,   // runs of 32 elements are zero, a millionth or a million times as large
  kNan,      // one NaN in the last row
  kInf,      // one infinity in the first row
};

// An input of the op.
struct Arg {
  enum class Kind : uint8_t { kRows, kWeight, kNorm, kIndices, kCache, kBatch };
  Kind kind = Kind::kRows;
  Shape shape = {};  // of a cache: kv_heads, head_dim
  DType dtype = DType::kF32;
  int64_t below = 0;  // indices are less than this
};

inline Arg Rows(Shape shape) { return {Arg::Kind::kRows, shape}; }
inline Arg Weight(DType dtype, int64_t rows, int64_t columns) {
  return {Arg::Kind::kWeight, {rows, columns}, dtype};
}
// One matrix for each expert.
inline Arg Weights(DType dtype, int64_t experts, int64_t rows, int64_t columns) {
  return {Arg::Kind::kWeight, {experts, rows, columns}, dtype};
}
inline Arg Norm(Dim columns) { return {Arg::Kind::kNorm, {columns}}; }
inline Arg Indices(int64_t below) {
  return {Arg::Kind::kIndices, {Symbol::kT}, DType::kI32, below};
}
inline Arg ExpertIds(int64_t used, int64_t experts) {
  return {Arg::Kind::kIndices, {Symbol::kT, used}, DType::kI32, experts};
}
inline Arg Cache(DType dtype, int64_t kv_heads, int64_t head_dim) {
  return {Arg::Kind::kCache, {kv_heads, head_dim}, dtype};
}
inline Arg BatchArg() { return {Arg::Kind::kBatch}; }

// The part of a sequence in the call: entries that are in the cache already, and new tokens.
struct SequencePart {
  int32_t history = 0;
  int32_t tokens = 1;
};

struct ConformanceCase {
  std::string name = {};  // letters, digits and underscores
  const OpDef* op = nullptr;
  std::vector<Arg> args;
  std::vector<Attr> attrs = {};
  std::vector<SequencePart> sequences = {{}};  // their tokens make T
  int32_t block_positions = 64;
  Values values = Values::kPlain;
};

inline std::ostream& operator<<(std::ostream& out, const ConformanceCase& c) {
  return out << c.name;
}

// All cases, op by op. To add one, add a line to the file of its op's kind.
std::vector<ConformanceCase> AllCases();
std::vector<ConformanceCase> ExpertCases();
std::vector<ConformanceCase> LinearCases();
std::vector<ConformanceCase> RowCases();
std::vector<ConformanceCase> HeadCases();  // those that know positions or the cache

std::string NameOf(Values values);

}  // namespace infer::conformance
