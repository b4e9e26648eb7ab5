// SPDX-License-Identifier: Apache-2.0
#include "ir/text/printer.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ir/graph/node_name.h"
#include "ir/graph/plan.h"
#include "ir/text/lexer.h"
#include "ir/text/text_writer.h"

namespace infer {

ValueNames::ValueNames(const Graph& graph, NameStyle style) {
  std::unordered_map<std::string_view, int> times_used;
  int made_up = 0;
  for (const Node* node : graph.nodes()) {
    positions_[node] = static_cast<int32_t>(first_.size());
    first_.push_back(names_.size());
    for (int i = 0; i < node->num_results(); ++i) {
      std::string_view name = node->result(i).name;
      if (style == NameStyle::kRenumbered || name.empty()) {
        names_.push_back(StrCat("%", made_up++));
        continue;
      }
      int twins_before = times_used[name]++;
      names_.push_back(StrCat("%", IsNumbered(name) ? Quote(name) : SpellName(name)));
      if (twins_before > 0) StrAppend(&names_.back(), "~", twins_before);
    }
  }
  first_.push_back(names_.size());
}

std::string_view ValueNames::Of(Value value) const {
  auto it = positions_.find(value.node);
  return Of(ValueRef{it == positions_.end() ? -1 : it->second, value.index});
}

std::string_view ValueNames::Of(ValueRef ref) const {
  constexpr std::string_view kUnknown = "%?";
  size_t node = static_cast<size_t>(ref.node);
  if (ref.node < 0 || ref.result < 0 || node + 1 >= first_.size()) return kUnknown;
  size_t index = first_[node] + static_cast<size_t>(ref.result);
  return index < first_[node + 1] ? std::string_view(names_[index]) : kUnknown;
}

std::string ToText(const SymbolRanges& symbols) {
  std::string text;
  for (Symbol symbol : kAllSymbols) {
    const Range& range = symbols[symbol];
    if (!range.is_set()) continue;
    StrAppend(&text, text.empty() ? "" : ", ", Name(symbol), " = ", range.min, "..", range.max);
  }
  return StrCat("(", text, ")");
}

namespace {

class GraphPrinter {
 public:
  GraphPrinter(const Graph& graph, NameStyle style) : graph_(graph), names_(graph, style) {}

  std::string Print() {
    PrintHeader();
    for (const Node* node : graph_.nodes()) {
      if (!node->Is(ops::kInput)) PrintNode(*node);
    }
    out_ += "  return";
    PrintList(graph_.results(), " ", [&](Value value) { StrAppend(&out_, names_.Of(value)); });
    if (graph_.plan()) {
      out_ += "\n  plan ";
      writer_.WriteBlock(*graph_.plan(), 2);
    }
    out_ += "\n}\n";
    return std::move(out_);
  }

 private:
  // Prints `before` only if the list is not empty.
  template <class List, class F>
  void PrintList(const List& list, std::string_view before, F print_element) {
    for (const auto& element : list) {
      StrAppend(&out_, before);
      print_element(element);
      before = ", ";
    }
  }

  void PrintHeader() {
    StrAppend(&out_, "graph @", SpellName(graph_.name()), " stage(", Name(graph_.stage()), ")");
    if (graph_.symbols() != SymbolRanges{}) StrAppend(&out_, " symbols", ToText(graph_.symbols()));
    out_ += " (";
    PrintList(graph_.inputs(), "", [&](Node* input) {
      StrAppend(&out_, names_.Of(input->output()), ": ", ToString(input->result().type));
      PrintTail(*input);
    });
    out_ += ") {\n";
  }

  void PrintNode(const Node& node) {
    out_ += "  ";
    for (int i = 0; i < node.num_results(); ++i) {
      StrAppend(&out_, i == 0 ? "" : ", ", names_.Of(Value{const_cast<Node*>(&node), i}));
    }
    StrAppend(&out_, " = ", node.op().name, "(");
    PrintList(node.inputs(), "", [&](Value input) { StrAppend(&out_, names_.Of(input)); });
    out_ += ")";
    size_t num_attrs = std::min(node.attrs().size(), node.op().attrs.size());
    bool any = false;
    for (size_t i = 0; i < num_attrs; ++i) {
      const AttrSpec& spec = node.op().attrs[i];
      if (spec.optional && node.attrs()[i] == DefaultOf(spec.kind)) continue;
      StrAppend(&out_, any ? ", " : " {", spec.name, " = ", ToString(node.attrs()[i]));
      any = true;
    }
    if (any) out_ += "}";
    PrintList(node.ResultTypes(), " : ", [&](const ValueType& type) { out_ += ToString(type); });
    PrintTail(node);
    out_ += "\n";
  }

  // Prints the node's name, origins and placement.
  void PrintTail(const Node& node) {
    auto print_quoted = [&](const std::string& text) { out_ += Quote(text); };
    const std::string name = NodeName(node);
    if (!name.empty()) StrAppend(&out_, " in ", Quote(name));
    std::vector<std::string> origins;
    for (int i = 0; i < node.num_results(); ++i) origins.push_back(node.result(i).origin);
    std::vector<std::string> none(origins.size());
    std::vector<std::string> expected = none;
    if (!expected.empty()) expected[0] = node.scope();
    if (origins == none && expected != none) {
      out_ += " from none";
    } else if (origins != expected) {
      PrintList(origins, " from ", print_quoted);
    }
    if (!node.placement()) return;
    StrAppend(&out_, " @", Name(node.placement()->target), " ");
    writer_.Write(*node.placement(), FieldStyle::kPlain, 2);
  }

  const Graph& graph_;
  ValueNames names_;
  std::string out_;
  TextWriter writer_{&out_, &names_};
};

}  // namespace

std::string PrintGraph(const Graph& graph, NameStyle names) {
  return GraphPrinter(graph, names).Print();
}

}  // namespace infer
