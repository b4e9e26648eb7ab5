// SPDX-License-Identifier: Apache-2.0
//
// Defines what --type means: which element type each tensor of the file gets.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ir/graph/dtype.h"

namespace infer {

enum class WeightMix : uint8_t {
  kPure,    // every matrix in the named type
  kQ3_K_M,  // llama.cpp's quantizer mixes of the same names
  kQ4_K_M,
  kQ5_K_M,
};

struct WeightType {
  std::string_view name = "q8_0";
  DType dtype = DType::kQ8_0;  // of every matrix that the mix does not raise
  WeightMix mix = WeightMix::kPure;
  uint32_t file_type = 7;  // general.file_type of such a file
};

// The role of a matrix, by which mixes decide.
enum class MatrixRole : uint8_t {
  kToken,
  kOutput,
  kAttentionV,
  kAttentionOutput,
  kFfnDown,
  kOther
};

std::span<const WeightType> AllWeightTypes();
std::optional<WeightType> FindWeightType(std::string_view name);

// Returns the element type of one matrix. `layer` is ignored for kToken and kOutput; `tied` says
// that the token matrix is also the output matrix.
DType MatrixDType(const WeightType& type, MatrixRole role, uint32_t layer, uint32_t layers,
                  bool tied);

}  // namespace infer
