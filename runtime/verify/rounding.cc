// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify/rounding.h"

namespace infer {

std::string_view Name(Rounding rounding) {
  constexpr std::string_view kNames[] = {"float", "16-bit cache", "q8_0 cache",
                                         "rounded activations"};
  return kNames[static_cast<int>(rounding)];
}

double ToleranceOf(Rounding rounding) {
  // 1e-4 is what f32 paths guarantee; 4e-6 was measured after 28 layers. The others are three times
  // the worst measured against `reference`: 0.026, 0.064 and 0.119, all on the bundled model; 28
  // layers of a 0.6B model had 0.017 and 0.083.
  constexpr double kTolerances[] = {1e-4, 0.08, 0.2, 0.35};
  return kTolerances[static_cast<int>(rounding)];
}

Rounding RoundingOf(const Node& node, const KernelRegistry& registry) {
  const KernelInfo* kernel = registry.kernel(node.placement()->kernel);
  if (kernel != nullptr && kernel->rounds_activations) return Rounding::kActivations;
  for (const Value& input : node.inputs()) {
    if (input.type().kind != TypeKind::kKv) continue;
    const DType dtype = input.type().tensor.dtype;
    if (dtype == DType::kQ8_0) return Rounding::kQ8Cache;
    if (dtype != DType::kF32) return Rounding::kCache;
  }
  return Rounding::kFloat;
}

}  // namespace infer
