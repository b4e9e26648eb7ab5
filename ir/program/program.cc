// SPDX-License-Identifier: Apache-2.0
#include "ir/program/program.h"

#include "ir/ops/attributes.h"

namespace infer {

std::string Weight::FileName() const {
  const size_t added = WeightKey("", slice).size();
  return name.substr(0, name.size() - std::min(name.size(), added));
}

TensorType Weight::WholeType() const {
  TensorType whole = type;
  if (slice.parts != 0) {
    whole.shape.set_dim(slice.axis, type.dim(slice.axis).value() * slice.parts);
  }
  return whole;
}

}  // namespace infer
