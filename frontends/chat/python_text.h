// SPDX-License-Identifier: Apache-2.0
//
// Values as Python prints them.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/chat/heap.h"
#include "frontends/chat/value.h"

namespace infer::chat {

// Returns a number as Python's repr writes it: the fewest digits that read back as the same value,
// with an exponent if it is below -4 or above 15.
std::string FloatText(double value);

// Appends str(value): a string as it is, everything else as repr.
absl::Status AppendStr(const Value& value, TextBuilder* out);

// Appends repr(value): strings in quotes.
absl::Status AppendRepr(const Value& value, TextBuilder* out);

// Returns str(value) as a string value; a string itself is not copied.
absl::StatusOr<Value> Str(const Value& value, Heap& heap);

}  // namespace infer::chat
