// SPDX-License-Identifier: Apache-2.0
//
// What --type means: which element type each tensor of the file gets.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ir/graph/dtype.h"

namespace infer {

enum class WeightMix : uint8_t {
  kPure,    // every matrix in the named type
  kQ3_K_M,  // the mixes of llama.cpp's quantizer of the same names
  kQ4_K_M,
  kQ5_K_M,
};

struct WeightType {
  std::string_view name = "q8_0";
  DType dtype = DType::kQ8_0;  // of every matrix that the mix does not lift
  WeightMix mix = WeightMix::kPure;
  uint32_t file_type = 7;  // general.file_type of such a file
};

// What a matrix is for; mixes decide by it.
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

// The element type of one matrix. `layer` is ignored for kToken and kOutput; `tied` says that the
// token matrix is the output matrix too.
DType MatrixDType(const WeightType& type, MatrixRole role, uint32_t layer, uint32_t layers,
                  bool tied);

}  // namespace infer
