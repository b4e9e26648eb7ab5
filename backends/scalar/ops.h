// SPDX-License-Identifier: Apache-2.0
//
// The scalar kernels: one function per op, one file per function. They are the reference for the
// other targets, so each defines its op with the plainest possible loop.
//
// Arithmetic is in double and rounded to float once, when a result is stored. In practice a kernel
// therefore gives the float nearest to the true value, and the order of a sum hardly matters.
//
// A function computes units [begin, end) of its node; kernels.cc defines the units. If the op's
// record names an in_place_input, output 0 may be that input's memory.
#pragma once

#include <cstdint>

#include "runtime/kernel.h"

namespace infer::scalar {

void Add(const KernelArgs& args, int64_t begin, int64_t end);
void AddScalar(const KernelArgs& args, int64_t begin, int64_t end);
void Argmax(const KernelArgs& args, int64_t begin, int64_t end);
void AttnMask(const KernelArgs& args, int64_t begin, int64_t end);
void BroadcastRows(const KernelArgs& args, int64_t begin, int64_t end);
void ConcatColumns(const KernelArgs& args, int64_t begin, int64_t end);
void Copy(const KernelArgs& args, int64_t begin, int64_t end);
void Embed(const KernelArgs& args, int64_t begin, int64_t end);
void ExpertLinear(const KernelArgs& args, int64_t begin, int64_t end);
void GatherRows(const KernelArgs& args, int64_t begin, int64_t end);
void KvRead(const KernelArgs& args, int64_t begin, int64_t end);
void KvWrite(const KernelArgs& args, int64_t begin, int64_t end);
void Linear(const KernelArgs& args, int64_t begin, int64_t end);
void Matmul(const KernelArgs& args, int64_t begin, int64_t end);
void Mul(const KernelArgs& args, int64_t begin, int64_t end);
void Rope(const KernelArgs& args, int64_t begin, int64_t end);
void RowSumSquares(const KernelArgs& args, int64_t begin, int64_t end);
void Rsqrt(const KernelArgs& args, int64_t begin, int64_t end);
void Scale(const KernelArgs& args, int64_t begin, int64_t end);
void SelectRows(const KernelArgs& args, int64_t begin, int64_t end);
void Silu(const KernelArgs& args, int64_t begin, int64_t end);
void SliceColumns(const KernelArgs& args, int64_t begin, int64_t end);
void Softmax(const KernelArgs& args, int64_t begin, int64_t end);
void TopK(const KernelArgs& args, int64_t begin, int64_t end);
void Transpose(const KernelArgs& args, int64_t begin, int64_t end);

}  // namespace infer::scalar
