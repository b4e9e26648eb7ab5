// SPDX-License-Identifier: Apache-2.0
#include "frontends/families.h"

#include "frontends/qwen3/family.h"

namespace infer {

std::span<const ModelFamily* const> AllFamilies() {
  static constexpr const ModelFamily* kFamilies[] = {
      &kQwen3Family,
      &kQwen3MoeFamily,
  };
  return kFamilies;
}

}  // namespace infer
