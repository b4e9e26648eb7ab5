// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/arguments.h"

#include <algorithm>

#include "absl/status/status.h"
#include "frontends/chat/compare.h"
#include "ir/base/strings.h"

namespace infer::chat {

absl::StatusOr<BoundArguments> BoundArguments::Bind(
    std::string_view who, const Arguments& arguments,
    std::initializer_list<std::string_view> parameters) {
  BoundArguments bound;
  bound.who_ = who;
  std::ranges::copy(parameters, bound.names_.begin());
  if (arguments.positional.size() > parameters.size()) {
    return absl::InvalidArgumentError(StrCat(who, " takes at most ", parameters.size(),
                                             " arguments, got ", arguments.positional.size()));
  }
  for (size_t i = 0; i < arguments.positional.size(); ++i) {
    bound.values_[i] = &arguments.positional[i];
  }
  for (const auto& [name, value] : arguments.named) {
    const auto it = std::ranges::find(parameters, name);
    if (it == parameters.end()) {
      return absl::InvalidArgumentError(StrCat(who, " has no argument named '", name, "'"));
    }
    const auto position = static_cast<size_t>(it - parameters.begin());
    if (bound.values_[position] != nullptr) {
      return absl::InvalidArgumentError(StrCat(who, " got the argument '", name, "' twice"));
    }
    bound.values_[position] = &value;
  }
  return bound;
}

bool BoundArguments::IsTrue(size_t parameter, bool otherwise) const {
  return values_[parameter] ? chat::IsTrue(*values_[parameter]) : otherwise;
}

absl::StatusOr<int64_t> BoundArguments::Integer(size_t parameter, int64_t otherwise) const {
  const Value* value = values_[parameter];
  if (value == nullptr) return otherwise;
  const std::optional<Number> number = AsNumber(*value);
  if (number && number->is_integer) return number->integer;
  return absl::InvalidArgumentError(StrCat(who_, " needs an integer for '", names_[parameter],
                                           "', got a value of type ", TypeName(*value)));
}

absl::StatusOr<const MarkedText*> BoundArguments::Text(size_t parameter,
                                                       const MarkedText* otherwise) const {
  const Value* value = values_[parameter];
  if (value == nullptr) return otherwise;
  if (const MarkedText* text = AsText(*value)) return text;
  return absl::InvalidArgumentError(StrCat(who_, " needs a string for '", names_[parameter],
                                           "', got a value of type ", TypeName(*value)));
}

}  // namespace infer::chat
