// SPDX-License-Identifier: Apache-2.0
//
// The weight types that the kernels read: one record each.
#pragma once

#include <algorithm>
#include <string_view>

#include "backends/cuda/kernels/args.h"
#include "ir/graph/dtype.h"
#include "runtime/backend.h"

namespace infer::cuda {

struct WeightType {
  DType dtype;
  std::string_view name;    // in the names of functions
  std::string_view module;  // of its products
  std::string_view layout;  // kGgufLayout: as in the file
  int64_t unit_elements;    // in 16 bytes of quants
  int64_t high_bytes = 0;   // of a unit
  bool has_supers = false;
  bool rounds = true;  // activations to int8 or 16 bits
};

inline constexpr WeightType kWeightTypes[] = {
    {DType::kF32, "f32", "linear_f32", kGgufLayout, 4, 0, false, false},
    {DType::kF16, "f16", "linear_f16", kGgufLayout, 8},
    {DType::kBF16, "bf16", "linear_bf16", kGgufLayout, 8},
    {DType::kQ8_0, "q8_0", "linear_q8_0", "q8_0_cuda", 16},
    {DType::kQ4_0, "q4_0", "linear_q4_0", "q4_0_cuda", 32},
    {DType::kQ4_K, "q4_k", "linear_q4_k", "q4_k_cuda", 32, 0, true},
    {DType::kQ5_K, "q5_k", "linear_q5_k", "q5_k_cuda", 32, 4, true},
    {DType::kQ6_K, "q6_k", "linear_q6_k", "q6_k_cuda", 32, 8, true},
};

// Returns nullptr if the kernels do not read the type.
inline const WeightType* FindWeight(DType dtype) {
  const WeightType* found = std::ranges::find(kWeightTypes, dtype, &WeightType::dtype);
  return found == std::end(kWeightTypes) ? nullptr : found;
}

constexpr bool IsPacked(const WeightType& type) { return type.layout != kGgufLayout; }

// Bytes of the planes of a packed matrix, in the order of kernels/weights.h.
struct PlaneBytes {
  uint64_t quants = 0, high = 0, scales = 0, supers = 0;
  uint64_t total() const { return quants + high + scales + supers; }
};
inline PlaneBytes PlanesOf(const WeightType& type, int64_t rows, int64_t columns) {
  const uint64_t elements = static_cast<uint64_t>(rows) * static_cast<uint64_t>(columns);
  const uint64_t units = elements / static_cast<uint64_t>(type.unit_elements);
  auto aligned = [](uint64_t bytes) { return (bytes + 15) / 16 * 16; };
  return {units * 16, aligned(units * static_cast<uint64_t>(type.high_bytes)),
          IsPacked(type) ? aligned(elements / 16) : 0,
          type.has_supers ? aligned(elements / 64) : 0};
}

// Where the planes of a weight at `data` are.
inline WeightArgs WeightArgsOf(const WeightType& type, const std::byte* data, int64_t rows,
                               int64_t columns) {
  const PlaneBytes planes = PlanesOf(type, rows, columns);
  const auto* base = reinterpret_cast<const unsigned char*>(data);
  return {
      .quants = base,
      .high = planes.high == 0 ? nullptr : base + planes.quants,
      .scales = planes.scales == 0 ? nullptr : base + planes.quants + planes.high,
      .supers = planes.supers == 0 ? nullptr : base + planes.quants + planes.high + planes.scales};
}

// The packed layouts, for Backend::layouts.
std::span<const WeightLayout> WeightLayouts();

}  // namespace infer::cuda
