// SPDX-License-Identifier: Apache-2.0
//
// The products and the attention of a level that has tiles: streams of panels for few rows, tiles
// for more.
#pragma once

#include <algorithm>

#include "backends/simd/isa/attention_kernels.h"
#include "backends/simd/isa/linear_kernel.h"
#include "ir/graph/dtype.h"

namespace infer::simd {

// Up to 16 rows, so that decoding, drafts and batches have one numerics class. There, tiles are no
// faster: widening the weights takes half of their time.
inline constexpr int64_t kStreamRows = 16;

using LinearOf = const LinearKernel* (*)(DType weight);

// Both read the same layout.
template <LinearOf kStream, LinearOf kTiles, DType kType>
struct StreamOrTiles {
  static const LinearKernel* For(int64_t tokens) {
    return tokens <= kStreamRows ? kStream(kType) : kTiles(kType);
  }
  static ActivationForm Form(int64_t tokens) { return For(tokens)->form(tokens); }
  static uint64_t Scratch(int64_t tokens, int64_t inner) {
    const auto scratch = For(tokens)->scratch_bytes;
    return scratch == nullptr ? 0 : scratch(tokens, inner);
  }
  static void Run(const LinearCall& call, int64_t begin, int64_t end) {
    For(call.tokens)->run(call, begin, end);
  }
  static std::string_view Numerics(int64_t fewest, int64_t most) {
    if (For(fewest) != For(most)) return {};
    return For(most)->numerics(fewest, most);
  }

  static const LinearKernel* Kernel() {
    static const LinearKernel kKernel = [] {
      LinearKernel kernel = *kStream(kType);
      kernel.form = Form;
      kernel.scratch_bytes = Scratch;
      kernel.run = Run;
      kernel.numerics = Numerics;
      return kernel;
    }();
    return &kKernel;
  }
};

template <LinearOf kStream, LinearOf kTiles>
const LinearKernel* StreamOrTilesLinear(DType weight) {
  switch (weight) {
    case DType::kF16:
      return StreamOrTiles<kStream, kTiles, DType::kF16>::Kernel();
    case DType::kBF16:
      return StreamOrTiles<kStream, kTiles, DType::kBF16>::Kernel();
    case DType::kQ8_0:
      return StreamOrTiles<kStream, kTiles, DType::kQ8_0>::Kernel();
    case DType::kQ4_0:
      return StreamOrTiles<kStream, kTiles, DType::kQ4_0>::Kernel();
    case DType::kQ4_1:
      return StreamOrTiles<kStream, kTiles, DType::kQ4_1>::Kernel();
    case DType::kQ5_0:
      return StreamOrTiles<kStream, kTiles, DType::kQ5_0>::Kernel();
    case DType::kQ5_1:
      return StreamOrTiles<kStream, kTiles, DType::kQ5_1>::Kernel();
    case DType::kQ2_K:
      return StreamOrTiles<kStream, kTiles, DType::kQ2_K>::Kernel();
    case DType::kQ3_K:
      return StreamOrTiles<kStream, kTiles, DType::kQ3_K>::Kernel();
    case DType::kQ4_K:
      return StreamOrTiles<kStream, kTiles, DType::kQ4_K>::Kernel();
    case DType::kQ5_K:
      return StreamOrTiles<kStream, kTiles, DType::kQ5_K>::Kernel();
    case DType::kQ6_K:
      return StreamOrTiles<kStream, kTiles, DType::kQ6_K>::Kernel();
    case DType::kIQ4_NL:
      return StreamOrTiles<kStream, kTiles, DType::kIQ4_NL>::Kernel();
    case DType::kIQ4_XS:
      return StreamOrTiles<kStream, kTiles, DType::kIQ4_XS>::Kernel();
    case DType::kMXFP4:
      return StreamOrTiles<kStream, kTiles, DType::kMXFP4>::Kernel();
    default:
      return kStream(weight);
  }
}

// Attention of f16 and q8_0 caches: that of every level up to kStreamRows tokens of a sequence.
template <const AttentionKernels* (*kPlain)(DType cache), auto kScratchBytes, auto kMany>
const AttentionKernels* PlainOrTilesAttention(DType cache) {
  const AttentionKernels* plain = kPlain(cache);
  if (cache != DType::kF16 && cache != DType::kQ8_0) return plain;
  static const AttentionKernels kKernels = [&] {
    AttentionKernels kernels = *plain;
    kernels.scratch_bytes = [](int64_t tokens, int64_t group_heads, int64_t head_dim) {
      return std::max(kPlain(DType::kF16)->scratch_bytes(tokens, group_heads, head_dim),
                      kScratchBytes(tokens, group_heads, head_dim));
    };
    kernels.many = kMany;
    kernels.many_from = kStreamRows + 1;
    return kernels;
  }();
  return &kKernels;
}

}  // namespace infer::simd
