// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/value.h"

#include "frontends/chat/compare.h"

namespace infer::chat {
namespace {

// A name in a template may have any length; an error need not repeat all of it.
constexpr size_t kMaxUndefinedBytes = 128;

}  // namespace

Value TrustedString(std::string_view text) {
  return std::make_shared<const MarkedText>(std::string(text));
}

Value MakeUndefined(std::string what) {
  if (what.size() > kMaxUndefinedBytes) what.resize(kMaxUndefinedBytes);
  return Undefined{std::make_shared<const std::string>(std::move(what))};
}

Dict::Entry* FindEntry(Dict& dict, const Value& key) {
  const MarkedText* text = AsText(key);
  if (text != nullptr && !dict.index.empty()) {
    auto it = dict.index.find(text->text());
    return it == dict.index.end() ? nullptr : &dict.entries[it->second];
  }
  for (Dict::Entry& entry : dict.entries) {
    const MarkedText* other = AsText(entry.key);
    if (text != nullptr ? other != nullptr && other->text() == text->text()
                        : other == nullptr && KeysEqual(entry.key, key)) {
      return &entry;
    }
  }
  return nullptr;
}

const Value* FindKey(const Dict& dict, std::string_view key) {
  if (!dict.index.empty()) {
    auto it = dict.index.find(std::string(key));
    return it == dict.index.end() ? nullptr : &dict.entries[it->second].value;
  }
  for (const Dict::Entry& entry : dict.entries) {
    const MarkedText* text = AsText(entry.key);
    if (text != nullptr && text->text() == key) return &entry.value;
  }
  return nullptr;
}

std::string_view TypeName(const Value& value) {
  struct Namer {
    std::string_view operator()(const Undefined&) const { return "Undefined"; }
    std::string_view operator()(None) const { return "NoneType"; }
    std::string_view operator()(bool) const { return "bool"; }
    std::string_view operator()(int64_t) const { return "int"; }
    std::string_view operator()(double) const { return "float"; }
    std::string_view operator()(const BigInteger&) const { return "int"; }
    std::string_view operator()(const String&) const { return "str"; }
    std::string_view operator()(const List* list) const {
      constexpr std::string_view kNames[] = {"list",      "tuple",       "generator", "range",
                                             "dict_keys", "dict_values", "dict_items"};
      return kNames[static_cast<size_t>(list->kind)];
    }
    std::string_view operator()(const Dict*) const { return "dict"; }
    std::string_view operator()(const Namespace*) const { return "Namespace"; }
    std::string_view operator()(const Loop*) const { return "LoopContext"; }
    std::string_view operator()(const Function*) const { return "function"; }
    std::string_view operator()(const Macro*) const { return "Macro"; }
  };
  return std::visit(Namer(), value);
}

}  // namespace infer::chat
