// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "frontends/chat/heap.h"
#include "frontends/chat/tree.h"
#include "frontends/chat/value.h"

namespace infer::chat {

// Computes left op right for the arithmetic operators, as Python does.
absl::StatusOr<Value> Calculate(Operator op, const Value& left, const Value& right, Heap& heap);

absl::StatusOr<Value> Negate(const Value& value);

// Computes left op right for comparisons, `in` and `not in`.
absl::StatusOr<bool> Relate(Operator op, const Value& left, const Value& right, Heap& heap);

}  // namespace infer::chat
