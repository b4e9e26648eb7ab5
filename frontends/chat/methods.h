// SPDX-License-Identifier: Apache-2.0
//
// Methods of strings, lists and dicts: value.name(arguments).
#pragma once

#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/chat/arguments.h"
#include "frontends/chat/functions.h"
#include "frontends/chat/value.h"

namespace infer::chat {

using MethodFunction = absl::StatusOr<Value> (*)(Environment& environment, const Value& self,
                                                 const Arguments& arguments);

struct Method {
  Function function;   // what the attribute is when it is not called
  MethodFunction run;  // null if Python has the method and this interpreter does not
};

// The methods of each file.
std::span<const Method> StringMethods();
std::span<const Method> ListMethods();
std::span<const Method> TupleMethods();
std::span<const Method> DictMethods();
std::span<const Method> LoopMethods();

// Returns the method of the value's type, or null.
const Method* FindMethodRecord(const Value& self, std::string_view name);
const Function* FindMethod(const Value& self, std::string_view name);

}  // namespace infer::chat
