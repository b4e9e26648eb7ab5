// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/attributes.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "absl/status/status.h"
#include "frontends/chat/compare.h"
#include "frontends/chat/methods.h"
#include "frontends/chat/unicode_text.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

Value Missing(const Value& value, std::string_view name) {
  const std::string_view type = IsNone(value) ? "None" : TypeName(value);
  return MakeUndefined(IsNone(value) ? StrCat("'None' has no attribute '", name, "'")
                                     : StrCat("'", type, " object' has no attribute '", name, "'"));
}

Value LoopAttribute(const Loop& loop, std::string_view name) {
  const auto count = static_cast<int64_t>(loop.items->size());
  const auto index = static_cast<int64_t>(loop.index);
  if (name == "index") return index + 1;
  if (name == "index0") return index;
  if (name == "revindex") return count - index;
  if (name == "revindex0") return count - index - 1;
  if (name == "first") return index == 0;
  if (name == "last") return index + 1 == count;
  if (name == "length") return count;
  if (name == "depth") return int64_t{loop.depth};
  if (name == "depth0") return int64_t{loop.depth - 1};
  if (name == "previtem" && index > 0 && index <= count) return (*loop.items)[loop.index - 1];
  if (name == "nextitem" && index + 1 < count) return (*loop.items)[loop.index + 1];
  if (name == "previtem") return MakeUndefined("there is no previous item");
  if (name == "nextitem") return MakeUndefined("there is no next item");
  return MakeUndefined(StrCat("'loop' has no attribute '", name, "'"));
}

// Python's rule for negative indexes. Returns nothing if there is no such item.
std::optional<size_t> IndexOf(const Value& key, size_t count) {
  const std::optional<Number> number = AsNumber(key);
  if (!number || !number->is_integer) return std::nullopt;
  const int64_t size = static_cast<int64_t>(count);
  const int64_t index = number->integer < 0 ? number->integer + size : number->integer;
  if (index < 0 || index >= size) return std::nullopt;
  return static_cast<size_t>(index);
}

Value CharacterAt(const MarkedText& text, size_t index, Heap& heap) {
  const size_t begin = ByteOfCharacter(text.text(), index);
  heap.budget().Spend(text.size() / 64);
  return heap.NewString(text.Slice(begin, begin + DecodeValidUtf8(text.text(), begin).bytes));
}

struct SliceBounds {
  int64_t begin;
  int64_t step;
  int64_t count;
};

absl::StatusOr<std::optional<int64_t>> BoundOf(const Value* value) {
  if (value == nullptr || IsNone(*value)) return std::optional<int64_t>();
  const std::optional<Number> number = AsNumber(*value);
  if (number && number->is_integer) return std::optional<int64_t>(number->integer);
  return absl::InvalidArgumentError(
      StrCat("the bounds of a slice must be integers, got a value of type ", TypeName(*value)));
}

absl::StatusOr<SliceBounds> ResolveSlice(const Value* begin, const Value* end, const Value* step,
                                         int64_t size) {
  ASSIGN_OR_RETURN(std::optional<int64_t> wanted_step, BoundOf(step));
  const int64_t by = wanted_step.value_or(1);
  if (by == 0) return absl::InvalidArgumentError("the step of a slice must not be 0");
  const int64_t low = by < 0 ? -1 : 0;
  const int64_t high = by < 0 ? size - 1 : size;
  auto clamp = [&](std::optional<int64_t> bound, int64_t otherwise) {
    if (!bound) return otherwise;
    return *bound < 0 ? std::max(*bound + size, low) : std::min(*bound, high);
  };
  ASSIGN_OR_RETURN(std::optional<int64_t> wanted_begin, BoundOf(begin));
  ASSIGN_OR_RETURN(std::optional<int64_t> wanted_end, BoundOf(end));
  const int64_t first = clamp(wanted_begin, by < 0 ? high : low);
  const int64_t stop = clamp(wanted_end, by < 0 ? low : high);
  const int64_t span = by < 0 ? first - stop : stop - first;
  if (span <= 0) return SliceBounds{first, by, 0};
  // Without overflow for any step: the first item, and one for each whole step after it.
  const uint64_t width =
      by < 0 ? uint64_t{0} - static_cast<uint64_t>(by) : static_cast<uint64_t>(by);
  return SliceBounds{first, by, 1 + static_cast<int64_t>(static_cast<uint64_t>(span - 1) / width)};
}

