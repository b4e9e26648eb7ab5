// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/filters.h"

#include <algorithm>

namespace infer::chat {

FilterFunction FindFilter(std::string_view name) {
  for (const std::span<const Filter> filters :
       {TextFilters(), SequenceFilters(), SortFilters(), SelectFilters(), ValueFilters()}) {
    const auto it = std::ranges::find(filters, name, &Filter::name);
    if (it != filters.end()) return it->run;
  }
  return nullptr;
}

}  // namespace infer::chat
