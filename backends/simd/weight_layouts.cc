// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/weight_layouts.h"

#include <vector>

#include "backends/simd/levels/choose_level.h"
#include "backends/simd/linear_kind.h"
#include "ir/graph/plan.h"

namespace infer::simd {
namespace {

// A type that some level packs.
struct PackedType {
  DType dtype;
  std::string_view layout;
  std::string_view invariant_layout;  // where the second products have their own
};
constexpr PackedType kPackedTypes[] = {
    {DType::kF32, "f32_simd", "f32_invariant_simd"},
    {DType::kF16, "f16_simd", "f16_invariant_simd"},
    {DType::kBF16, "bf16_simd", "bf16_invariant_simd"},
    {DType::kQ4_0, "q4_0_simd", "q4_0_invariant_simd"},
    {DType::kQ4_1, "q4_1_simd", "q4_1_invariant_simd"},
    {DType::kQ5_0, "q5_0_simd", "q5_0_invariant_simd"},
    {DType::kQ5_1, "q5_1_simd", "q5_1_invariant_simd"},
    {DType::kQ8_0, "q8_0_simd", "q8_0_invariant_simd"},
    {DType::kQ2_K, "q2_k_simd", "q2_k_invariant_simd"},
    {DType::kQ3_K, "q3_k_simd", "q3_k_invariant_simd"},
    {DType::kQ4_K, "q4_k_simd", "q4_k_invariant_simd"},
    {DType::kQ5_K, "q5_k_simd", "q5_k_invariant_simd"},
    {DType::kQ6_K, "q6_k_simd", "q6_k_invariant_simd"},
    {DType::kIQ4_NL, "iq4_nl_simd", "iq4_nl_invariant_simd"},
    {DType::kIQ4_XS, "iq4_xs_simd", "iq4_xs_invariant_simd"},
    {DType::kMXFP4, "mxfp4_simd", "mxfp4_invariant_simd"},
};

WeightLayout LayoutOf(std::string_view name, const LinearKernel* kernel) {
  WeightLayout layout;
  layout.name = name;
  if (kernel == nullptr || kernel->pack == nullptr) return layout;
  layout.variant = kernel->layout;
  layout.panel_rows = kernel->panel_outputs;
  layout.bytes = kernel->packed_bytes;
  layout.pack = kernel->pack;
  return layout;
}

}  // namespace

std::span<const WeightLayout> WeightLayouts() {
  static const std::vector<WeightLayout> layouts = [] {
    std::vector<WeightLayout> made;
    const bool any = ChosenLevel().level != nullptr;
    for (const PackedType& packed : kPackedTypes) {
      const LinearKernel* fast = any ? KernelFor(packed.dtype, LinearKind::kFast) : nullptr;
      const LinearKernel* invariant =
          any ? KernelFor(packed.dtype, LinearKind::kInvariant) : nullptr;
      made.push_back(LayoutOf(packed.layout, fast));
      if (invariant != nullptr && invariant->pack != nullptr && invariant->layout != fast->layout) {
        made.push_back(LayoutOf(packed.invariant_layout, invariant));
      }
    }
    return made;
  }();
  return layouts;
}

std::string_view PackedLayout(const Node& node, int input) {
  const ValueType& type = node.input(input).type();
  for (const PackedType& packed : kPackedTypes) {
    if (type.is_tensor(packed.dtype) && input > 0) return packed.layout;
  }
  return kGgufLayout;
}

std::string_view InvariantLayout(const Node& node, int input) {
  const ValueType& type = node.input(input).type();
  for (const PackedType& packed : kPackedTypes) {
    if (!type.is_tensor(packed.dtype) || input == 0) continue;
    const LinearKernel* kernel = KernelFor(packed.dtype, LinearKind::kInvariant);
    if (kernel == nullptr || kernel->pack == nullptr) return kGgufLayout;
    const LinearKernel* fast = KernelFor(packed.dtype, LinearKind::kFast);
    return fast->layout == kernel->layout ? packed.layout : packed.invariant_layout;
  }
  return kGgufLayout;
}

}  // namespace infer::simd
