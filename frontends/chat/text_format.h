// SPDX-License-Identifier: Apache-2.0
//
// Python's two ways to fill values into a text.
#pragma once

#include "absl/status/statusor.h"
#include "frontends/chat/arguments.h"
#include "frontends/chat/heap.h"
#include "frontends/chat/value.h"

namespace infer::chat {

// "%s is %d" % values: %s, %r, %d, %i, %f, %% with a width, and a precision for %f and %s.
absl::StatusOr<Value> FormatPercent(const MarkedText& format, const Value& values, Heap& heap);

// "{} is {name}".format(...): fields by order, number or name, with !r and !s. A format after a
// colon is refused.
absl::StatusOr<Value> FormatBraces(const MarkedText& format, const Arguments& arguments,
                                   Heap& heap);

}  // namespace infer::chat
