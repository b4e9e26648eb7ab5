// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of linear and expert_linear have in common: which products the chosen level has
// for a node's weights, and a kernel for each weight type and kind of product.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "backends/cpu/cpu_kernel.h"
#include "backends/formats/kernel_name.h"
#include "backends/formats/weight_types.h"
#include "backends/simd/linear_kind.h"
#include "backends/simd/weight_layouts.h"

namespace infer::simd {

// Returns whether the chosen level has products of this kind for inputs 1 to `weights` of the node,
// of kTiles in tiles for one of them at least.
Decision AcceptsProducts(const Node& node, int weights, LinearKind kind);
// The same for a kernel that reads only weights of this type.
Decision AcceptsProductOf(const Node& node, DType type, LinearKind kind);

// Returns the level and the classes of all weights, "dotprod int8x32"; empty if the bits of one
// depend on the number of rows.
std::string NumericsOfProducts(const Node& node, int weights, LinearKind kind, Range rows);

// Returns the function that names the layout of a weight; nullptr: the file's.
constexpr std::string_view (*LayoutOf(LinearKind kind))(const Node& node, int input) {
  if (kind == LinearKind::kFloat) return nullptr;
  return kind == LinearKind::kInvariant ? InvariantLayout : PackedLayout;
}

// `Op` describes a product with one weight: its kName, its record kOp, Accepts(node) for what is
// not about types, and Row<kind>(name, op, accepts), which returns a kernel.
template <class Op, DType kType, LinearKind kKind>
Decision AcceptsOne(const Node& node) {
  Decision decision = AcceptsProductOf(node, kType, kKind);
  return decision.accepted() ? Op::Accepts(node) : decision;
}

// The kernels of one weight type.
template <class Op, DType kType>
constexpr std::array<CpuKernel, 4> RowsOfType() {
  return {
      Op::template Row<LinearKind::kTiles>(KernelName<Op::kName, kType, "tiles_simd">, Op::kOp,
                                           AcceptsOne<Op, kType, LinearKind::kTiles>),
      Op::template Row<LinearKind::kFast>(KernelName<Op::kName, kType, "simd">, Op::kOp,
                                          AcceptsOne<Op, kType, LinearKind::kFast>),
      Op::template Row<LinearKind::kInvariant>(KernelName<Op::kName, kType, "rows_simd">, Op::kOp,
                                               AcceptsOne<Op, kType, LinearKind::kInvariant>),
      Op::template Row<LinearKind::kFloat>(KernelName<Op::kName, kType, "float_simd">, Op::kOp,
                                           AcceptsOne<Op, kType, LinearKind::kFloat>)};
}

template <class Op, size_t... kAt>
constexpr auto ProductRowsOfTypes(std::index_sequence<kAt...>) {
  std::array<CpuKernel, 4 * sizeof...(kAt)> table{};
  auto next = table.begin();
  ((next = std::ranges::copy(RowsOfType<Op, formats::kWeightTypes[kAt].dtype>(), next).out), ...);
  return table;
}

// The kernels of all weight types; of each type the first that qualifies is chosen. Functions
// rather than a lambda with template parameters, at which g++ 12 ends with an internal error.
template <class Op>
constexpr auto ProductRows() {
  return ProductRowsOfTypes<Op>(std::make_index_sequence<std::size(formats::kWeightTypes)>());
}

// The rows of both arrays.
template <size_t kFirst, size_t kSecond>
constexpr std::array<CpuKernel, kFirst + kSecond> Joined(
    const std::array<CpuKernel, kFirst>& first, const std::array<CpuKernel, kSecond>& second) {
  std::array<CpuKernel, kFirst + kSecond> table{};
  std::ranges::copy(second, std::ranges::copy(first, table.begin()).out);
  return table;
}

}  // namespace infer::simd
