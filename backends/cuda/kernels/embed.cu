// SPDX-License-Identifier: Apache-2.0
//
// A thread per unit of a row.
#include "backends/cuda/kernels/weights.h"

namespace infer::cuda {

template <Type kType>
DEVICE inline void Embed(const EmbedArgs& args) {
  LetNextStart();
  WaitForPrevious();
  constexpr int kElements = UnitElements(kType);
  const uint32_t units = args.columns / kElements;
  const uint32_t unit = static_cast<uint32_t>(BlockX()) * kElementThreads + ThreadIndex();
  if (unit >= units) return;
  const uint32_t token = BlockY();
  const uint64_t row = static_cast<uint64_t>(args.tokens[token]);
  float* out = args.out + static_cast<uint64_t>(token) * args.columns + unit * kElements;
  ForEachElement(LoadUnit<kType>(args.table, row * units + unit),
                 [&](int i, float value) { out[i] = value; });
}

INFER_KERNEL(embed_f32, EmbedArgs) { Embed<Type::kF32>(args); }
INFER_KERNEL(embed_f16, EmbedArgs) { Embed<Type::kF16>(args); }
INFER_KERNEL(embed_bf16, EmbedArgs) { Embed<Type::kBf16>(args); }
INFER_KERNEL(embed_q8_0, EmbedArgs) { Embed<Type::kQ8_0>(args); }
INFER_KERNEL(embed_q4_0, EmbedArgs) { Embed<Type::kQ4_0>(args); }
INFER_KERNEL(embed_q4_k, EmbedArgs) { Embed<Type::kQ4K>(args); }
INFER_KERNEL(embed_q5_k, EmbedArgs) { Embed<Type::kQ5K>(args); }
INFER_KERNEL(embed_q6_k, EmbedArgs) { Embed<Type::kQ6K>(args); }

}  // namespace infer::cuda
