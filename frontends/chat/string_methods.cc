// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "frontends/chat/attributes.h"
#include "frontends/chat/compare.h"
#include "frontends/chat/methods.h"
#include "frontends/chat/python_text.h"
#include "frontends/chat/text_format.h"
#include "frontends/chat/text_operations.h"
#include "frontends/chat/text_split.h"
#include "frontends/chat/unicode_text.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

const MarkedText& TextOf(const Value& self) { return *AsText(self); }

template <bool kLeft, bool kRight>
absl::StatusOr<Value> StripText(Environment& environment, const Value& self,
                                const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("strip", arguments, {"chars"}));
  const MarkedText& text = TextOf(self);
  const bool has_set = bound[0] != nullptr && !IsNone(*bound[0]);
  const MarkedText* set = nullptr;
  if (has_set) {
    ASSIGN_OR_RETURN(set, bound.Text(0, nullptr));
    environment.heap->budget().Spend(set->size() / 8);
  }
  const std::string_view characters = has_set ? std::string_view(set->text()) : std::string_view();
  const ByteRange kept = Strip(text.text(), has_set ? &characters : nullptr, kLeft, kRight);
  if (kept.begin == 0 && kept.end == text.size()) return self;
  return environment.heap->NewString(text.Slice(kept.begin, kept.end));
}

template <bool kFromRight>
absl::StatusOr<Value> Split(Environment& environment, const Value& self,
                            const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("split", arguments, {"sep", "maxsplit"}));
  ASSIGN_OR_RETURN(int64_t limit, bound.Integer(1, -1));
  Heap& heap = *environment.heap;
  if (bound[0] == nullptr || IsNone(*bound[0])) {
    if (kFromRight && limit >= 0) {
      return absl::InvalidArgumentError("rsplit with a limit needs a separator");
    }
    return SplitSpaces(TextOf(self), limit, heap);
  }
  ASSIGN_OR_RETURN(const MarkedText* separator, bound.Text(0, nullptr));
  if (separator->empty()) return absl::InvalidArgumentError("split needs a separator with text");
  return kFromRight ? SplitAtFromRight(TextOf(self), *separator, limit, heap)
                    : SplitAt(TextOf(self), *separator, limit, heap);
}

template <bool kFromRight>
absl::StatusOr<Value> Partition(Environment& environment, const Value& self,
                                const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("partition", arguments, {"sep"}));
  ASSIGN_OR_RETURN(const MarkedText* separator, bound.Text(0, nullptr));
  if (separator == nullptr || separator->empty()) {
    return absl::InvalidArgumentError("partition needs a separator with text");
  }
  Heap& heap = *environment.heap;
  const MarkedText& text = TextOf(self);
  const size_t found =
      kFromRight ? text.text().rfind(separator->text()) : text.text().find(separator->text());
  List* parts = heap.NewList(ListKind::kTuple);
  const bool has = found != std::string::npos;
  const size_t cut = has ? found : kFromRight ? 0 : text.size();
  const size_t after = has ? found + separator->size() : cut;
  heap.Push(parts, heap.NewString(text.Slice(0, cut)));
  heap.Push(parts, heap.NewString(text.Slice(cut, after)));
  heap.Push(parts, heap.NewString(text.Slice(after, text.size())));
  return parts;
}

// startswith and endswith take one string or a tuple of them.
template <bool kAtEnd>
absl::StatusOr<Value> HasAffix(Environment&, const Value& self, const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind(kAtEnd ? "endswith" : "startswith", arguments, {"prefix"}));
  const std::string& text = TextOf(self).text();
  auto has = [&](const Value& affix) {
    const MarkedText* part = AsText(affix);
    return part && (kAtEnd ? text.ends_with(part->text()) : text.starts_with(part->text()));
  };
  if (bound[0] != nullptr && AsText(*bound[0])) return has(*bound[0]);
  const List* several = bound[0] == nullptr ? nullptr : AsList(*bound[0]);
  if (several != nullptr && several->kind == ListKind::kTuple) {
    return std::ranges::any_of(several->items, has);
  }
  return absl::InvalidArgumentError(
      StrCat(kAtEnd ? "endswith" : "startswith", " needs a string or a tuple of strings"));
}

template <bool kAtEnd>
absl::StatusOr<Value> RemoveAffix(Environment& environment, const Value& self,
                                  const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("removeprefix", arguments, {"text"}));
  ASSIGN_OR_RETURN(const MarkedText* affix, bound.Text(0, nullptr));
  if (affix == nullptr) return absl::InvalidArgumentError("removeprefix needs a string");
  const MarkedText& text = TextOf(self);
  const bool has =
      kAtEnd ? text.text().ends_with(affix->text()) : text.text().starts_with(affix->text());
  if (!has || affix->empty()) return self;
  return environment.heap->NewString(kAtEnd ? text.Slice(0, text.size() - affix->size())
                                            : text.Slice(affix->size(), text.size()));
}

absl::StatusOr<Value> ReplaceText(Environment& environment, const Value& self,
                                  const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("replace", arguments, {"old", "new", "count"}));
  ASSIGN_OR_RETURN(const MarkedText* from, bound.Text(0, nullptr));
  ASSIGN_OR_RETURN(const MarkedText* to, bound.Text(1, nullptr));
  ASSIGN_OR_RETURN(int64_t count, bound.Integer(2, -1));
  if (from == nullptr || to == nullptr) {
    return absl::InvalidArgumentError("replace needs two strings");
  }
  return Replace(TextOf(self), *from, *to, count, *environment.heap);
}

template <Case kCase>
absl::StatusOr<Value> WithCaseOf(Environment& environment, const Value& self,
                                 const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("the method", arguments, {}).status());
  return WithCase(TextOf(self), kCase, *environment.heap);
}

