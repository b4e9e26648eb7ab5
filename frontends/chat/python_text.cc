// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/python_text.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "frontends/chat/unicode_text.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

absl::Status AppendReprAt(const Value& value, int depth, TextBuilder* out);

std::string EscapeOf(char32_t c) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\\':
      return "\\\\";
    default:
      break;
  }
  const auto number = static_cast<unsigned>(c);
  if (c < 0x100) return absl::StrFormat("\\x%02x", number);
  return c < 0x10000 ? absl::StrFormat("\\u%04x", number) : absl::StrFormat("\\U%08x", number);
}

void AppendQuoted(const MarkedText& text, TextBuilder* out) {
  const std::string& bytes = text.text();
  const bool has_single = bytes.find('\'') != std::string::npos;
  const char quote = has_single && bytes.find('"') == std::string::npos ? '"' : '\'';
  const std::string_view quote_text(&quote, 1);
  out->Append(quote_text);
  size_t plain = 0;
  for (size_t pos = 0; pos < bytes.size();) {
    const DecodedCodePoint c = DecodeValidUtf8(bytes, pos);
    const bool is_quote = c.value == static_cast<char32_t>(quote);
    if (is_quote || c.value == '\\' || !IsPrintable(c.value)) {
      out->Append(text, plain, pos);
      out->Append(is_quote ? StrCat("\\", quote_text) : EscapeOf(c.value), text.IsFromRequest(pos));
      plain = pos + c.bytes;
    }
    pos += c.bytes;
  }
  out->Append(text, plain, bytes.size());
  out->Append(quote_text);
}

absl::Status AppendItems(const List& list, int depth, TextBuilder* out) {
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (i > 0) out->Append(", ");
    RETURN_IF_ERROR(AppendReprAt(list.items[i], depth + 1, out));
  }
  return absl::OkStatus();
}

absl::Status AppendList(const List& list, int depth, TextBuilder* out) {
  switch (list.kind) {
    case ListKind::kTuple:
      out->Append("(");
      RETURN_IF_ERROR(AppendItems(list, depth, out));
      out->Append(list.items.size() == 1 ? ",)" : ")");
      return absl::OkStatus();
    case ListKind::kGenerator:
      return absl::InvalidArgumentError(
          "the result of a filter such as map or select cannot be printed; add |list or |join");
    case ListKind::kRange:
      return absl::InvalidArgumentError("a range cannot be printed; add |list or |join");
    case ListKind::kList:
      out->Append("[");
      RETURN_IF_ERROR(AppendItems(list, depth, out));
      out->Append("]");
      return absl::OkStatus();
    default:
      out->Append(StrCat(TypeName(const_cast<List*>(&list)), "(["));
      RETURN_IF_ERROR(AppendItems(list, depth, out));
      out->Append("])");
      return absl::OkStatus();
  }
}

absl::Status AppendDict(const Dict& dict, int depth, TextBuilder* out) {
  out->Append("{");
  for (size_t i = 0; i < dict.entries.size(); ++i) {
    if (i > 0) out->Append(", ");
    RETURN_IF_ERROR(AppendReprAt(dict.entries[i].key, depth + 1, out));
    out->Append(": ");
    RETURN_IF_ERROR(AppendReprAt(dict.entries[i].value, depth + 1, out));
  }
  out->Append("}");
  return absl::OkStatus();
}

absl::Status AppendReprAt(const Value& value, int depth, TextBuilder* out) {
  out->heap().budget().Spend(1);
  RETURN_IF_ERROR(out->heap().budget().status());
  if (depth > kMaxDepth) {
    return absl::InvalidArgumentError(
        StrCat("a value nested deeper than ", kMaxDepth, " cannot be printed"));
  }
  if (const MarkedText* text = AsText(value)) {
    AppendQuoted(*text, out);
  } else if (const List* list = AsList(value)) {
    return AppendList(*list, depth, out);
  } else if (const Dict* dict = AsDict(value)) {
    return AppendDict(*dict, depth, out);
  } else if (IsNone(value)) {
    out->Append("None");
  } else if (const bool* truth = As<bool>(value)) {
    out->Append(*truth ? "True" : "False");
  } else if (const int64_t* integer = As<int64_t>(value)) {
    out->Append(StrCat(*integer));
  } else if (const double* real = As<double>(value)) {
    out->Append(FloatText(*real));
  } else if (const BigInteger* big = As<BigInteger>(value)) {
    out->Append(*big->digits);
  } else if (IsUndefined(value)) {
    out->Append("Undefined");
  } else {
    return absl::InvalidArgumentError(
        StrCat("a ", TypeName(value), " cannot be printed; call it or read its attributes"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string FloatText(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  auto written =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  std::string_view text(buffer, static_cast<size_t>(written.ptr - buffer));
  std::string out;
  if (text.starts_with('-')) {
    out = "-";
    text.remove_prefix(1);
  }
  const size_t e = text.find('e');
  const int exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  std::string digits(text.substr(0, 1));
  if (e > 2) digits += text.substr(2, e - 2);
  const auto count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent > 15) {
    out += digits.substr(0, 1);
    if (count > 1) StrAppend(&out, ".", digits.substr(1));
    return out + absl::StrFormat("e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0) {
    return StrCat(out, "0.", std::string(static_cast<size_t>(-exponent - 1), '0'), digits);
  }
  if (count <= exponent + 1) {
    return StrCat(out, digits, std::string(static_cast<size_t>(exponent + 1 - count), '0'), ".0");
  }
  const size_t whole = static_cast<size_t>(exponent) + 1;
  return StrCat(out, digits.substr(0, whole), ".", digits.substr(whole));
}

absl::Status AppendStr(const Value& value, TextBuilder* out) {
  if (const MarkedText* text = AsText(value)) {
    out->Append(*text);
    return absl::OkStatus();
  }
  if (IsUndefined(value)) return absl::OkStatus();
  return AppendReprAt(value, 0, out);
}

absl::Status AppendRepr(const Value& value, TextBuilder* out) {
  return AppendReprAt(value, 0, out);
}

absl::StatusOr<Value> Str(const Value& value, Heap& heap) {
  if (AsText(value) != nullptr) return value;
  TextBuilder out(&heap);
  RETURN_IF_ERROR(AppendStr(value, &out));
  return out.Finish();
}

}  // namespace infer::chat
