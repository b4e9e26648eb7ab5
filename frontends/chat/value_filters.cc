// SPDX-License-Identifier: Apache-2.0
//
// Filters on single values: numbers, defaults and JSON.
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "frontends/chat/attributes.h"
#include "frontends/chat/compare.h"
#include "frontends/chat/filters.h"
#include "frontends/chat/json_text.h"
#include "frontends/chat/json_value.h"
#include "frontends/chat/unicode_text.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

absl::StatusOr<Value> Default(Environment&, const Value& input, const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("default", arguments, {"default_value", "boolean"}));
  const bool use = IsUndefined(input) || (bound.IsTrue(1, false) && !IsTrue(input));
  return use ? bound.ValueOr(0, TrustedString("")) : input;
}

absl::StatusOr<Value> Length(Environment& environment, const Value& input,
                             const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("length", arguments, {}).status());
  if (const MarkedText* text = AsText(input)) environment.heap->budget().Spend(text->size() / 64);
  ASSIGN_OR_RETURN(int64_t length, LengthOf(input));
  return length;
}

// Returns the text as a number if it is one and nothing else, as int() and float() do.
std::optional<Number> NumberIn(std::string_view text) {
  const ByteRange kept = Strip(text, nullptr, true, true);
  std::string digits(text.substr(kept.begin, kept.end - kept.begin));
  if (digits.empty() || digits.size() > 400 ||
      digits.find_first_not_of("0123456789+-.eE") != std::string::npos) {
    return std::nullopt;
  }
  const char* begin = digits.data() + (digits[0] == '+' ? 1 : 0);
  const char* end = digits.data() + digits.size();
  int64_t integer = 0;
  auto [stop, error] = std::from_chars(begin, end, integer);
  if (error == std::errc() && stop == end) {
    return Number{true, integer, static_cast<double>(integer)};
  }
  char* real_end = nullptr;
  const double real = std::strtod(digits.c_str(), &real_end);
  if (real_end != end) return std::nullopt;
  return Number{false, 0, real};
}

std::optional<Number> NumberOf(const Value& input) {
  const MarkedText* text = AsText(input);
  return text ? NumberIn(text->text()) : AsNumber(input);
}

absl::Status RefuseUndefined(const Value& input) {
  const Undefined* undefined = As<Undefined>(input);
  return undefined ? absl::InvalidArgumentError(*undefined->what) : absl::OkStatus();
}

absl::StatusOr<Value> Int(Environment&, const Value& input, const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("int", arguments, {"default", "base"}));
  RETURN_IF_ERROR(RefuseUndefined(input));
  ASSIGN_OR_RETURN(int64_t base, bound.Integer(1, 10));
  if (base != 10) return absl::InvalidArgumentError("int supports base 10 only");
  const std::optional<Number> number = NumberOf(input);
  if (!number) return bound.ValueOr(0, int64_t{0});
  if (number->is_integer) return number->integer;
  if (!(std::abs(number->real) < 9.2e18)) {
    return absl::InvalidArgumentError("int: the number has more than 64 bits");
  }
  return static_cast<int64_t>(number->real);
}

absl::StatusOr<Value> Float(Environment&, const Value& input, const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("float", arguments, {"default"}));
  RETURN_IF_ERROR(RefuseUndefined(input));
  const std::optional<Number> number = NumberOf(input);
  return number ? Value(number->real) : bound.ValueOr(0, 0.0);
}

absl::StatusOr<Value> Abs(Environment&, const Value& input, const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("abs", arguments, {}).status());
  const std::optional<Number> number = AsNumber(input);
  if (!number || (number->is_integer && number->integer == INT64_MIN)) {
    return absl::InvalidArgumentError(
        StrCat("abs needs a number, got a value of type ", TypeName(input)));
  }
  return number->is_integer ? Value(std::abs(number->integer)) : Value(std::abs(number->real));
}

// Rounds halves to even, as Python does, on the decimal digits of the number.
double RoundDigits(double value, int digits) {
  const std::string format = StrCat("%.", digits, "f");
  char buffer[512];
  const int written = std::snprintf(buffer, sizeof(buffer), format.c_str(), value);
  if (written < 0 || written >= static_cast<int>(sizeof(buffer))) return value;
  return std::strtod(buffer, nullptr);
}