template <bool kFromRight, bool kMustExist>
absl::StatusOr<Value> Find(Environment& environment, const Value& self,
                           const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("find", arguments, {"sub"}));
  ASSIGN_OR_RETURN(const MarkedText* part, bound.Text(0, nullptr));
  if (part == nullptr) return absl::InvalidArgumentError("find needs a string");
  const std::string& text = TextOf(self).text();
  environment.heap->budget().Spend(text.size() / 64);
  const size_t found = kFromRight ? text.rfind(part->text()) : text.find(part->text());
  if (found != std::string::npos) {
    return static_cast<int64_t>(CountCharacters(std::string_view(text).substr(0, found)));
  }
  if (kMustExist) return absl::InvalidArgumentError("index: the text is not in the string");
  return int64_t{-1};
}

absl::StatusOr<Value> CountText(Environment& environment, const Value& self,
                                const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("count", arguments, {"sub"}));
  ASSIGN_OR_RETURN(const MarkedText* part, bound.Text(0, nullptr));
  if (part == nullptr) return absl::InvalidArgumentError("count needs a string");
  const std::string& text = TextOf(self).text();
  environment.heap->budget().Spend(text.size() / 8);
  if (part->empty()) return static_cast<int64_t>(CountCharacters(text)) + 1;
  int64_t count = 0;
  for (size_t pos = text.find(part->text()); pos != std::string::npos;
       pos = text.find(part->text(), pos + part->size())) {
    ++count;
  }
  return count;
}

absl::StatusOr<Value> JoinItems(Environment& environment, const Value& self,
                                const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("join", arguments, {"items"}));
  if (bound[0] == nullptr) return absl::InvalidArgumentError("join needs a list");
  ASSIGN_OR_RETURN(List * items, Iterate(*bound[0], *environment.heap));
  TextBuilder out(environment.heap);
  for (size_t i = 0; i < items->items.size(); ++i) {
    const MarkedText* text = AsText(items->items[i]);
    if (text == nullptr) {
      return absl::InvalidArgumentError(
          StrCat("join needs strings, item ", i, " has type ", TypeName(items->items[i])));
    }
    if (i > 0) out.Append(TextOf(self));
    out.Append(*text);
    environment.heap->budget().Spend(1);
  }
  return out.Finish();
}

absl::StatusOr<Value> Lines(Environment& environment, const Value& self,
                            const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("splitlines", arguments, {}).status());
  return SplitLines(TextOf(self), *environment.heap);
}

absl::StatusOr<Value> Format(Environment& environment, const Value& self,
                             const Arguments& arguments) {
  return FormatBraces(TextOf(self), arguments, *environment.heap);
}

template <bool (*kIs)(char32_t)>
absl::StatusOr<Value> AllAre(Environment& environment, const Value& self, const Arguments&) {
  const std::string& text = TextOf(self).text();
  environment.heap->budget().Spend(text.size() / 16);
  return !text.empty() && AllCharacters(text, kIs);
}

template <Case kCase>
absl::StatusOr<Value> IsInCase(Environment& environment, const Value& self, const Arguments&) {
  const std::string& text = TextOf(self).text();
  environment.heap->budget().Spend(text.size() / 16);
  return kCase == Case::kUpper ? AllInCase(text, IsUpper, IsLower)
                               : AllInCase(text, IsLower, IsUpper);
}

bool IsLetterOrDigit(char32_t c) { return IsLetter(c) || IsDigit(c); }

constexpr Method kMethods[] = {
    {{"strip"}, StripText<true, true>},
    {{"lstrip"}, StripText<true, false>},
    {{"rstrip"}, StripText<false, true>},
    {{"split"}, Split<false>},
    {{"rsplit"}, Split<true>},
    {{"splitlines"}, Lines},
    {{"partition"}, Partition<false>},
    {{"rpartition"}, Partition<true>},
    {{"startswith"}, HasAffix<false>},
    {{"endswith"}, HasAffix<true>},
    {{"removeprefix"}, RemoveAffix<false>},
    {{"removesuffix"}, RemoveAffix<true>},
    {{"replace"}, ReplaceText},
    {{"lower"}, WithCaseOf<Case::kLower>},
    {{"upper"}, WithCaseOf<Case::kUpper>},
    {{"title"}, WithCaseOf<Case::kTitle>},
    {{"capitalize"}, WithCaseOf<Case::kCapitalize>},
    {{"find"}, Find<false, false>},
    {{"rfind"}, Find<true, false>},
    {{"index"}, Find<false, true>},
    {{"count"}, CountText},
    {{"join"}, JoinItems},
    {{"format"}, Format},
    {{"isalpha"}, AllAre<IsLetter>},
    {{"isdigit"}, AllAre<IsDigit>},
    {{"isnumeric"}, AllAre<IsDigit>},
    {{"isalnum"}, AllAre<IsLetterOrDigit>},
    {{"isspace"}, AllAre<IsSpace>},
    {{"isupper"}, IsInCase<Case::kUpper>},
    {{"islower"}, IsInCase<Case::kLower>},
    // Methods of Python that templates have not needed so far.
    {{"casefold"}, nullptr},
    {{"center"}, nullptr},
    {{"encode"}, nullptr},
    {{"expandtabs"}, nullptr},
    {{"ljust"}, nullptr},
    {{"rjust"}, nullptr},
    {{"swapcase"}, nullptr},
    {{"translate"}, nullptr},
    {{"zfill"}, nullptr},
};

}  // namespace

std::span<const Method> StringMethods() { return kMethods; }

}  // namespace infer::chat
