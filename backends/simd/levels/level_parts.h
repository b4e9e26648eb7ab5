// SPDX-License-Identifier: Apache-2.0
//
// Declares what the sources that are compiled for every level define, in each level's namespace.
#pragma once

#include "backends/simd/isa/attention_kernels.h"
#include "backends/simd/isa/linear_kernel.h"
#include "backends/simd/isa/vector_kernels.h"
#include "ir/graph/dtype.h"

// The products with packed panels, and those of AMX tiles.
#define INFER_SIMD_DECLARE_PANELS(level)              \
  namespace infer::simd::level {                      \
  const LinearKernel* PanelLinear(DType weight);      \
  const LinearKernel* QuantPanelLinear(DType weight); \
  }
#define INFER_SIMD_DECLARE_TILES(level)                                                      \
  namespace infer::simd::level {                                                             \
  extern const ActivationMaker kBf16TilesMaker;                                              \
  const LinearKernel* TileLinear(DType weight);                                              \
  void TileAttention(const AttentionCall& call);                                             \
  void TileAttentionRange(const AttentionCall& call, int64_t begin, int64_t end,             \
                          const AttentionPart& part);                                        \
  uint64_t TileAttentionScratchBytes(int64_t tokens, int64_t group_heads, int64_t head_dim); \
  }

#define INFER_SIMD_DECLARE_LEVEL(level)                         \
  namespace infer::simd::level {                                \
  extern const VectorKernels kVectorKernels;                    \
  const AttentionKernels* PlainAttention(DType cache);          \
  extern const ActivationMaker kInt8RowsMaker;                  \
  extern const ActivationMaker kRowMakers[kNumActivationForms]; \
  const LinearKernel* PlainRowLinear(DType weight);             \
  const LinearKernel* RowLinearFloat(DType weight);             \
  }