absl::StatusOr<Value> Round(Environment&, const Value& input, const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("round", arguments, {"precision", "method"}));
  ASSIGN_OR_RETURN(int64_t precision, bound.Integer(0, 0));
  static const MarkedText kCommon{std::string("common")};
  ASSIGN_OR_RETURN(const MarkedText* method, bound.Text(1, &kCommon));
  const std::optional<Number> number = AsNumber(input);
  if (!number || precision < 0 || precision > 15) {
    return absl::InvalidArgumentError("round needs a number and a precision from 0 to 15");
  }
  if (method->text() == "common") {
    if (number->is_integer) return number->integer;
    return RoundDigits(number->real, static_cast<int>(precision));
  }
  const double scale = std::pow(10.0, static_cast<double>(precision));
  if (method->text() == "ceil") return std::ceil(number->real * scale) / scale;
  if (method->text() == "floor") return std::floor(number->real * scale) / scale;
  return absl::InvalidArgumentError("round knows the methods common, ceil and floor");
}

absl::Status ReadSeparators(const Value& value, JsonStyle* style) {
  const List* pair = AsList(value);
  if (pair == nullptr || pair->items.size() != 2 || !AsText(pair->items[0]) ||
      !AsText(pair->items[1])) {
    return absl::InvalidArgumentError("separators of tojson must be a pair of strings");
  }
  style->item_separator = *AsText(pair->items[0]);
  style->key_separator = *AsText(pair->items[1]);
  return absl::OkStatus();
}

absl::StatusOr<Value> ToJson(Environment& environment, const Value& input,
                             const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("tojson", arguments,
                                        {"ensure_ascii", "indent", "separators", "sort_keys"}));
  JsonStyle style;
  style.ensure_ascii = bound.IsTrue(0, false);
  style.sort_keys = bound.IsTrue(3, false);
  if (bound[1] != nullptr && !IsNone(*bound[1])) {
    style.item_separator = MarkedText(std::string(","));
    if (const MarkedText* text = AsText(*bound[1])) {
      style.indent = *text;
    } else {
      ASSIGN_OR_RETURN(int64_t width, bound.Integer(1, 0));
      constexpr int64_t kMaxIndent = 100;
      if (width > kMaxIndent) {
        return absl::InvalidArgumentError(StrCat("tojson has an indent of more than ", kMaxIndent));
      }
      style.indent = MarkedText(std::string(static_cast<size_t>(std::max<int64_t>(width, 0)), ' '));
    }
  }
  if (bound[2] != nullptr && !IsNone(*bound[2])) RETURN_IF_ERROR(ReadSeparators(*bound[2], &style));
  TextBuilder out(environment.heap);
  RETURN_IF_ERROR(AppendJson(input, style, &out));
  return out.Finish();
}

absl::StatusOr<Value> FromJson(Environment& environment, const Value& input,
                               const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("from_json", arguments, {}).status());
  const MarkedText* text = AsText(input);
  if (text == nullptr) {
    return absl::InvalidArgumentError(
        StrCat("from_json needs a string, got a value of type ", TypeName(input)));
  }
  environment.heap->budget().Spend(text->size() / 8);
  // A text that mixes both is treated as if all of it came from the request.
  return ParseJson(text->text(), !text->request_ranges().empty(), "the text", *environment.heap);
}

absl::StatusOr<Value> Attr(Environment& environment, const Value& input,
                           const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("attr", arguments, {"name"}));
  ASSIGN_OR_RETURN(const MarkedText* name, bound.Text(0, nullptr));
  if (name == nullptr) return absl::InvalidArgumentError("attr needs a name");
  if (AsDict(input))
    return MakeUndefined(StrCat("'dict object' has no attribute '", name->text(), "'"));
  return GetAttribute(input, name->text(), *environment.heap);
}

constexpr Filter kValueFilters[] = {
    {"default", Default}, {"d", Default},          {"length", Length}, {"count", Length},
    {"int", Int},         {"float", Float},        {"abs", Abs},       {"round", Round},
    {"tojson", ToJson},   {"from_json", FromJson}, {"attr", Attr},
};

}  // namespace

std::span<const Filter> ValueFilters() { return kValueFilters; }

}  // namespace infer::chat
