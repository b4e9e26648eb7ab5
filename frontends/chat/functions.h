// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/chat/arguments.h"
#include "frontends/chat/value.h"

namespace infer::chat {

// A function that every template sees. A method that is not called is one without `run`.
struct Function {
  std::string_view name;
  absl::StatusOr<Value> (*run)(Environment& environment, const Arguments& arguments) = nullptr;
};

// Returns the function of this name, or null: range, namespace, dict, raise_exception,
// strftime_now.
const Function* FindFunction(std::string_view name);

}  // namespace infer::chat