Value SliceText(const MarkedText& text, const SliceBounds& bounds, Heap& heap) {
  heap.budget().Spend(text.size() / 64);
  if (bounds.count == 0) return heap.NewString("");
  if (bounds.step == 1) {
    const size_t begin = ByteOfCharacter(text.text(), static_cast<size_t>(bounds.begin));
    const size_t bytes = ByteOfCharacter(std::string_view(text.text()).substr(begin),
                                         static_cast<size_t>(bounds.count));
    return heap.NewString(text.Slice(begin, begin + bytes));
  }
  if (!heap.budget().CanAllow(text.size() * sizeof(size_t))) return heap.NewString("");
  std::vector<size_t> starts;
  for (size_t pos = 0; pos < text.size(); pos += DecodeValidUtf8(text.text(), pos).bytes) {
    starts.push_back(pos);
  }
  TextBuilder out(&heap);
  for (int64_t i = 0; i < bounds.count; ++i) {
    const size_t begin = starts[static_cast<size_t>(bounds.begin + i * bounds.step)];
    out.Append(text, begin, begin + DecodeValidUtf8(text.text(), begin).bytes);
  }
  return out.Finish();
}

}  // namespace

absl::StatusOr<Value> GetAttribute(const Value& value, std::string_view name, Heap& heap) {
  if (const Undefined* undefined = As<Undefined>(value)) {
    return absl::InvalidArgumentError(*undefined->what);
  }
  if (Namespace* const* space = As<Namespace*>(value)) {
    const Value* found = FindKey(*(*space)->attributes, name);
    return found ? *found : Missing(value, name);
  }
  if (Loop* const* loop = As<Loop*>(value)) {
    if (name == "cycle" || name == "changed") return FindMethod(value, name);
    return LoopAttribute(**loop, name);
  }
  if (const Function* method = FindMethod(value, name)) return method;
  if (const Dict* dict = AsDict(value)) {
    heap.budget().Spend(dict->index.empty() ? dict->entries.size() / 8 : 0);
    if (const Value* found = FindKey(*dict, name)) return *found;
  }
  return Missing(value, name);
}

absl::StatusOr<Value> GetItem(const Value& value, const Value& key, Heap& heap) {
  if (const Undefined* undefined = As<Undefined>(value)) {
    return absl::InvalidArgumentError(*undefined->what);
  }
  if (Dict* dict = AsDict(value)) {
    heap.budget().Spend(dict->index.empty() || !AsText(key) ? dict->entries.size() / 8 : 0);
    if (const Dict::Entry* entry = FindEntry(*dict, key)) return entry->value;
  } else if (const List* list = AsList(value)) {
    const bool indexable = list->kind == ListKind::kList || list->kind == ListKind::kTuple ||
                           list->kind == ListKind::kRange;
    const std::optional<size_t> index = IndexOf(key, list->items.size());
    if (index && indexable) return list->items[*index];
  } else if (const MarkedText* text = AsText(value)) {
    if (AsNumber(key)) {
      const std::optional<size_t> index = IndexOf(key, CountCharacters(text->text()));
      if (index) return CharacterAt(*text, *index, heap);
    }
  }
  if (const MarkedText* name = AsText(key)) {
    if (!AsDict(value)) return GetAttribute(value, name->text(), heap);
    if (const Function* method = FindMethod(value, name->text())) return method;
    return Missing(value, name->text());
  }
  return MakeUndefined(StrCat("'", TypeName(value), " object' has no such item"));
}

