// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/heap.h"

#include <memory>

namespace infer::chat {
namespace {

// Bytes of a string apart from its text: the object and its counter.
constexpr size_t kStringBytes = 112;

// Bytes of the message that an Undefined carries.
constexpr size_t kUndefinedBytes = 200;

// A string that gives its bytes back to the budget when nobody refers to it any more.
struct CountedText {
  MarkedText text;
  Budget* budget;
  size_t bytes;

  CountedText(MarkedText held, Budget* counter, size_t counted)
      : text(std::move(held)), budget(counter), bytes(counted) {}
  ~CountedText() { budget->Release(bytes); }
  CountedText(const CountedText&) = delete;
  CountedText& operator=(const CountedText&) = delete;
};

}  // namespace

absl::Status Budget::status() const {
  if (out_of_memory_) {
    return absl::ResourceExhaustedError(
        "the template needs more memory for its values than a rendering may use; shorten the "
        "conversation or correct the template");
  }
  if (steps_ < 0) {
    return absl::ResourceExhaustedError(
        "the template takes more steps than a rendering may take; correct the loop in the "
        "template or shorten the conversation");
  }
  return absl::OkStatus();
}

Value Heap::NewString(MarkedText text) {
  const size_t bytes = kStringBytes + text.memory_bytes();
  if (!budget_->Allow(bytes)) return TrustedString("");
  auto counted = std::make_shared<CountedText>(std::move(text), budget_, bytes);
  return String(counted, &counted->text);
}

List* Heap::NewList(ListKind kind) {
  budget_->Allow(sizeof(List));
  lists_.emplace_back();
  lists_.back().kind = kind;
  return &lists_.back();
}

void Heap::Push(List* list, Value value) {
  if (IsUndefined(value) && !budget_->Allow(kUndefinedBytes)) return;
  std::vector<Value>& items = list->items;
  if (items.size() == items.capacity()) {
    const size_t wanted = items.empty() ? 4 : items.size() * 2;
    if (!budget_->Allow((wanted - items.capacity()) * sizeof(Value))) return;
    items.reserve(wanted);
  }
  items.push_back(std::move(value));
}

List* Heap::NewPairs(const Dict& dict, ListKind kind) {
  List* pairs = NewList(kind);
  for (const Dict::Entry& entry : dict.entries) {
    budget_->Spend(1);
    List* pair = NewList(ListKind::kTuple);
    Push(pair, entry.key);
    Push(pair, entry.value);
    Push(pairs, pair);
  }
  return pairs;
}

Dict* Heap::NewDict() {
  budget_->Allow(sizeof(Dict));
  dicts_.emplace_back();
  return &dicts_.back();
}

void Heap::Set(Dict* dict, Value key, Value value) {
  budget_->Spend(1);
  if (Dict::Entry* entry = FindEntry(*dict, key)) {
    entry->value = std::move(value);
    return;
  }
  if (dict->entries.size() >= kIndexedEntries && !AsText(key)) {
    budget_->Spend(dict->entries.size());  // such keys are searched one by one
  }
  const MarkedText* name = AsText(key);
  if (!budget_->Allow(4 * sizeof(Dict::Entry) + (name ? name->size() : 0))) return;
  dict->entries.push_back({std::move(key), std::move(value)});
  if (dict->entries.size() < kIndexedEntries) return;
  for (size_t i = dict->index.empty() ? 0 : dict->entries.size() - 1; i < dict->entries.size();
       ++i) {
    if (const MarkedText* text = AsText(dict->entries[i].key)) dict->index.emplace(text->text(), i);
  }
}

Namespace* Heap::NewNamespace() {
  namespaces_.push_back({NewDict()});
  return &namespaces_.back();
}

bool IsHashable(const Value& value) {
  if (const List* list = AsList(value)) {
    return list->kind != ListKind::kList && list->kind != ListKind::kTuple;
  }
  return AsDict(value) == nullptr && !Is<List*>(value);
}

bool TextBuilder::Count(size_t bytes) {
  if (!heap_->budget().Allow(bytes)) return false;
  counted_ += bytes;
  return true;
}

Value TextBuilder::Finish() {
  heap_->budget().Release(counted_);
  counted_ = 0;
  return heap_->NewString(std::move(text_));
}

}  // namespace infer::chat
