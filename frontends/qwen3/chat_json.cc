// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen3/chat_json.h"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr size_t kMaxDepth = 128;

// Formats like Python's repr: the fewest digits that read back as the same value, with an exponent
// if it is below -4 or above 15.
std::string FormatDouble(double value) {
  char buffer[64];
  auto written =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  std::string_view text(buffer, written.ptr - buffer);
  std::string out;
  if (text.starts_with('-')) {
    out = "-";
    text.remove_prefix(1);
  }
  size_t e = text.find('e');
  int exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  std::string digits(text.substr(0, 1));
  if (e > 2) digits += text.substr(2, e - 2);
  auto count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent > 15) {
    out += digits.substr(0, 1);
    if (count > 1) StrAppend(&out, ".", digits.substr(1));
    return out + absl::StrFormat("e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0) return out + "0." + std::string(-exponent - 1, '0') + digits;
  if (count <= exponent + 1) return out + digits + std::string(exponent + 1 - count, '0') + ".0";
  return out + digits.substr(0, exponent + 1) + "." + digits.substr(exponent + 1);
}

std::string QuoteString(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      default:
        if (static_cast<uint8_t>(c) < 0x20) {
          out += absl::StrFormat("\\u%04x", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

// Writes while the parser reads, so that neither recursion nor a tree is needed.
class Writer final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Scalar("null"); }
  bool boolean(bool value) override { return Scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return Scalar(StrCat(value)); }
  bool number_unsigned(number_unsigned_t value) override { return Scalar(StrCat(value)); }
  bool number_float(number_float_t value, const string_t& text) override {
    bool is_integer = text.find_first_of(".eE") == string_t::npos;  // too large for 64 bits
    return Scalar(is_integer ? text : FormatDouble(value));
  }
  bool string(string_t& value) override { return Scalar(QuoteString(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return Open('{'); }
  bool key(string_t& value) override {
    BeginItem();
    StrAppend(&out_, QuoteString(value), ": ");
    after_key_ = true;
    return true;
  }
  bool end_object() override { return Close('}'); }
  bool start_array(size_t) override { return Open('['); }
  bool end_array() override { return Close(']'); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) override {
    error_ = error.what();
    return false;
  }

  const std::string& out() const { return out_; }
  const std::string& error() const { return error_; }

 private:
  void BeginItem() {
    if (after_key_) {
      after_key_ = false;
    } else if (!has_items_.empty()) {
      if (has_items_.back()) out_ += ", ";
      has_items_.back() = true;
    }
  }
  bool Scalar(std::string_view text) {
    BeginItem();
    out_ += text;
    return true;
  }
  bool Open(char bracket) {
    BeginItem();
    out_ += bracket;
    if (has_items_.size() == kMaxDepth) {
      error_ = StrCat("nested deeper than ", kMaxDepth);
      return false;
    }
    has_items_.push_back(false);
    return true;
  }
  bool Close(char bracket) {
    out_ += bracket;
    has_items_.pop_back();
    return true;
  }

  std::string out_;
  std::string error_;
  std::vector<bool> has_items_;  // per open bracket
  bool after_key_ = false;
};

}  // namespace

absl::StatusOr<std::string> FormatChatJson(std::string_view json, std::string_view what) {
  Writer writer;
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &writer)) {
    return absl::InvalidArgumentError(StrCat(what, " is not valid JSON: ", writer.error()));
  }
  return writer.out();
}

}  // namespace infer
