// SPDX-License-Identifier: Apache-2.0
#include "tools/verify/rounding.h"

namespace infer {

std::string_view Name(Rounding rounding) {
  constexpr std::string_view kNames[] = {"float", "16-bit cache", "q8_0 cache",
                                         "rounded activations"};
  return kNames[static_cast<int>(rounding)];
}

double ToleranceOf(Rounding rounding) {
  constexpr double kTolerances[] = {1e-4, 0.05, 0.3, 0.3};
  return kTolerances[static_cast<int>(rounding)];
}

Rounding RoundingOf(const Node& node, const KernelRegistry& registry) {
  const KernelInfo* kernel = registry.kernel(node.placement()->kernel);
  if (kernel != nullptr && kernel->rounds_activations) return Rounding::kActivations;
  for (const Value& input : node.inputs()) {
    if (input.type().kind != TypeKind::kKv) continue;
    const DType dtype = input.type().tensor.dtype;
    if (dtype == DType::kQ8_0) return Rounding::kQ8Cache;
    // Vector kernels of attention multiply in 16 bits whatever the cache holds.
    if (dtype != DType::kF32 || node.placement()->target != Target::kScalar) {
      return Rounding::kCache;
    }
  }
  return Rounding::kFloat;
}

}  // namespace infer
