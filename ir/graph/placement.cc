// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/placement.h"

#include <cstddef>

namespace infer {
namespace {

constexpr std::string_view kSourceNames[] = {"policy", "override", "smooth", "legalize"};
constexpr std::string_view kCodeNames[] = {"not_in_rule", "no_kernel", "lower_in_rule",
                                           "unavailable", "costs_more"};

template <class E, size_t N>
std::optional<E> FindIn(const std::string_view (&names)[N], std::string_view name) {
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<E>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view Name(PlacementSource source) { return kSourceNames[static_cast<int>(source)]; }
std::optional<PlacementSource> FindPlacementSource(std::string_view name) {
  return FindIn<PlacementSource>(kSourceNames, name);
}

std::string_view Name(Rejected::Code code) { return kCodeNames[static_cast<int>(code)]; }
std::optional<Rejected::Code> FindRejectedCode(std::string_view name) {
  return FindIn<Rejected::Code>(kCodeNames, name);
}

}  // namespace infer
