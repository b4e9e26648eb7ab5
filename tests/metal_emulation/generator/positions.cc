// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/generator/positions.h"

#include <algorithm>
#include <iterator>

#include "ir/base/strings.h"
#include "tests/metal_emulation/generator/token.h"

namespace infer::emulation {
namespace {

// Those that may be vectors. The language specification asks that all vectors among them have the
// same number of components; a number beside a vector is refused as well, to be safe.
constexpr std::string_view kVectors[] = {
    "kThreadPositionInGrid",  "kThreadgroupPositionInGrid", "kThreadPositionInThreadgroup",
    "kThreadsPerThreadgroup", "kThreadgroupsPerGrid",       "kThreadsPerGrid",
};

// Components of ushort, uint and their vectors of 2 and 3; 0 for any other type.
int Components(std::span<const std::string_view> type) {
  if (type.size() != 1) return 0;
  std::string_view word = type[0];
  if (!ConsumePrefix(word, "ushort") && !ConsumePrefix(word, "uint")) return 0;
  if (word.empty()) return 1;
  return word == "2" ? 2 : word == "3" ? 3 : 0;
}

}  // namespace

std::string PositionTypes::Add(std::string_view kind, std::string_view name,
                               std::span<const std::string_view> type) {
  if (kind == "kBuffer" || kind == "kThreadgroup") return "";
  const int components = Components(type);
  if (components == 0) {
    return StrCat("'", name, "' must be a ushort, a uint, or a vector of 2 or 3 of them");
  }
  if (std::ranges::find(kVectors, kind) == std::end(kVectors)) {
    return components == 1 ? "" : StrCat("'", name, "' is one number, not a vector");
  }
  if (components_ == 0) {
    components_ = components;
    first_ = std::string(name);
  }
  if (components == components_) return "";
  return StrCat("'", name, "' has ", components, " components, '", first_, "' has ", components_,
                ": positions and sizes in a grid must have the same number");
}

}  // namespace infer::emulation
