// SPDX-License-Identifier: Apache-2.0
#include "frontends/families.h"

#include "frontends/llama/family.h"
#include "frontends/qwen2/family.h"
#include "frontends/qwen3/family.h"

namespace infer {

std::span<const ModelFamily* const> AllFamilies() {
  static constexpr const ModelFamily* kFamilies[] = {
      &kQwen3Family,
      &kQwen3MoeFamily,
      &kQwen2Family,
      &kLlamaFamily,
  };
  return kFamilies;
}

}  // namespace infer
