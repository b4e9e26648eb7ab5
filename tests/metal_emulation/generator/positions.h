// SPDX-License-Identifier: Apache-2.0
//
// Types of the parameters by which a kernel learns where a thread stands.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace infer::emulation {

// Follows the parameters of one kernel.
class PositionTypes {
 public:
  // What is wrong with a parameter of this ParameterKind ("kThreadPositionInGrid"), or empty.
  // `type` are the words of its type, without const.
  std::string Add(std::string_view kind, std::string_view name,
                  std::span<const std::string_view> type);

 private:
  int components_ = 0;  // of the first position or size in a grid; 0: none yet
  std::string first_;
};

}  // namespace infer::emulation
