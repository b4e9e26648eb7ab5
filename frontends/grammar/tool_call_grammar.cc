// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/tool_call_grammar.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "frontends/grammar/analyze.h"
#include "frontends/grammar/json_schema.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr size_t kMaxToolCallNodes = 200'000;
constexpr std::string_view kAnyObject = R"({"type": "object"})";

class ToolCallCompiler {
 public:
  ToolCallCompiler(CompileBudget* budget, Grammar* grammar)
      : budget_(*budget), grammar_(*grammar) {}

  absl::StatusOr<GrammarNodeId> JsonCalls(std::span<const ToolSchema> tools) {
    std::vector<GrammarNodeId> calls;
    const GrammarNodeId end = Literal("}");
    for (const ToolSchema& tool : tools) {
      const std::string_view schema = tool.parameters.empty() ? kAnyObject : tool.parameters;
      absl::StatusOr<GrammarNodeId> arguments = AddJsonSchema(schema, &budget_, &grammar_);
      if (!arguments.ok()) return ErrorOf(tool, ToStd(arguments.status().message()));
      if (grammar_.nodes.size() > kMaxToolCallNodes) {
        return absl::InvalidArgumentError("the schemas of the tools are too large together");
      }
      const std::string name = JsonText(tool.name);
      calls.push_back(Sequence({Literal(StrCat(name, ", \"arguments\": ")), *arguments, end}));
    }
    return Sequence({Literal("{\"name\": "), Alternatives(std::move(calls))});
  }

  GrammarNodeId XmlCalls(std::span<const ToolSchema> tools) {
    std::vector<GrammarNodeId> names;
    for (const ToolSchema& tool : tools) names.push_back(Literal(StrCat(tool.name, ">")));
    grammar_.sets.push_back(CodePointSet::All());
    const auto set = static_cast<uint32_t>(grammar_.sets.size() - 1);
    const GrammarNodeId any = Add({.kind = GrammarNode::kChar, .index = set});
    const GrammarNodeId text =
        Add({.kind = GrammarNode::kRepeat, .max = kNoLimit, .children = {any}});
    return Sequence(
        {Literal("<function="), Alternatives(std::move(names)), text, Literal("</function>")});
  }

  // Models are trained with the tags on lines of their own, but not all of them.
  GrammarNodeId OnLineOfItsOwn(GrammarNodeId call) {
    const GrammarNodeId line =
        Add({.kind = GrammarNode::kRepeat, .min = 0, .max = 1, .children = {Literal("\n")}});
    return Sequence({line, call, line});
  }

 private:
  GrammarNodeId Add(GrammarNode node) { return AddNode(std::move(node), &grammar_); }
  GrammarNodeId Literal(std::string text) {
    grammar_.literals.push_back(std::move(text));
    return Add({.kind = GrammarNode::kLiteral,
                .index = static_cast<uint32_t>(grammar_.literals.size() - 1)});
  }
  GrammarNodeId Sequence(std::vector<GrammarNodeId> children) {
    return Add({.kind = GrammarNode::kSequence, .children = std::move(children)});
  }
  GrammarNodeId Alternatives(std::vector<GrammarNodeId> children) {
    return Add({.kind = GrammarNode::kAlternatives, .children = std::move(children)});
  }
  static absl::Status ErrorOf(const ToolSchema& tool, std::string_view what) {
    return absl::InvalidArgumentError(StrCat("parameters of tool \"", tool.name, "\": ", what));
  }

  CompileBudget& budget_;
  Grammar& grammar_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Grammar>> CompileToolCall(std::span<const ToolSchema> tools,
                                                               ToolCallForm form,
                                                               CompileBudget* budget) {
  CompileBudget own;
  Grammar grammar;
  ToolCallCompiler compiler(budget == nullptr ? &own : budget, &grammar);
  GrammarNodeId call = 0;
  if (form == ToolCallForm::kXml) {
    call = compiler.XmlCalls(tools);
  } else {
    ASSIGN_OR_RETURN(call, compiler.JsonCalls(tools));
  }
  grammar.root = compiler.OnLineOfItsOwn(call);
  if (!FinishGrammar(&grammar)) {
    return absl::InvalidArgumentError("no call satisfies the schemas of the tools");
  }
  return std::make_shared<const Grammar>(std::move(grammar));
}

}  // namespace infer
