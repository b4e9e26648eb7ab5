// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <string_view>
#include <utility>

#include "frontends/chat/budget.h"
#include "frontends/chat/value.h"

namespace infer::chat {

// Owns the containers of one rendering and counts all of its values. When the memory is used up,
// what would be added is dropped and the budget says so.
class Heap {
 public:
  explicit Heap(Budget* budget) : budget_(budget) {}
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  Budget& budget() { return *budget_; }

  Value NewString(MarkedText text);
  Value NewString(std::string_view trusted) { return NewString(MarkedText(std::string(trusted))); }

  List* NewList(ListKind kind = ListKind::kList);
  void Push(List* list, Value value);
  // A list of tuples (key, value).
  List* NewPairs(const Dict& dict, ListKind kind);

  Dict* NewDict();
  // Sets or replaces the value of a key. Keys must be hashable in Python: see IsHashable.
  void Set(Dict* dict, Value key, Value value);

  Namespace* NewNamespace();

 private:
  static constexpr size_t kIndexedEntries = 8;

  Budget* budget_;
  std::deque<List> lists_;
  std::deque<Dict> dicts_;
  std::deque<Namespace> namespaces_;
};

// Returns whether Python allows the value as a key of a dict.
bool IsHashable(const Value& value);

// Builds a string. Appending stops when the memory is used up.
class TextBuilder {
 public:
  explicit TextBuilder(Heap* heap) : heap_(heap) {}
  ~TextBuilder() { heap_->budget().Release(counted_); }
  TextBuilder(const TextBuilder&) = delete;
  TextBuilder& operator=(const TextBuilder&) = delete;

  void Append(const MarkedText& text) { Append(text, 0, text.size()); }
  void Append(const MarkedText& text, size_t begin, size_t end) {
    if (Count(end > begin ? end - begin : 0)) text_.Append(text, begin, end);
  }
  void Append(std::string_view text, bool from_request) {
    if (Count(text.size())) text_.Append(text, from_request);
  }
  void Append(std::string_view trusted) { Append(trusted, false); }
  Heap& heap() { return *heap_; }
  const MarkedText& text() const { return text_; }
  MarkedText Take() { return std::move(text_); }
  Value Finish();

 private:
  bool Count(size_t bytes);

  Heap* heap_;
  MarkedText text_;
  size_t counted_ = 0;
};

}  // namespace infer::chat
