// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/text_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "frontends/chat/compare.h"
#include "frontends/chat/python_text.h"
#include "frontends/chat/unicode_text.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

constexpr size_t kMaxWidth = 1000;

struct PercentField {
  bool left = false;
  bool zero = false;
  bool plus = false;
  size_t width = 0;
  std::optional<size_t> precision;
  char kind = '\0';
  size_t end = 0;  // after the field
};

size_t ReadNumber(std::string_view text, size_t* pos) {
  size_t value = 0;
  for (; *pos < text.size() && text[*pos] >= '0' && text[*pos] <= '9'; ++*pos) {
    value = std::min(value * 10 + static_cast<size_t>(text[*pos] - '0'), kMaxWidth + 1);
  }
  return value;
}

// `pos` is after the percent sign.
absl::StatusOr<PercentField> ReadField(std::string_view text, size_t pos) {
  PercentField field;
  for (; pos < text.size(); ++pos) {
    if (text[pos] == '-') {
      field.left = true;
    } else if (text[pos] == '0') {
      field.zero = true;
    } else if (text[pos] == '+') {
      field.plus = true;
    } else {
      break;
    }
  }
  field.width = ReadNumber(text, &pos);
  if (pos < text.size() && text[pos] == '.') {
    ++pos;
    field.precision = ReadNumber(text, &pos);
  }
  if (field.width > kMaxWidth || field.precision.value_or(0) > kMaxWidth) {
    return absl::InvalidArgumentError(StrCat("a width of more than ", kMaxWidth));
  }
  field.kind = pos < text.size() ? text[pos] : '\0';
  if (field.kind == '\0' || std::string_view("srdif%").find(field.kind) == std::string_view::npos) {
    return absl::InvalidArgumentError(
        "this format is not supported; supported are %s, %r, %d, %i, %f and %%");
  }
  field.end = pos + 1;
  return field;
}

absl::StatusOr<MarkedText> NumberText(const PercentField& field, const Value& value) {
  const std::optional<Number> number = AsNumber(value);
  if (!number || !std::isfinite(number->real)) {
    return absl::InvalidArgumentError(StrCat("%", std::string_view(&field.kind, 1),
                                             " needs a number, got a value of type ",
                                             TypeName(value)));
  }
  std::string text;
  if (field.kind == 'f') {
    text = absl::StrFormat("%.*f", static_cast<int>(field.precision.value_or(6)), number->real);
  } else if (number->is_integer) {
    text = StrCat(number->integer);
  } else {
    text = absl::StrFormat("%.0f", std::trunc(number->real));
  }
  if (field.plus && !text.starts_with('-')) text.insert(0, "+");
  if (field.zero && !field.left && text.size() < field.width) {
    text.insert(text.find_first_not_of("+-"), field.width - text.size(), '0');
  }
  return MarkedText(std::move(text));
}

absl::Status AppendField(const PercentField& field, const Value& value, TextBuilder* out) {
  MarkedText text;
  if (field.kind == 's' || field.kind == 'r') {
    TextBuilder part(&out->heap());
    RETURN_IF_ERROR(field.kind == 's' ? AppendStr(value, &part) : AppendRepr(value, &part));
    text = part.Take();
    if (field.precision) {
      text = text.Slice(0, ByteOfCharacter(text.text(), *field.precision));
    }
  } else {
    ASSIGN_OR_RETURN(text, NumberText(field, value));
  }
  const size_t width = CountCharacters(text.text());
  const std::string padding(field.width > width ? field.width - width : 0, ' ');
  if (!field.left) out->Append(padding);
  out->Append(text);
  if (field.left) out->Append(padding);
  return absl::OkStatus();
}

struct BraceField {
  std::string_view name;
  bool repr = false;
};

absl::StatusOr<BraceField> ReadBraces(std::string_view inside) {
  if (inside.find_first_of(":{[.") != std::string_view::npos) {
    return absl::InvalidArgumentError(
        "format supports fields such as {}, {0}, {name} and {name!r}; format numbers with %");
  }
  const size_t bang = inside.find('!');
  BraceField field = {inside.substr(0, bang)};
  if (bang == std::string_view::npos) return field;
  std::string_view conversion = inside.substr(bang + 1);
  if (conversion != "r" && conversion != "s") {
    return absl::InvalidArgumentError("format supports the conversions !r and !s");
  }
  field.repr = conversion == "r";
  return field;
}

absl::StatusOr<Value> ArgumentOf(std::string_view name, const Arguments& arguments, size_t* next) {
  size_t index = 0;
  auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (name.empty()) {
    index = (*next)++;
  } else if (error != std::errc() || stop != name.data() + name.size()) {
    for (const auto& [given, value] : arguments.named) {
      if (given == name) return value;
    }
    return absl::InvalidArgumentError(StrCat("format has no argument named '", name, "'"));
  }
  if (index >= arguments.positional.size()) {
    return absl::InvalidArgumentError(StrCat("format has ", arguments.positional.size(),
                                             " arguments, the text asks for number ", index));
  }
  return arguments.positional[index];
}

}  // namespace

absl::StatusOr<Value> FormatPercent(const MarkedText& format, const Value& values, Heap& heap) {
  const List* list = AsList(values);
  const bool several = list != nullptr && list->kind == ListKind::kTuple;
  const size_t count = several ? list->items.size() : 1;
  const std::string& text = format.text();
  TextBuilder out(&heap);
  size_t used = 0;
  for (size_t pos = 0; pos < text.size();) {
    const size_t percent = std::min(text.find('%', pos), text.size());
    out.Append(format, pos, percent);
    if (percent == text.size()) break;
    ASSIGN_OR_RETURN(PercentField field, ReadField(text, percent + 1));
    pos = field.end;
    if (field.kind == '%') {
      out.Append("%");
      continue;
    }
    if (used == count) return absl::InvalidArgumentError("the text has more fields than values");
    RETURN_IF_ERROR(AppendField(field, several ? list->items[used] : values, &out));
    ++used;
    heap.budget().Spend(1);
  }
  if (used < count && !(AsDict(values) && used == 0)) {
    return absl::InvalidArgumentError("the text has fewer fields than values");
  }
  return out.Finish();
}

absl::StatusOr<Value> FormatBraces(const MarkedText& format, const Arguments& arguments,
                                   Heap& heap) {
  const std::string& text = format.text();
  TextBuilder out(&heap);
  size_t next = 0;
  for (size_t pos = 0; pos < text.size();) {
    const size_t brace = std::min(text.find_first_of("{}", pos), text.size());
    out.Append(format, pos, brace);
    if (brace == text.size()) break;
    if (brace + 1 < text.size() && text[brace + 1] == text[brace]) {
      out.Append(format, brace, brace + 1);
      pos = brace + 2;
      continue;
    }
    const size_t close = text.find('}', brace);
    if (text[brace] == '}' || close == std::string::npos) {
      return absl::InvalidArgumentError("the format has a single brace; write {{ or }} for one");
    }
    ASSIGN_OR_RETURN(BraceField field,
                     ReadBraces(std::string_view(text).substr(brace + 1, close - brace - 1)));
    ASSIGN_OR_RETURN(Value value, ArgumentOf(field.name, arguments, &next));
    RETURN_IF_ERROR(field.repr ? AppendRepr(value, &out) : AppendStr(value, &out));
    heap.budget().Spend(1);
    pos = close + 1;
  }
  return out.Finish();
}

}  // namespace infer::chat
