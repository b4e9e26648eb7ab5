// SPDX-License-Identifier: Apache-2.0
#include "tools/tool_list.h"

namespace infer {

extern const Tool kInferVersion;

std::span<const Tool* const> AllTools() {
  static constexpr const Tool* kTools[] = {
      &kInferVersion,
  };
  return kTools;
}

}  // namespace infer
