// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/accepts.h"

#include <algorithm>
#include <string_view>

#include "ir/base/strings.h"

namespace infer::scalar {
namespace {

std::string_view InputName(const Node& node, int input) {
  const auto& specs = node.op().inputs;
  return specs[std::min<size_t>(input, specs.size() - 1)].name;  // the last one may be variadic
}

// Checks the tensors of the node other than `except` and indices.
Decision OthersAreF32(const Node& node, int except) {
  for (int i = 0; i < static_cast<int>(node.inputs().size()); ++i) {
    const ValueType& type = node.input(i).type();
    const OpTraits& traits = node.op().traits;
    if (i == except || i == traits.index_input || i == traits.expert_input) continue;
    if (!type.is_tensor()) continue;
    if (!type.is_tensor(DType::kF32)) {
      return Decision::Reject(
          StrCat(InputName(node, i), " is ", Name(type.tensor.dtype), "; this kernel reads f32"));
    }
    if (type.rank() == 0) {
      return Decision::Reject(
          StrCat(InputName(node, i), " has no dimensions; this kernel reads rows"));
    }
  }
  return Decision::Accept();
}

}  // namespace

Decision AllF32(const Node& node) { return OthersAreF32(node, -1); }

Decision InputIs(const Node& node, int input, DType dtype) {
  const DType found = node.input(input).type().tensor.dtype;
  if (found != dtype) {
    return Decision::Reject(
        StrCat(InputName(node, input), " is ", Name(found), "; this kernel reads ", Name(dtype)));
  }
  return OthersAreF32(node, input);
}

}  // namespace infer::scalar
