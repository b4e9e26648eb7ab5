// SPDX-License-Identifier: Apache-2.0
#include "ir/text/parser.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph/node_name.h"
#include "ir/graph/plan.h"
#include "ir/ops/op_list.h"
#include "ir/text/text_reader.h"

namespace infer {
namespace {

class GraphParser {
 public:
  GraphParser(TextReader& in, Graph* graph) : in_(in), graph_(*graph) {}

  bool Parse() {
    in_.ForgetValues();
    if (!ParseHeader() || !in_.Expect("{")) return false;
    while (in_.At(TokenKind::kValue)) {
      if (!ParseNode()) return false;
    }
    return ParseReturn() && ParsePlan() && in_.Expect("}");
  }

 private:
  // The results of the node being read: tokens for positions, and the names to keep.
  struct Results {
    std::vector<Token> tokens;
    std::vector<std::string> names;
    std::vector<ValueType> types;
  };

  bool ParseHeader() {
    Token at;
    std::string name;
    if (!in_.Expect("graph")) return false;
    if (!in_.ReadName(TokenKind::kAt, "the graph's @name", &at, &name)) return false;
    graph_.set_name(std::move(name));
    if (!ParseStage()) return false;
    SymbolRanges symbols;
    if (in_.Accept("symbols") && !in_.Read(&symbols)) return false;
    graph_.set_symbols(symbols);
    if (!in_.Expect("(")) return false;
    while (!in_.At(")")) {
      if (!ParseInput()) return false;
      if (!in_.At(")") && !in_.Expect(",")) return false;
    }
    return in_.Expect(")");
  }

  bool ParseStage() {
    Token name;
    if (!in_.Expect("stage") || !in_.Expect("(")) return false;
    if (!in_.Take(TokenKind::kWord, "a stage", &name)) return false;
    std::optional<Stage> stage = FindStage(name.text);
    if (!stage) {
      std::vector<std::string_view> known;
      for (int i = 0; i < kNumStages; ++i) known.push_back(Name(static_cast<Stage>(i)));
      return in_.Fail(
          name, StrCat("unknown stage ", TextReader::Shown(name), DidYouMean(name.text, known)));
    }
    graph_.set_stage(*stage);
    return in_.Expect(")");
  }

  bool ParseInput() {
    Results results;
    if (!ParseResultName(&results) || !in_.Expect(":")) return false;
    if (!in_.Read(&results.types.emplace_back())) return false;
    return ParseTail(ops::kInput, {}, {}, std::move(results));
  }

  bool ParseResultName(Results* results) {
    return in_.CountItem() &&
           in_.ReadName(TokenKind::kValue, "a value", &results->tokens.emplace_back(),
                        &results->names.emplace_back());
  }

  bool ParseNode() {
    Results results;
    Token op_name;
    do {
      if (!ParseResultName(&results)) return false;
    } while (in_.Accept(","));
    if (!in_.Expect("=") || !in_.Take(TokenKind::kWord, "an op", &op_name)) return false;
    const OpDef* op = FindOp(op_name.text);
    if (op == nullptr) return UnknownOp(op_name);
    if (op == &ops::kInput)
      return in_.Fail(op_name,
                      "'input' is not allowed here; inputs are declared in the graph's header");
    std::vector<Value> inputs;
    std::vector<Attr> attrs;
    if (!ParseOperands(&inputs) || !ParseAttrs(op_name, *op, &attrs) || !in_.Expect(":")) {
      return false;
    }
    do {
      if (!in_.Read(&results.types.emplace_back())) return false;
    } while (in_.Accept(","));
    return CheckResults(op_name, *op, inputs.size(), results) &&
           ParseTail(*op, std::move(inputs), std::move(attrs), std::move(results));
  }

  bool UnknownOp(const Token& name) {
    std::vector<std::string_view> known;
    for (const OpDef* op : AllOps()) known.push_back(op->name);
    return in_.Fail(name,
                    StrCat("unknown op ", TextReader::Shown(name), DidYouMean(name.text, known)));
  }

