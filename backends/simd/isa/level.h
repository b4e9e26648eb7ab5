// SPDX-License-Identifier: Apache-2.0
//
// An instruction-set level: the functions that were compiled for it. One binary holds all levels of
// its architecture; the CPU's flags decide at program start which one runs.
#pragma once

#include <string_view>

#include "backends/simd/isa/linear_kernel.h"
#include "ir/graph/dtype.h"

namespace infer::simd {

struct AttentionKernels;
struct VectorKernels;

struct Level {
  std::string_view name;   // the value of INFER_CPU: "neon", "i8mm", "avx2", "amx"
  std::string_view needs;  // CPU flags, for display: "asimddp i8mm bf16"
  bool (*runs_here)();     // whether this CPU has them
  // Why not, where the CPU has them and the system does not let us use them; else empty.
  std::string_view (*why_not)() = nullptr;
  bool is_for_tests = false;  // only if INFER_CPU names it

  const VectorKernels* vector;                        // norms, rope, swiglu, adds, softmax, argmax
  const AttentionKernels* (*attention)(DType cache);  // nullptr: none for that cache type
  // The same with one numerics class for any number of tokens, where `attention` has several.
  const AttentionKernels* (*attention_invariant)(DType cache) = nullptr;
  const ActivationMaker* makers;                // [kNumActivationForms]; kF32 has none
  const LinearKernel* (*linear)(DType weight);  // nullptr: no kernel for that type
  // For kTileMinRows rows and more, from the same layout. nullptr: none.
  const LinearKernel* (*linear_tiles)(DType weight) = nullptr;
  // The same with one numerics class for any number of tokens, where `linear` has several.
  const LinearKernel* (*linear_invariant)(DType weight) = nullptr;
  const LinearKernel* (*linear_float)(DType weight);  // with f32 activations, "gguf" layout
};

}  // namespace infer::simd
