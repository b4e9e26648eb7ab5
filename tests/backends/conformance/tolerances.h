// SPDX-License-Identifier: Apache-2.0
//
// How far a kernel may be from the scalar kernels: one table for all ops, in line with the table in
// backends/README.md. The unit is 2^-24, half the distance between 1 and the next float.
#pragma once

#include <span>
#include <string_view>

#include "ir/ops/ops.h"

namespace infer::conformance {

// What an error is measured against, for each element.
enum class Measure {
  kExact,    // nothing: the same bits, but any NaN for a NaN
  kResult,   // the element itself
  kAddend,   // the element itself or the scalar that was added, whichever is larger
  kPair,     // the length of the pair that rotations turn
  kProduct,  // see ProductTolerance
  kTerms,    // the sum of the absolute values of the terms
  kVisible,  // the largest value in the cache
};

struct Tolerance {
  const OpDef* op;
  int result;  // number of the tensor among the op's tensors
  Measure measure;
  double units;           // at most so many
  double units_per_sqrt;  // and so many for each root of the number of columns
  std::string_view reason;
};

inline constexpr double kUnit = 0x1p-24;
// A result below this may be zero: vectors' exponentials have no subnormal results, and a product
// of a small weight and a small value may lose its last bits before it is stored.
inline constexpr double kFloor = 0x1p-126;

inline constexpr Tolerance kTolerances[] = {
    {&ops::kAdd, 0, Measure::kExact, 0, 0, "one rounding, as IEEE 754 has it"},
    {&ops::kMul, 0, Measure::kExact, 0, 0, "one rounding, as IEEE 754 has it"},
    {&ops::kCopy, 0, Measure::kExact, 0, 0, "moves bits"},
    {&ops::kTranspose, 0, Measure::kExact, 0, 0, "moves bits"},
    {&ops::kBroadcastRows, 0, Measure::kExact, 0, 0, "moves bits"},
    {&ops::kGatherRows, 0, Measure::kExact, 0, 0, "moves bits"},
    {&ops::kSelectRows, 0, Measure::kExact, 0, 0, "moves bits"},
    {&ops::kSliceColumns, 0, Measure::kExact, 0, 0, "moves bits"},
    {&ops::kConcatColumns, 0, Measure::kExact, 0, 0, "moves bits"},
    {&ops::kAttnMask, 0, Measure::kExact, 0, 0, "moves bits"},
    {&ops::kKvRead, 0, Measure::kExact, 0, 0, "the format defines each value"},
    {&ops::kKvRead, 1, Measure::kExact, 0, 0, "the format defines each value"},
    {&ops::kEmbed, 0, Measure::kExact, 0, 0, "the format defines each value"},
    {&ops::kScale, 0, Measure::kResult, 4, 0, "the factor is rounded to a float first"},
    {&ops::kAddScalar, 0, Measure::kAddend, 4, 0, "the addend is rounded to a float first"},
    {&ops::kRsqrt, 0, Measure::kResult, 4, 0, "a root and a division"},
    {&ops::kSilu, 0, Measure::kResult, 16, 0, "a polynomial for the exponential"},
    {&ops::kSwiglu, 0, Measure::kResult, 20, 0, "silu and a product"},
    {&ops::kSoftmax, 0, Measure::kResult, 16, 1, "a polynomial, and a sum of floats"},
    {&ops::kArgmax, 0, Measure::kExact, 0, 0, "the first of the largest"},
    {&ops::kArgmax, 1, Measure::kResult, 16, 1, "a polynomial, and a sum of floats"},
    {&ops::kRowSumSquares, 0, Measure::kResult, 2, 1, "a sum of floats, all of one sign"},
    {&ops::kRmsNorm, 0, Measure::kResult, 8, 1, "a sum of floats, a root and two products"},
    {&ops::kAddRmsNorm, 0, Measure::kExact, 0, 0, "the sum: one rounding"},
    {&ops::kAddRmsNorm, 1, Measure::kResult, 8, 1, "a sum of floats, a root and two products"},
    {&ops::kRope, 0, Measure::kPair, 16, 0, "polynomials for sine and cosine, at the same angle"},
    {&ops::kQkNormRope, 0, Measure::kPair, 32, 1, "a norm and a rotation"},
    {&ops::kQkNormRope, 1, Measure::kPair, 32, 1, "a norm and a rotation"},
    {&ops::kAttentionInputs, 0, Measure::kPair, 32, 1, "q: a norm and a rotation"},
    {&ops::kTopK, 0, Measure::kExact, 0, 0, "the first of the largest"},
    {&ops::kTopK, 1, Measure::kResult, 8, 0, "a short sum of floats, and a division"},
    {&ops::kRoute, 0, Measure::kExact, 0, 0, "the first of the largest"},
    {&ops::kRoute, 1, Measure::kResult, 40, 2, "softmax, and a division"},
    {&ops::kCombine, 0, Measure::kTerms, 8, 0, "a short sum of floats"},
    {&ops::kExpertLinear, 0, Measure::kProduct, 0, 0, ""},
    {&ops::kExpertSwiglu, 0, Measure::kProduct, 0, 0, ""},
    {&ops::kLinear, 0, Measure::kProduct, 0, 0, ""},
    {&ops::kLinearAdd, 0, Measure::kProduct, 0, 0, ""},
    {&ops::kMatmul, 0, Measure::kProduct, 0, 0, ""},
    {&ops::kMultiLinear, 0, Measure::kProduct, 0, 0, ""},
    {&ops::kMultiLinear, 1, Measure::kProduct, 0, 0, ""},
    {&ops::kMultiLinear, 2, Measure::kProduct, 0, 0, ""},
    {&ops::kNormLinear, 0, Measure::kProduct, 0, 0, ""},
    {&ops::kNormLinear, 1, Measure::kProduct, 0, 0, ""},
    {&ops::kNormLinear, 2, Measure::kProduct, 0, 0, ""},
    {&ops::kNormSwiglu, 0, Measure::kProduct, 0, 0, ""},
    // 1e-4: scores of length sqrt(head_dim) in floats, and their exponentials. With bf16 the
    // probabilities and both factors of each product have 8 bits.
    {&ops::kAttention, 0, Measure::kVisible, 1e-4 / kUnit, 0, "f32 sums"},
    {&ops::kSelfAttention, 0, Measure::kVisible, 1e-4 / kUnit, 0, "f32 sums"},
};

// The values of a q8_0 cache may be widened to f16, whose last bit is far below a step of q8_0.
inline constexpr double kQ8_0Attention = 0x1p-10;

// Attention of many tokens at levels that multiply in bf16: each factor is off by up to 2^-9 of
// itself, scores by that times |q| |k| / sqrt(head_dim), here up to 3.
inline constexpr double kBf16Attention = 0x1p-6;
// The same of levels that round q and the weights to f16, each off by up to 2^-12 of itself.
inline constexpr double kF16Attention = 0x1p-9;

// Products. Of each sum w[0] x[0] + ... + w[K-1] x[K-1] the error is given as a standard deviation
// that follows from the numbers; one element may be off by kSigmas of it, and all of a call
// together, as a root mean square, by kRmsSigmas (a call has few elements, so 1.5 and not 1).
//
//  * Floats on both sides: sqrt(K) units of the sum of absolute values. Weights with a minimum are
//    allowed kMinimumFactor times as much: their parts are larger than they are.
//  * Activations in int8: an activation is rounded to a step of 1/127 of the largest in its group,
//    and errors are spread evenly, step / sqrt(12). Groups of up to kInt8Group elements are
//    allowed; a scale for a whole row is not, which the cases with outliers show.
//  * F16 and BF16 weights: both factors with 8 bits, each off by 2^-9 / sqrt(3) of itself, together
//    less than 2^-9; f16 activations have more bits, but with one scale for a row.
inline constexpr double kSigmas = 6;
inline constexpr double kRmsSigmas = 1.5;
inline constexpr int64_t kInt8Group = 256;
inline constexpr double kInt8Steps = 127;
inline constexpr double kBf16Sigma = 0x1p-9;
inline constexpr double kF16RowSigma = 0x1p-22;  // of the row's largest element
inline constexpr double kMinimumFactor = 4;

// What is stored in a cache after a norm and a rotation may be the neighbour of what scalar stores.
inline constexpr double kCacheF16 = 0x1p-10;     // of the element
inline constexpr double kCacheQ8_0 = 1.1 / 127;  // of the block's largest

// Logits of a whole model with every node on metal, by the type of its cache.
struct ModelTolerance {
  DType cache;
  // Against primitives on scalar with the same cache, as a part of the logits' root mean square:
  // sums of floats in another order, and now and then a neighbour in the cache. Seen: 2e-6, 8e-5,
  // 8e-4.
  double same_cache;
  // Against `reference`, whose cache is f32: logits of the bundled model. Seen: 2e-5, 0.011,
  // 0.29.
  double reference;
};
inline constexpr ModelTolerance kModelTolerances[] = {
    {DType::kF32, 2e-5, 2e-4}, {DType::kF16, 3e-4, 0.02}, {DType::kQ8_0, 3e-3, 0.5}};
constexpr const ModelTolerance& ToleranceWith(DType cache) {
  return kModelTolerances[cache == DType::kF32 ? 0 : cache == DType::kF16 ? 1 : 2];
}

}  // namespace infer::conformance
