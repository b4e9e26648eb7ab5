// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "frontends/chat/filters.h"
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

absl::StatusOr<Value> ToString(Environment& environment, const Value& input,
                               const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("the filter", arguments, {}).status());
  return Str(input, *environment.heap);
}

absl::StatusOr<Value> Trim(Environment& environment, const Value& input,
                           const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("trim", arguments, {"chars"}));
  ASSIGN_OR_RETURN(Value string, Str(input, *environment.heap));
  const bool has_set = bound[0] != nullptr && !IsNone(*bound[0]);
  std::string_view characters;
  if (has_set) {
    ASSIGN_OR_RETURN(const MarkedText* set, bound.Text(0, nullptr));
    characters = set->text();
  }
  const MarkedText& text = *AsText(string);
  const ByteRange kept = Strip(text.text(), has_set ? &characters : nullptr, true, true);
  if (kept.begin == 0 && kept.end == text.size()) return string;
  return environment.heap->NewString(text.Slice(kept.begin, kept.end));
}

template <Case kCase>
absl::StatusOr<Value> ChangeCase(Environment& environment, const Value& input,
                                 const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("the filter", arguments, {}).status());
  ASSIGN_OR_RETURN(Value string, Str(input, *environment.heap));
  return WithCase(*AsText(string), kCase, *environment.heap);
}

// Jinja's own title: words begin after white space, a dash or an opening bracket.
absl::StatusOr<Value> Title(Environment& environment, const Value& input,
                            const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("title", arguments, {}).status());
  ASSIGN_OR_RETURN(Value string, Str(input, *environment.heap));
  const MarkedText& text = *AsText(string);
  TextBuilder out(environment.heap);
  bool starts = true;
  for (size_t pos = 0; pos < text.size() && environment.heap->budget().ok();) {
    const DecodedCodePoint c = DecodeValidUtf8(text.text(), pos);
    std::string cased;
    starts ? AppendUpper(c.value, &cased) : AppendLowerAt(text.text(), pos, &cased);
    out.Append(cased, text.IsFromRequest(pos));
    starts = IsSpace(c.value) ||
             (c.value < 0x80 &&
              std::string_view("-({[<").find(static_cast<char>(c.value)) != std::string_view::npos);
    environment.heap->budget().Spend(1);
    pos += c.bytes;
  }
  return out.Finish();
}

absl::StatusOr<Value> ReplaceFilter(Environment& environment, const Value& input,
                                    const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("replace", arguments, {"old", "new", "count"}));
  Heap& heap = *environment.heap;
  if (bound[0] == nullptr || bound[1] == nullptr) {
    return absl::InvalidArgumentError("replace needs two strings");
  }
  ASSIGN_OR_RETURN(Value string, Str(input, heap));
  ASSIGN_OR_RETURN(Value from, Str(*bound[0], heap));
  ASSIGN_OR_RETURN(Value to, Str(*bound[1], heap));
  int64_t count = -1;
  if (bound[2] != nullptr && !IsNone(*bound[2])) {
    ASSIGN_OR_RETURN(count, bound.Integer(2, -1));
  }
  return Replace(*AsText(string), *AsText(from), *AsText(to), count, heap);
}

absl::StatusOr<Value> Indent(Environment& environment, const Value& input,
                             const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("indent", arguments, {"width", "first", "blank"}));
  Heap& heap = *environment.heap;
  ASSIGN_OR_RETURN(Value string, Str(input, heap));
  MarkedText indent;
  if (bound[0] != nullptr && AsText(*bound[0])) {
    indent = *AsText(*bound[0]);
  } else {
    ASSIGN_OR_RETURN(int64_t width, bound.Integer(0, 4));
    constexpr int64_t kMaxWidth = 1000;
    if (width > kMaxWidth) {
      return absl::InvalidArgumentError(StrCat("indent has a width of more than ", kMaxWidth));
    }
    indent = MarkedText(std::string(static_cast<size_t>(std::max<int64_t>(width, 0)), ' '));
  }
  TextBuilder ended(&heap);  // so that a line end at the end of the text stays
  ended.Append(*AsText(string));
  ended.Append("\n");
  const List* lines = SplitLines(ended.text(), heap);
  TextBuilder out(&heap);
  for (size_t i = 0; i < lines->items.size(); ++i) {
    const MarkedText* line = AsText(lines->items[i]);
    if (line == nullptr) continue;
    if (i > 0) out.Append("\n");
    const bool wanted = i == 0 ? bound.IsTrue(1, false) : !line->empty() || bound.IsTrue(2, false);
    if (wanted) out.Append(indent);
    out.Append(*line);
  }
  return out.Finish();
}

absl::StatusOr<Value> Escape(Environment& environment, const Value& input,
                             const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("escape", arguments, {}).status());
  ASSIGN_OR_RETURN(Value string, Str(input, *environment.heap));
  const MarkedText& text = *AsText(string);
  TextBuilder out(environment.heap);
  size_t plain = 0;
  for (size_t pos = 0; pos < text.size(); ++pos) {
    const char c = text.text()[pos];
    const std::string_view entity = c == '&'    ? "&amp;"
                                    : c == '<'  ? "&lt;"
                                    : c == '>'  ? "&gt;"
                                    : c == '\'' ? "&#39;"
                                    : c == '"'  ? "&#34;"
                                                : "";
    if (entity.empty()) continue;
    out.Append(text, plain, pos);
    out.Append(entity, text.IsFromRequest(pos));
    plain = pos + 1;
  }
  out.Append(text, plain, text.size());
  return out.Finish();
}

absl::StatusOr<Value> FormatFilter(Environment& environment, const Value& input,
                                   const Arguments& arguments) {
  if (!arguments.named.empty()) {
    return absl::InvalidArgumentError("format takes its values by position");
  }
  ASSIGN_OR_RETURN(Value string, Str(input, *environment.heap));
  List* values = environment.heap->NewList(ListKind::kTuple);
  for (const Value& value : arguments.positional) environment.heap->Push(values, value);
  return FormatPercent(*AsText(string), values, *environment.heap);
}

constexpr Filter kTextFilters[] = {
    {"string", ToString},
    {"safe", ToString},
    {"trim", Trim},
    {"lower", ChangeCase<Case::kLower>},
    {"upper", ChangeCase<Case::kUpper>},
    {"capitalize", ChangeCase<Case::kCapitalize>},
    {"title", Title},
    {"replace", ReplaceFilter},
    {"indent", Indent},
    {"escape", Escape},
    {"e", Escape},
    {"format", FormatFilter},
};

}  // namespace

std::span<const Filter> TextFilters() { return kTextFilters; }

}  // namespace infer::chat
