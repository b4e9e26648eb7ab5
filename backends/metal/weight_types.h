// SPDX-License-Identifier: Apache-2.0
//
// The weight types that the shaders read, and how a matrix-vector product is divided for each.
#pragma once

#include <string_view>

#include "backends/formats/kernel_name.h"
#include "ir/graph/dtype.h"

namespace infer::metal {

struct WeightType {
  DType dtype;
  std::string_view library;
  std::string_view matvec;
  std::string_view matmat;
  std::string_view embed;
  // Weight rows per simdgroup and simdgroups per group in a matrix-vector product. Those of the
  // quantised types are llama.cpp's (commit b21e4de); plain types have the shape of q8_0.
  int rows;
  int simdgroups;
};

template <DType kType, int kRows, int kSimdgroups>
constexpr WeightType InShaders() {
  return {.dtype = kType,
          .library = TypedName<"linear", kType>,
          .matvec = TypedName<"matvec", kType>,
          .matmat = TypedName<"matmat", kType>,
          .embed = TypedName<"embed", kType>,
          .rows = kRows,
          .simdgroups = kSimdgroups};
}

// The metal kernels that read weights are generated from these records.
inline constexpr WeightType kWeightTypes[] = {
    InShaders<DType::kF32, 2, 4>(),  InShaders<DType::kF16, 2, 4>(),
    InShaders<DType::kBF16, 2, 4>(), InShaders<DType::kQ8_0, 2, 4>(),
    InShaders<DType::kQ4_0, 4, 2>(), InShaders<DType::kQ4_K, 2, 2>(),
    InShaders<DType::kQ6_K, 2, 2>(),
};

// Returns nullptr if the shaders do not read the type.
const WeightType* FindWeight(DType dtype);

}  // namespace infer::metal
