// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/attr.h"

#include <charconv>

#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

struct AttrPrinter {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return StrCat(value); }
  std::string operator()(double value) const { return ToString(value); }
  std::string operator()(const std::string& value) const { return Quote(value); }
  std::string operator()(const std::vector<int64_t>& value) const {
    return StrCat("[", absl::StrJoin(value, ","), "]");
  }
  std::string operator()(const std::vector<double>& value) const {
    return StrCat(
        "[",
        absl::StrJoin(value, ",", [](std::string* out, double item) { *out += ToString(item); }),
        "]");
  }
};

}  // namespace

std::string_view Name(AttrKind kind) {
  constexpr std::string_view kNames[] = {"bool", "int", "double", "string", "ints", "doubles"};
  return kNames[static_cast<int>(kind)];
}

Attr DefaultOf(AttrKind kind) {
  switch (kind) {
    case AttrKind::kBool:
      return false;
    case AttrKind::kInt:
      return int64_t{0};
    case AttrKind::kDouble:
      return 0.0;
    case AttrKind::kString:
      return std::string();
    case AttrKind::kInts:
      return std::vector<int64_t>();
    case AttrKind::kDoubles:
      return std::vector<double>();
  }
  return false;
}

std::string ToString(double value) {
  char buffer[32];
  std::to_chars_result result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  std::string text(buffer, result.ptr);
  bool looks_like_int = text.find_first_not_of("-0123456789") == std::string::npos;
  return looks_like_int ? text + ".0" : text;
}

std::string ToString(const Attr& attr) { return std::visit(AttrPrinter{}, attr); }

std::string Quote(std::string_view text) {
  return StrCat("\"", absl::CHexEscape(ToAbsl(text)), "\"");
}

}  // namespace infer
