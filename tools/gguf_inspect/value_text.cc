// SPDX-License-Identifier: Apache-2.0
#include "tools/gguf_inspect/value_text.h"

#include <utf8proc.h>

#include <limits>
#include <variant>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr size_t kLineBytes = 72;
constexpr uint64_t kLineElements = 6;
constexpr uint64_t kAllElements = std::numeric_limits<uint64_t>::max();

// Returns where to cut so that no character is split.
size_t CutBefore(std::string_view text, size_t max_bytes) {
  size_t at = max_bytes;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
  return at;
}

std::string TextLine(std::string_view text) {
  if (text.size() <= kLineBytes) return EscapedText(text);
  return StrCat(EscapedText(text.substr(0, CutBefore(text, kLineBytes))), "... (", text.size(),
                " bytes)");
}

std::string InQuotes(std::string_view text) {
  return StrCat("\"", absl::StrReplaceAll(ToAbsl(text), {{"\"", "\\\""}}), "\"");
}

absl::StatusOr<std::string> ArrayLine(std::string_view file, const GgufArray& array) {
  ASSIGN_OR_RETURN(const std::vector<GgufValue> elements,
                   ArrayElements(file, array, kLineElements));
  std::string line = "[";
  for (const GgufValue& element : elements) {
    ASSIGN_OR_RETURN(const std::string text, ValueLine(file, element));
    const bool is_text = element.type == GgufType::kString;
    StrAppend(&line, line.size() > 1 ? ", " : "", is_text ? InQuotes(text) : text);
  }
  if (array.count > elements.size()) {
    StrAppend(&line, ", ... ", array.count - elements.size(), " more");
  }
  return line + "]";
}

}  // namespace

std::string EscapedText(std::string_view text) {
  std::string out;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (size_t at = 0; at < text.size();) {
    utf8proc_int32_t code = -1;
    const auto left = static_cast<utf8proc_ssize_t>(text.size() - at);
    const utf8proc_ssize_t length = utf8proc_iterate(bytes + at, left, &code);
    const bool is_control = code < 32 || (code >= 127 && code < 160);
    if (length > 0 && !is_control) {
      out += text.substr(at, static_cast<size_t>(length));
      at += static_cast<size_t>(length);
    } else if (code == '\n') {
      out += "\\n";
      ++at;
    } else {
      absl::StrAppendFormat(&out, "\\x%02x", bytes[at]);
      ++at;
    }
  }
  return out;
}

std::string TypeText(const GgufValue& value) {
  if (const auto* array = std::get_if<GgufArray>(&value.data)) {
    return StrCat("array of ", array->count, " ", Name(array->element_type));
  }
  return std::string(Name(value.type));
}

absl::StatusOr<std::string> ValueLine(std::string_view file, const GgufValue& value) {
  if (const auto* array = std::get_if<GgufArray>(&value.data)) return ArrayLine(file, *array);
  if (const auto* text = std::get_if<std::string_view>(&value.data)) return TextLine(*text);
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<uint64_t>(&value.data)) return StrCat(*number);
  if (const auto* number = std::get_if<int64_t>(&value.data)) return StrCat(*number);
  const double number = std::get<double>(value.data);
  // The digits that an f32 or f64 is guaranteed to hold.
  return absl::StrFormat("%.*g", value.type == GgufType::kF32 ? 6 : 15, number);
}

absl::StatusOr<std::string> ValueInFull(std::string_view file, const GgufValue& value) {
  if (const auto* text = std::get_if<std::string_view>(&value.data)) return std::string(*text);
  const auto* array = std::get_if<GgufArray>(&value.data);
  if (array == nullptr) {
    ASSIGN_OR_RETURN(const std::string line, ValueLine(file, value));
    return line + "\n";
  }
  ASSIGN_OR_RETURN(const std::vector<GgufValue> elements,
                   ArrayElements(file, *array, kAllElements));
  std::string out;
  for (const GgufValue& element : elements) {
    if (const auto* text = std::get_if<std::string_view>(&element.data)) {
      StrAppend(&out, EscapedText(*text), "\n");
    } else {
      ASSIGN_OR_RETURN(const std::string line, ValueLine(file, element));
      StrAppend(&out, line, "\n");
    }
  }
  return out;
}

absl::StatusOr<Json> ValueJson(std::string_view file, const GgufValue& value,
                               uint64_t max_elements) {
  if (const auto* text = std::get_if<std::string_view>(&value.data)) return std::string(*text);
  if (const auto* flag = std::get_if<bool>(&value.data)) return Json(*flag);
  if (const auto* number = std::get_if<uint64_t>(&value.data)) return Json(*number);
  if (const auto* number = std::get_if<int64_t>(&value.data)) return Json(*number);
  if (const auto* number = std::get_if<double>(&value.data)) return Json(*number);
  ASSIGN_OR_RETURN(const std::vector<GgufValue> elements,
                   ArrayElements(file, std::get<GgufArray>(value.data), max_elements));
  Json list = Json::array();
  for (const GgufValue& element : elements) {
    ASSIGN_OR_RETURN(Json item, ValueJson(file, element, max_elements));
    list.push_back(std::move(item));
  }
  return list;
}

}  // namespace infer
