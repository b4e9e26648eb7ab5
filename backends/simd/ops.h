// SPDX-License-Identifier: Apache-2.0
//
// The simd kernels other than products and attention: one function per op, built on the row-wise
// functions of the chosen level. Units are rows, as in the scalar kernels, and in-place results are
// allowed in the same places. Ops that only move rows have no function here: kernels.cc uses
// scalar's.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/kernel.h"

namespace infer::simd {

void Add(const KernelArgs& args, int64_t begin, int64_t end);
void AddRmsNorm(const KernelArgs& args, int64_t begin, int64_t end);
void AddScalar(const KernelArgs& args, int64_t begin, int64_t end);
void Argmax(const KernelArgs& args, int64_t begin, int64_t end);
void AttentionInputs(const KernelArgs& args, int64_t begin, int64_t end);
int64_t AttentionInputsUnits(const KernelArgs& args);
std::shared_ptr<const void> BindAttentionInputs(const Node& node);
void Combine(const KernelArgs& args, int64_t begin, int64_t end);
void KvWrite(const KernelArgs& args, int64_t begin, int64_t end);
std::shared_ptr<const void> BindKvWrite(const Node& node);
void Matmul(const KernelArgs& args, int64_t begin, int64_t end);
void Mul(const KernelArgs& args, int64_t begin, int64_t end);
void QkNormRope(const KernelArgs& args, int64_t begin, int64_t end);
void RmsNorm(const KernelArgs& args, int64_t begin, int64_t end);
void Rope(const KernelArgs& args, int64_t begin, int64_t end);
void Route(const KernelArgs& args, int64_t begin, int64_t end);
uint64_t RouteScratchBytes(const Node& node, const SymbolRanges& symbols);
void RowSumSquares(const KernelArgs& args, int64_t begin, int64_t end);
void Rsqrt(const KernelArgs& args, int64_t begin, int64_t end);
void Scale(const KernelArgs& args, int64_t begin, int64_t end);
void Silu(const KernelArgs& args, int64_t begin, int64_t end);
void Softmax(const KernelArgs& args, int64_t begin, int64_t end);
void Swiglu(const KernelArgs& args, int64_t begin, int64_t end);
int64_t SwigluUnits(const KernelArgs& args);
Partition SwigluPartition(const Node& node);

}  // namespace infer::simd
