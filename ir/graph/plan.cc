// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/plan.h"

namespace infer {
namespace {
constexpr std::string_view kModeNames[] = {"serial", "sliced"};
}

std::string_view Name(StepMode mode) { return kModeNames[static_cast<int>(mode)]; }

std::optional<StepMode> FindStepMode(std::string_view name) {
  for (int i = 0; i < 2; ++i) {
    if (kModeNames[i] == name) return static_cast<StepMode>(i);
  }
  return std::nullopt;
}

}  // namespace infer
