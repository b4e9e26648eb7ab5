// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/chat/arguments.h"
#include "frontends/chat/value.h"

namespace infer::chat {

using FilterFunction = absl::StatusOr<Value> (*)(Environment& environment, const Value& input,
                                                 const Arguments& arguments);

struct Filter {
  std::string_view name;
  FilterFunction run;
};

// The filters of each file.
std::span<const Filter> TextFilters();
std::span<const Filter> SequenceFilters();
std::span<const Filter> SortFilters();
std::span<const Filter> SelectFilters();
std::span<const Filter> ValueFilters();

// Returns the filter of this name, or null.
FilterFunction FindFilter(std::string_view name);

}  // namespace infer::chat
