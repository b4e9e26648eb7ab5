// SPDX-License-Identifier: Apache-2.0
//
// Truth, equality, order and membership as Python defines them.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "frontends/chat/heap.h"
#include "frontends/chat/value.h"

namespace infer::chat {

bool IsTrue(const Value& value);

// Returns the value as a number if it is one; booleans are 0 and 1.
struct Number {
  bool is_integer;
  int64_t integer;
  double real;
};
std::optional<Number> AsNumber(const Value& value);

// The same, with integers of more than 64 bits rounded to a double.
std::optional<Number> AsRoundedNumber(const Value& value);

// Equality of what may be a key of a dict; containers are equal only to themselves.
bool KeysEqual(const Value& a, const Value& b);

// Deep equality. Nesting beyond a bound compares as different and exhausts nothing.
bool Equal(const Value& a, const Value& b, Budget& budget);

// Returns a negative, zero or positive number. Fails for types without an order between them.
absl::StatusOr<int> Compare(const Value& a, const Value& b, Budget& budget);

// Returns the value of `needle in haystack`.
absl::StatusOr<bool> Contains(const Value& haystack, const Value& needle, Budget& budget);

}  // namespace infer::chat
