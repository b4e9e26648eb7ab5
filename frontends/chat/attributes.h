// SPDX-License-Identifier: Apache-2.0
//
// value.name, value[key] and value[a:b:c].
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/chat/heap.h"
#include "frontends/chat/value.h"

namespace infer::chat {

// What does not exist is Undefined; only an attribute or item of Undefined is an error.
absl::StatusOr<Value> GetAttribute(const Value& value, std::string_view name, Heap& heap);
absl::StatusOr<Value> GetItem(const Value& value, const Value& key, Heap& heap);

// Bounds that are null are left out.
absl::StatusOr<Value> GetSlice(const Value& value, const Value* begin, const Value* end,
                               const Value* step, Heap& heap);

// Returns the attribute of a path such as "function.name" or "0.role", as filters take it.
absl::StatusOr<Value> GetPath(const Value& value, const Value& path, Heap& heap);

// Returns the items of whatever a for loop accepts as a list. A generator has none after that.
absl::StatusOr<List*> Iterate(const Value& value, Heap& heap);

// Returns len(value), or an error.
absl::StatusOr<int64_t> LengthOf(const Value& value);

}  // namespace infer::chat