  bool ParseOperands(std::vector<Value>* inputs) {
    if (!in_.Expect("(")) return false;
    while (!in_.At(")")) {
      if (!in_.ReadOperand(&inputs->emplace_back())) return false;
      if (!in_.At(")") && !in_.Expect(",")) return false;
    }
    return in_.Expect(")");
  }

  // Accepts any order; the attributes are stored in the order of the op's record.
  bool ParseAttrs(const Token& op_name, const OpDef& op, std::vector<Attr>* attrs) {
    std::vector<bool> seen(op.attrs.size());
    attrs->resize(op.attrs.size());
    if (in_.Accept("{")) {
      while (!in_.At("}")) {
        if (!ParseAttr(op, &seen, attrs)) return false;
        if (!in_.At("}") && !in_.Expect(",")) return false;
      }
      if (!in_.Expect("}")) return false;
    }
    for (size_t i = 0; i < seen.size(); ++i) {
      if (seen[i]) continue;
      if (op.attrs[i].optional) {
        (*attrs)[i] = DefaultOf(op.attrs[i].kind);
        continue;
      }
      return in_.Fail(op_name, StrCat(op.name, " lacks its attribute '", op.attrs[i].name,
                                      "' of kind ", Name(op.attrs[i].kind)));
    }
    return true;
  }

  bool ParseAttr(const OpDef& op, std::vector<bool>* seen, std::vector<Attr>* attrs) {
    Token key;
    if (!in_.Take(TokenKind::kWord, "an attribute", &key)) return false;
    std::vector<std::string_view> known;
    size_t index = 0;
    for (const AttrSpec& spec : op.attrs) {
      if (spec.name != key.text && known.size() == index) ++index;
      known.push_back(spec.name);
    }
    if (index == known.size()) {
      return in_.Fail(key, StrCat("unknown attribute ", TextReader::Shown(key), " of ", op.name,
                                  DidYouMean(key.text, known)));
    }
    if ((*seen)[index]) {
      return in_.Fail(key, StrCat("attribute ", TextReader::Shown(key), " is given twice"));
    }
    (*seen)[index] = true;
    return in_.Expect("=") && ParseAttrValue(op.attrs[index].kind, &(*attrs)[index]);
  }

  bool ParseAttrValue(AttrKind kind, Attr* attr) {
    switch (kind) {
      case AttrKind::kBool:
        return in_.Read(&attr->emplace<bool>());
      case AttrKind::kInt:
        return in_.Read(&attr->emplace<int64_t>());
      case AttrKind::kDouble:
        return in_.Read(&attr->emplace<double>());
      case AttrKind::kString:
        return in_.Read(&attr->emplace<std::string>());
      case AttrKind::kInts:
        return in_.Read(&attr->emplace<std::vector<int64_t>>());
      case AttrKind::kDoubles:
        return in_.Read(&attr->emplace<std::vector<double>>());
    }
    return false;
  }

  bool CheckResults(const Token& op_name, const OpDef& op, size_t num_inputs,
                    const Results& results) {
    size_t expected = static_cast<size_t>(op.num_results);
    if (op.num_results == OpDef::kSameAsVariadic) {
      if (num_inputs < op.inputs.size()) {
        return in_.Fail(op_name, StrCat(op.name, " has too few inputs"));
      }
      expected = num_inputs - op.inputs.size() + 1;
    }
    if (results.names.size() == expected && results.types.size() == expected) return true;
    return in_.Fail(op_name,
                    StrCat(op.name, " has ", expected, " results, found ", results.names.size(),
                           " names and ", results.types.size(), " types"));
  }

