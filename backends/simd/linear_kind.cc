// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/linear_kind.h"

#include "backends/simd/levels/choose_level.h"

namespace infer::simd {

bool HasTiles(DType weight) {
  const Level& level = *ChosenLevel().level;
  return level.linear_tiles != nullptr && level.linear_tiles(weight) != nullptr;
}

const LinearKernel* KernelFor(DType weight, LinearKind kind) {
  const Level& level = *ChosenLevel().level;
  switch (kind) {
    case LinearKind::kTiles:
      return HasTiles(weight) ? level.linear_tiles(weight) : level.linear(weight);
    case LinearKind::kFast:
      return level.linear(weight);
    case LinearKind::kInvariant:
      return level.linear_invariant == nullptr ? nullptr : level.linear_invariant(weight);
    case LinearKind::kFloat:
      return level.linear_float(weight);
  }
  return nullptr;
}

}  // namespace infer::simd
