// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/json_text.h"

#include <cmath>
#include <vector>

#include "absl/strings/str_format.h"
#include "frontends/chat/compare.h"
#include "frontends/chat/json_value.h"
#include "frontends/chat/python_text.h"
#include "frontends/chat/stable_sort.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

// Returns the escape of a character, or nothing if it stands for itself.
std::string EscapeOf(char32_t c, bool ensure_ascii) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    default:
      break;
  }
  const auto number = static_cast<unsigned>(c);
  if (c < 0x20 || (ensure_ascii && c >= 0x7F && c < 0x10000)) {
    return absl::StrFormat("\\u%04x", number);
  }
  if (!ensure_ascii || c < 0x10000) return "";
  const unsigned offset = number - 0x10000;
  return absl::StrFormat("\\u%04x\\u%04x", 0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF));
}

bool MayNeedEscape(unsigned char byte, bool ensure_ascii) {
  return byte < 0x20 || byte == '"' || byte == '\\' || (ensure_ascii && byte >= 0x7F);
}

// Calls plain(begin, end) and escape(position, text) in the order of the text.
template <class Plain, class Escape>
void ScanQuoted(std::string_view text, bool ensure_ascii, const Plain& plain,
                const Escape& escape) {
  size_t begin = 0;
  for (size_t pos = 0; pos < text.size(); ++pos) {
    if (!MayNeedEscape(static_cast<unsigned char>(text[pos]), ensure_ascii)) continue;
    const DecodedCodePoint c = DecodeValidUtf8(text, pos);
    plain(begin, pos);
    escape(pos, EscapeOf(c.value, ensure_ascii));
    pos += c.bytes - size_t{1};
    begin = pos + 1;
  }
  plain(begin, text.size());
}

class Writer {
 public:
  Writer(const JsonStyle& style, TextBuilder* out) : style_(style), out_(out) {}

  absl::Status Write(const Value& value, int depth) {
    out_->heap().budget().Spend(1);
    RETURN_IF_ERROR(out_->heap().budget().status());
    if (depth > kMaxDepth) {
      return absl::InvalidArgumentError(
          StrCat("a value nested deeper than ", kMaxDepth, " cannot be written as JSON"));
    }
    if (const MarkedText* text = AsText(value)) {
      Quote(*text);
      return absl::OkStatus();
    }
    if (const Dict* dict = AsDict(value)) return WriteDict(*dict, depth);
    const List* list = AsList(value);
    if (list && (list->kind == ListKind::kList || list->kind == ListKind::kTuple)) {
      return WriteList(*list, depth);
    }
    if (const std::string scalar = ScalarText(value); !scalar.empty()) {
      out_->Append(scalar);
    } else if (const BigInteger* big = As<BigInteger>(value)) {
      out_->Append(*big->digits);
    } else {
      const Undefined* undefined = As<Undefined>(value);
      return absl::InvalidArgumentError(StrCat(
          "a value of type ", TypeName(value), " cannot be written as JSON",
          undefined ? StrCat(": ", *undefined->what) : std::string("; convert it with |list")));
    }
    return absl::OkStatus();
  }

 private:
  static std::string ScalarText(const Value& value) {
    if (IsNone(value)) return "null";
    if (const bool* truth = As<bool>(value)) return *truth ? "true" : "false";
    if (const int64_t* integer = As<int64_t>(value)) return StrCat(*integer);
    if (const double* real = As<double>(value)) {
      if (std::isnan(*real)) return "NaN";
      if (std::isinf(*real)) return *real < 0 ? "-Infinity" : "Infinity";
      return FloatText(*real);
    }
    return "";
  }

  void Quote(const MarkedText& text) {
    out_->Append("\"");
    ScanQuoted(
        text.text(), style_.ensure_ascii,
        [&](size_t begin, size_t end) { out_->Append(text, begin, end); },
        [&](size_t pos, const std::string& escape) {
          out_->Append(escape, text.IsFromRequest(pos));
        });
    out_->Append("\"");
  }

  absl::Status WriteKey(const Value& key) {
    if (const MarkedText* text = AsText(key)) {
      Quote(*text);
      return absl::OkStatus();
    }
    const std::string scalar = ScalarText(key);
    if (scalar.empty()) {
      return absl::InvalidArgumentError(
          StrCat("a key of type ", TypeName(key), " cannot be written as JSON; use a string"));
    }
    out_->Append(StrCat("\"", scalar, "\""));
    return absl::OkStatus();
  }

  void NewLine(int depth) {
    if (!style_.indent) return;
    out_->Append("\n");
    for (int i = 0; i < depth; ++i) out_->Append(*style_.indent);
  }

  absl::StatusOr<std::vector<const Dict::Entry*>> SortedEntries(const Dict& dict) {
    std::vector<const Dict::Entry*> entries;
    entries.reserve(dict.entries.size());
    for (const Dict::Entry& entry : dict.entries) entries.push_back(&entry);
    if (!style_.sort_keys) return entries;
    absl::Status status;
    Budget& budget = out_->heap().budget();
    StableSort(&entries, [&](const Dict::Entry* a, const Dict::Entry* b) {
      absl::StatusOr<int> order = Compare(a->key, b->key, budget);
      if (!order.ok()) status = order.status();
      return order.ok() && *order < 0;
    });
    if (!status.ok()) return status;
    return entries;
  }

  absl::Status WriteDict(const Dict& dict, int depth) {
    if (dict.entries.empty()) {
      out_->Append("{}");
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(auto entries, SortedEntries(dict));
    out_->Append("{");
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) out_->Append(style_.item_separator);
      NewLine(depth + 1);
      RETURN_IF_ERROR(WriteKey(entries[i]->key));
      out_->Append(style_.key_separator);
      RETURN_IF_ERROR(Write(entries[i]->value, depth + 1));
    }
    NewLine(depth);
    out_->Append("}");
    return absl::OkStatus();
  }

  absl::Status WriteList(const List& list, int depth) {
    if (list.items.empty()) {
      out_->Append("[]");
      return absl::OkStatus();
    }
    out_->Append("[");
    for (size_t i = 0; i < list.items.size(); ++i) {
      if (i > 0) out_->Append(style_.item_separator);
      NewLine(depth + 1);
      RETURN_IF_ERROR(Write(list.items[i], depth + 1));
    }
    NewLine(depth);
    out_->Append("]");
    return absl::OkStatus();
  }

  const JsonStyle& style_;
  TextBuilder* out_;
};

}  // namespace

absl::Status AppendJson(const Value& value, const JsonStyle& style, TextBuilder* out) {
  return Writer(style, out).Write(value, 0);
}

absl::StatusOr<MarkedText> ReformatJson(std::string_view json, std::string_view what) {
  const TemplateLimits limits;
  Budget budget(limits.steps, limits.value_bytes + 16 * json.size());
  Heap heap(&budget);
  ASSIGN_OR_RETURN(const Value value, ParseJson(json, /*from_request=*/true, what, heap));
  TextBuilder out(&heap);
  RETURN_IF_ERROR(AppendJson(value, JsonStyle(), &out));
  RETURN_IF_ERROR(budget.status());
  return out.Take();
}

std::string JsonQuoted(std::string_view text) {
  std::string out = "\"";
  ScanQuoted(
      text, false, [&](size_t begin, size_t end) { out += text.substr(begin, end - begin); },
      [&](size_t, const std::string& escape) { out += escape; });
  return out + "\"";
}

}  // namespace infer::chat