  // Reads the node's name, origins and placement, which complete the node.
  bool ParseTail(const OpDef& op, std::vector<Value> inputs, std::vector<Attr> attrs,
                 Results results) {
    if (graph_.num_nodes() == TextReader::kMaxNodes) {
      return in_.Fail(results.tokens[0], StrCat("more than ", TextReader::kMaxNodes, " nodes"));
    }
    int32_t position = static_cast<int32_t>(graph_.num_nodes());
    Node* node =
        graph_.Insert(nullptr, op, std::move(inputs), std::move(attrs), std::move(results.types));
    ScopeList scopes;
    if (in_.Accept("in") && !ParseScopes(&scopes)) return false;
    std::vector<std::string> origins(results.names.size());
    origins[0] = scopes.scope;
    if (!ParseOrigins(&origins) || !ParsePlacement(node)) return false;
    node->set_scope(std::move(scopes.scope));
    node->set_merged_scopes(std::move(scopes.merged_scopes));
    for (int i = 0; i < node->num_results(); ++i) {
      node->result(i).name = std::move(results.names[i]);
      node->result(i).origin = std::move(origins[i]);
      if (!in_.Define(results.tokens[i], node->output(i), position)) return false;
    }
    return true;
  }

  // Each member of a fused node's name may repeat the folders of the first, so a text can describe
  // more bytes than it has: every 16 of them count as an item.
  bool ParseScopes(ScopeList* scopes) {
    std::string name;
    if (!in_.Read(&name)) return false;
    const size_t items = 1 + name.find(kScopeSeparator) / 16;
    for (int64_t members = std::ranges::count(name, kScopeSeparator); members > 0; --members) {
      for (size_t i = 0; i < items; ++i) {
        if (!in_.CountItem()) return false;
      }
    }
    *scopes = SplitScopes(name);
    return true;
  }

  // In the header a comma may also separate inputs; it belongs to the list only before a string.
  bool ParseStrings(std::vector<std::string>* strings) {
    do {
      if (!in_.CountItem() || !in_.Read(&strings->emplace_back())) return false;
    } while (in_.At(",") && in_.PeekKind() == TokenKind::kString && in_.Accept(","));
    return true;
  }

  bool ParseOrigins(std::vector<std::string>* origins) {
    Token at = in_.token();
    if (!in_.Accept("from")) return true;
    size_t num_results = origins->size();
    origins->clear();
    if (in_.Accept("none")) {
      origins->resize(num_results);
      return true;
    }
    if (!ParseStrings(origins)) return false;
    return origins->size() == num_results ||
           in_.Fail(at, StrCat("expected ", num_results, " origins, found ", origins->size()));
  }

  bool ParsePlacement(Node* node) {
    Token at = in_.token();
    if (!in_.At(TokenKind::kAt)) return true;
    in_.Advance();
    std::optional<Target> target = FindTarget(at.text.substr(1));
    if (!target) return in_.Fail(at, UnknownTarget(at.text.substr(1)));
    Placement placement;
    placement.target = *target;
    if (!in_.Read(&placement)) return false;
    node->set_placement(std::move(placement));
    return true;
  }

  bool ParseReturn() {
    if (!in_.Expect("return")) return false;
    if (!in_.At(TokenKind::kValue)) return true;
    do {
      Value value;
      if (!in_.ReadOperand(&value)) return false;
      graph_.AddResult(value);
    } while (in_.Accept(","));
    return true;
  }

  bool ParsePlan() {
    if (!in_.Accept("plan")) return true;
    Plan plan;
    if (!in_.Read(&plan)) return false;
    graph_.set_plan(std::move(plan));
    return true;
  }

  TextReader& in_;
  Graph& graph_;
};

}  // namespace

bool ReadGraph(TextReader& in, Graph* graph) { return GraphParser(in, graph).Parse(); }

absl::StatusOr<Graph> ParseGraph(std::string_view text) {
  TextReader in(text);
  Graph graph;
  if (!ReadGraph(in, &graph)) return in.status();
  if (!in.At(TokenKind::kEnd) && !in.Expected("the end of the text")) return in.status();
  return graph;
}

}  // namespace infer
