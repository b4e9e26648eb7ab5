// SPDX-License-Identifier: Apache-2.0
//
// Writes fields and records (ir/text/text_fields.h) as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/graph/graph.h"
#include "ir/graph/plan_terms.h"
#include "ir/policy/policy.h"
#include "ir/policy/policy_text.h"
#include "ir/text/printer.h"
#include "ir/text/text_fields.h"

namespace infer {

// The names of a graph's values in its text, including the %.
class ValueNames {
 public:
  ValueNames() = default;
  ValueNames(const Graph& graph, NameStyle style);

  // Returns "%?", which does not parse, for a value that is not in the graph, so that broken graphs
  // can be printed.
  std::string_view Of(Value value) const;
  std::string_view Of(ValueRef ref) const;

 private:
  std::unordered_map<const Node*, int32_t> positions_;
  std::vector<size_t> first_;  // index of each node's first name; one more at the end
  std::vector<std::string> names_;
};

std::string ToText(const SymbolRanges& symbols);  // "(T = 1..512, S = 1..4096)"

class TextWriter {
 public:
  TextWriter(std::string* out, const ValueNames* names) : out_(*out), names_(*names) {}

  // Writes all fields on one line, except lists of style kLines.
  template <IsRecord T>
  void Write(const T& record, FieldStyle, int indent) {
    WriteFields(record, indent, "{", ", ", "}");
  }
  // Writes every field on its own line.
  template <IsRecord T>
  void WriteBlock(const T& record, int indent) {
    std::string line = StrCat("\n", std::string(indent + 2, ' '));
    WriteFields(record, indent + 2, StrCat("{", line), StrCat(",", line),
                StrCat("\n", std::string(indent, ' '), "}"));
  }

 private:
  template <class T>
  void WriteFields(const T& record, int indent, std::string_view open, std::string_view between,
                   std::string_view close) {
    const T defaults{};
    std::string_view before = open;
    Record<T>::Fields(
        [&](std::string_view name, auto member, FieldStyle style = FieldStyle::kPlain) {
          if (style != FieldStyle::kAlways && record.*member == defaults.*member) return;
          StrAppend(&out_, before, name, " = ");
          Write(record.*member, style, indent);
          before = between;
        });
    StrAppend(&out_, before == open ? "{}" : close);
  }

  void Write(bool value, FieldStyle, int) { out_ += value ? "true" : "false"; }
  void Write(double value, FieldStyle, int) { out_ += ToString(value); }
  void Write(const std::string& value, FieldStyle, int) { out_ += Quote(value); }
  void Write(const TensorType& type, FieldStyle, int) {
    out_ += ToString(ValueType{TypeKind::kTensor, type});
  }
  void Write(Dim dim, FieldStyle, int) { out_ += ToString(dim); }
  void Write(const SymbolRanges& symbols, FieldStyle, int) { out_ += ToText(symbols); }
  void Write(ValueRef ref, FieldStyle, int) { StrAppend(&out_, names_.Of(ref)); }
  void Write(const Policy& policy, FieldStyle, int) { out_ += Quote(PrintPolicy(policy)); }
  template <class E>
    requires std::is_enum_v<E>
  void Write(E value, FieldStyle, int) {
    StrAppend(&out_, Name(value));
  }
  template <std::integral T>
  void Write(T value, FieldStyle style, int) {
    if (style == FieldStyle::kNode) {
      StrAppend(&out_, names_.Of(ValueRef{static_cast<int32_t>(value), 0}));
    } else if (style == FieldStyle::kHex) {
      absl::StrAppendFormat(&out_, "0x%016x", value);
    } else {
      StrAppend(&out_, value);
    }
  }
  template <class T>
  void Write(const std::optional<T>& value, FieldStyle style, int indent) {
    Write(*value, style, indent);  // an empty optional is the default, which is left out
  }
  template <class T>
  void Write(const std::vector<T>& list, FieldStyle style, int indent) {
    bool lines = style == FieldStyle::kLines;
    std::string line = lines ? StrCat("\n", std::string(indent + 2, ' ')) : "";
    out_ += "[";
    for (const T& element : list) {
      if (&element != list.data()) out_ += lines ? "," : ", ";
      out_ += line;
      Write(element, FieldStyle::kPlain, indent + 2);
    }
    if (lines) StrAppend(&out_, "\n", std::string(indent, ' '));
    out_ += "]";
  }

  std::string& out_;
  const ValueNames& names_;
};

}  // namespace infer
