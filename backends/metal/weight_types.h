// SPDX-License-Identifier: Apache-2.0
//
// The types of weights that the shaders read, and how a matrix-vector product is cut for each.
#pragma once

#include <string_view>

#include "ir/graph/dtype.h"

namespace infer::metal {

struct WeightType {
  DType dtype;
  std::string_view library;
  std::string_view matvec;
  std::string_view matmat;
  std::string_view embed;
  // Weight rows of a simdgroup and simdgroups of a group in a matrix-vector product. Those of the
  // quantised types are llama.cpp's (commit b21e4de); plain types have the shape of q8_0.
  int rows;
  int simdgroups;
};

// nullptr: the shaders do not read it.
const WeightType* FindWeight(DType dtype);

}  // namespace infer::metal