absl::StatusOr<Value> GetSlice(const Value& value, const Value* begin, const Value* end,
                               const Value* step, Heap& heap) {
  if (const Undefined* undefined = As<Undefined>(value)) {
    return absl::InvalidArgumentError(*undefined->what);
  }
  if (const MarkedText* text = AsText(value)) {
    const auto size = static_cast<int64_t>(CountCharacters(text->text()));
    ASSIGN_OR_RETURN(SliceBounds bounds, ResolveSlice(begin, end, step, size));
    return SliceText(*text, bounds, heap);
  }
  const List* list = AsList(value);
  if (list == nullptr || (list->kind != ListKind::kList && list->kind != ListKind::kTuple &&
                          list->kind != ListKind::kRange)) {
    return MakeUndefined(StrCat("'", TypeName(value), " object' cannot be sliced"));
  }
  ASSIGN_OR_RETURN(SliceBounds bounds,
                   ResolveSlice(begin, end, step, static_cast<int64_t>(list->items.size())));
  List* out = heap.NewList(list->kind);
  heap.budget().Spend(static_cast<size_t>(bounds.count) / 8);
  for (int64_t i = 0; i < bounds.count; ++i) {
    heap.Push(out, list->items[static_cast<size_t>(bounds.begin + i * bounds.step)]);
  }
  return out;
}

absl::StatusOr<Value> GetPath(const Value& value, const Value& path, Heap& heap) {
  const MarkedText* text = AsText(path);
  if (text == nullptr) return GetItem(value, path, heap);
  Value current = value;
  std::string_view rest = text->text();
  while (true) {
    const size_t dot = std::min(rest.find('.'), rest.size());
    std::string_view part = rest.substr(0, dot);
    int64_t index = 0;
    auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool is_index = error == std::errc() && stop == part.data() + part.size() && index >= 0;
    ASSIGN_OR_RETURN(current,
                     GetItem(current, is_index ? Value(index) : heap.NewString(part), heap));
    if (dot == rest.size()) return current;
    rest.remove_prefix(dot + 1);
  }
}

absl::StatusOr<List*> Iterate(const Value& value, Heap& heap) {
  if (List* list = AsList(value)) {
    if (list->kind == ListKind::kList) return list;
    if (list->kind != ListKind::kGenerator) return list;
    List* taken = heap.NewList(ListKind::kList);
    std::swap(taken->items, list->items);
    return taken;
  }
  List* out = heap.NewList();
  if (const Dict* dict = AsDict(value)) {
    heap.budget().Spend(dict->entries.size() / 8);
    for (const Dict::Entry& entry : dict->entries) heap.Push(out, entry.key);
    return out;
  }
  if (const MarkedText* text = AsText(value)) {
    for (size_t pos = 0; pos < text->size() && heap.budget().ok();) {
      const size_t end = pos + DecodeValidUtf8(text->text(), pos).bytes;
      heap.Push(out, heap.NewString(text->Slice(pos, end)));
      heap.budget().Spend(1);
      pos = end;
    }
    return out;
  }
  if (IsUndefined(value)) return out;
  return absl::InvalidArgumentError(
      StrCat("a value of type ", TypeName(value),
             " cannot be iterated; expected a list, a dict or a string"));
}

absl::StatusOr<int64_t> LengthOf(const Value& value) {
  if (const MarkedText* text = AsText(value)) {
    return static_cast<int64_t>(CountCharacters(text->text()));
  }
  if (const Dict* dict = AsDict(value)) return static_cast<int64_t>(dict->entries.size());
  const List* list = AsList(value);
  if (list && list->kind != ListKind::kGenerator) return static_cast<int64_t>(list->items.size());
  if (IsUndefined(value)) return int64_t{0};
  return absl::InvalidArgumentError(StrCat("a value of type ", TypeName(value), " has no length",
                                           list ? "; add |list before |length" : ""));
}

}  // namespace infer::chat
