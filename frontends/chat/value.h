// SPDX-License-Identifier: Apache-2.0
//
// The values that a template computes with: Python's, as far as templates see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "frontends/tokenizer/marked_text.h"

namespace infer::chat {

// Deepest nesting of containers that are compared or printed.
inline constexpr int kMaxDepth = 150;

struct Dict;
struct Function;
struct List;
struct Loop;
struct Macro;
struct Namespace;

// A variable, attribute or item that does not exist. `what` says which, for the error that its use
// gives.
struct Undefined {
  std::shared_ptr<const std::string> what;
};
struct None {};
// An integer of more than 64 bits, which a request may hold. It prints as it was written.
struct BigInteger {
  std::shared_ptr<const MarkedText> digits;
};
using String = std::shared_ptr<const MarkedText>;

// Containers and functions are owned by the Heap of the rendering, so that a list may contain
// itself. Strings are counted, because they make up most of the memory.
using Value = std::variant<Undefined, None, bool, int64_t, double, BigInteger, String, List*, Dict*,
                           Namespace*, Loop*, const Function*, const Macro*>;

// What Python type a List behaves as.
enum class ListKind : uint8_t { kList, kTuple, kGenerator, kRange, kKeys, kValues, kItems };

struct List {
  ListKind kind = ListKind::kList;
  std::vector<Value> items;
};

// A mapping that keeps the order of its entries.
struct Dict {
  struct Entry {
    Value key;
    Value value;
  };
  std::vector<Entry> entries;
  // Position of each string key; only in dicts with more than a few entries.
  absl::flat_hash_map<std::string, size_t> index;
};

struct Namespace {
  Dict* attributes = nullptr;
};

// The variable `loop` of a for loop.
struct Loop {
  const std::vector<Value>* items = nullptr;
  size_t index = 0;
  int depth = 1;
  Value changed_before;  // arguments of the last loop.changed(), a list
};

// Positional and named arguments of a call. The names live as long as the template.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string_view, Value>> named;
};

template <class T>
const T* As(const Value& value) {
  return std::get_if<T>(&value);
}
template <class T>
bool Is(const Value& value) {
  return std::holds_alternative<T>(value);
}
inline const MarkedText* AsText(const Value& value) {
  const String* string = As<String>(value);
  return string == nullptr ? nullptr : string->get();
}
inline List* AsList(const Value& value) {
  List* const* list = As<List*>(value);
  return list == nullptr ? nullptr : *list;
}
inline Dict* AsDict(const Value& value) {
  Dict* const* dict = As<Dict*>(value);
  return dict == nullptr ? nullptr : *dict;
}
inline bool IsUndefined(const Value& value) { return Is<Undefined>(value); }
inline bool IsNone(const Value& value) { return Is<None>(value); }

// Returns a string that no Budget counts, for constants of a template.
Value TrustedString(std::string_view text);
Value MakeUndefined(std::string what);

// Returns the entry of a key, or null. Equal numbers are equal keys, as in Python.
Dict::Entry* FindEntry(Dict& dict, const Value& key);
const Value* FindKey(const Dict& dict, std::string_view key);

// Returns what Python calls the type: "str", "dict", "NoneType".
std::string_view TypeName(const Value& value);

}  // namespace infer::chat
