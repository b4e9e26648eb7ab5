// SPDX-License-Identifier: Apache-2.0
//
// The tests of `is`: x is defined, x is divisibleby(3).
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/chat/arguments.h"
#include "frontends/chat/value.h"

namespace infer::chat {

using TestFunction = absl::StatusOr<bool> (*)(Environment& environment, const Value& value,
                                              const Arguments& arguments);

// Returns the test of this name, or null.
TestFunction FindTest(std::string_view name);

}  // namespace infer::chat
