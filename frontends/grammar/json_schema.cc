// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/json_schema.h"

#include <map>
#include <utility>
#include <vector>

#include "frontends/grammar/analyze.h"
#include "frontends/grammar/schema_document.h"
#include "frontends/grammar/schema_reader.h"
#include "frontends/grammar/string_patterns.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr size_t kMaxNodes = 50'000;
constexpr size_t kMaxPatternBytes = size_t{32} << 20;
constexpr size_t kMaxNumberStates = 400'000;  // ten of the largest, 11 MB
// Of the names of properties, each with 16 more: 120 bytes of memory for each. A schema of 1 MiB
// has less, unless places refer to one large object with other keywords beside it.
constexpr size_t kMaxKeyBytes = size_t{2} << 20;
constexpr size_t kBytesOfKey = 16;

// Adds the nodes of one schema to a grammar.
class SchemaCompiler {
 public:
  SchemaCompiler(const SchemaDocument& document, PatternBudget* budget, Grammar* grammar)
      : document_(document), reader_(document, budget), grammar_(*grammar) {
    for (const PatternDfa& dfa : grammar_.patterns) pattern_bytes_ += dfa.memory_bytes();
    for (const NumberDfa& dfa : grammar_.numbers) number_states_ += dfa.states();
  }

  absl::StatusOr<GrammarNodeId> Compile() {
    const size_t before = grammar_.nodes.size();
    const GrammarNodeId root = NodeFor({&document_.root()});
    // Places that are reached are compiled one after the other, however deep they are.
    for (size_t i = 0; i < places_.size(); ++i) {
      const auto [schemas, node] = places_[i];
      RETURN_IF_ERROR(CompilePlace(schemas, node));
      if (grammar_.nodes.size() - before > kMaxNodes) {
        return document_.Error(document_.root(),
                               StrCat("the grammar has more than ", kMaxNodes, " parts"));
      }
    }
    return root;
  }

 private:
  GrammarNodeId Add(GrammarNode node) { return AddNode(std::move(node), &grammar_); }
  template <class T>
  GrammarNodeId AddRule(GrammarNode::Kind kind, std::vector<T>* rules, T rule) {
    rules->push_back(std::move(rule));
    return Add({.kind = kind, .index = static_cast<uint32_t>(rules->size() - 1)});
  }
  GrammarNodeId Literal(std::string text) {
    const auto known = literal_nodes_.find(text);
    if (known != literal_nodes_.end()) return known->second;
    const GrammarNodeId node = AddRule(GrammarNode::kLiteral, &grammar_.literals, text);
    return literal_nodes_[std::move(text)] = node;
  }
  // The node of a conjunction of schemas; equal conjunctions share it, which ends recursion.
  GrammarNodeId NodeFor(const SchemaList& schemas) {
    const auto [it, added] = node_of_.try_emplace(schemas, 0);
    if (added) {
      it->second = Add({.kind = GrammarNode::kAlternatives});
      places_.push_back({schemas, it->second});
    }
    return it->second;
  }

  absl::Status CompilePlace(const SchemaList& schemas, GrammarNodeId node) {
    ASSIGN_OR_RETURN(const std::vector<SchemaShape> shapes, reader_.Read(schemas));
    std::vector<GrammarNodeId> children;
    for (const SchemaShape& shape : shapes) {
      if (shape.values) {
        RETURN_IF_ERROR(AddValues(shape, &children));
      } else {
        RETURN_IF_ERROR(AddTypes(shape, &children));
      }
    }
    grammar_.nodes[node].children = std::move(children);
    return absl::OkStatus();
  }

  absl::Status AddTypes(const SchemaShape& shape, std::vector<GrammarNodeId>* children) {
    if ((shape.types & kNullType) != 0) children->push_back(Literal("null"));
    if ((shape.types & kBooleanType) != 0) {
      children->push_back(Literal("true"));
      children->push_back(Literal("false"));
    }
    if ((shape.types & kNumberType) != 0) {
      ASSIGN_OR_RETURN(const GrammarNodeId number, NumberNode(shape));
      children->push_back(number);
    }
    if ((shape.types & kStringType) != 0) {
      ASSIGN_OR_RETURN(const GrammarNodeId string, StringNode(shape));
      children->push_back(string);
    }
    if ((shape.types & kArrayType) != 0) children->push_back(ArrayNode(shape));
    if ((shape.types & kObjectType) == 0) return absl::OkStatus();
    const bool needs_different_keys = shape.min_properties > NamedKeys(shape).size() + 1;
    if (needs_different_keys) {
      return document_.Error(*shape.min_properties_place,
                             "more than the named properties and one; whether additional keys "
                             "differ from each other cannot be checked");
    }
    ASSIGN_OR_RETURN(const GrammarNodeId object, ObjectNode(shape));
    children->push_back(object);
    return absl::OkStatus();
  }

  absl::StatusOr<GrammarNodeId> NumberNode(const SchemaShape& shape) {
    const NumberBounds& bounds = shape.number;
    const bool is_plain = !bounds.min && !bounds.max && !bounds.multiple_of;
    std::optional<GrammarNodeId>& plain = plain_numbers_[bounds.is_integer ? 1 : 0];
    if (is_plain && plain) return *plain;
    absl::StatusOr<NumberDfa> dfa = NumberDfa::Create(bounds);
    if (!dfa.ok()) return document_.Error(document_.root(), ToStd(dfa.status().message()));
    number_states_ += dfa->states();
    if (number_states_ > kMaxNumberStates) {
      return document_.Error(document_.root(),
                             "the bounds and multipleOf of the numbers need too many states "
                             "together; use fewer digits");
    }
    const GrammarNodeId node = AddRule(GrammarNode::kNumber, &grammar_.numbers, *std::move(dfa));
    if (is_plain) plain = node;
    return node;
  }

  absl::StatusOr<GrammarNodeId> StringNode(const SchemaShape& shape) {
    ASSIGN_OR_RETURN(StringBounds bounds, reader_.patterns().BoundsOf(shape));
    StringRule rule = {.min = bounds.min, .max = bounds.max};
    if (bounds.dfa) {
      pattern_bytes_ += bounds.dfa->memory_bytes();
      if (pattern_bytes_ > kMaxPatternBytes) {
        return document_.Error(document_.root(),
                               "the patterns and formats need too many states together");
      }
      grammar_.patterns.push_back(*std::move(bounds.dfa));
      rule.pattern = static_cast<uint32_t>(grammar_.patterns.size() - 1);
    }
    return AddRule(GrammarNode::kString, &grammar_.strings, rule);
  }

  GrammarNodeId ArrayNode(const SchemaShape& shape) {
    ArrayRule rule = {.min = shape.min_items, .max = shape.max_items};
    const size_t prefix = std::min<size_t>(PrefixItems(shape), shape.max_items);
    for (size_t i = 0; i < prefix; ++i) rule.prefix.push_back(NodeFor(ItemSchemas(shape, i)));
    if (rule.max > prefix) rule.rest = NodeFor(ItemSchemas(shape, PrefixItems(shape)));
    return AddRule(GrammarNode::kArray, &grammar_.arrays, std::move(rule));
  }

  absl::StatusOr<GrammarNodeId> ObjectNode(const SchemaShape& shape) {
    ObjectRule rule;
    rule.min = shape.min_properties;
    rule.max = shape.max_properties;
    const std::vector<std::string> keys = NamedKeys(shape);
    for (const std::string& key : keys) key_bytes_ += key.size() + kBytesOfKey;
    if (key_bytes_ > kMaxKeyBytes) {
      return document_.Error(shape.objects.empty() ? document_.root() : *shape.objects[0],
                             "the objects of the schema have too many properties together; let "
                             "fewer places refer to a large object with other keywords beside it");
    }
    for (uint32_t i = 0; i < keys.size(); ++i) {
      rule.keys.Add(keys[i], i);
      rule.values.push_back(NodeFor(PropertySchemas(shape, keys[i])));
      rule.is_required.push_back(std::ranges::find(shape.required, keys[i]) !=
                                 shape.required.end());
    }
    rule.additional = NodeFor(AdditionalSchemas(shape));
    return AddRule(GrammarNode::kObject, &grammar_.objects, std::move(rule));
  }

  absl::Status AddValues(const SchemaShape& shape, std::vector<GrammarNodeId>* children) {
    SchemaShape rest = shape;
    rest.values.reset();
    StringSet strings;
    uint32_t string_count = 0;
    for (const SchemaJson& value : *shape.values) {
      ASSIGN_OR_RETURN(const bool accepted, reader_.Accepts(rest, value));
      if (!accepted) continue;
      if (value.is_string()) {
        strings.Add(value.get_ref<const std::string&>(), string_count++);
      } else {
        children->push_back(ValueNode(value));
      }
    }
    if (string_count == 0) return absl::OkStatus();
    children->push_back(StringsNode(std::move(strings)));
    return absl::OkStatus();
  }

  GrammarNodeId StringsNode(StringSet strings) {
    grammar_.sets_of_strings.push_back(std::move(strings));
    StringRule rule;
    rule.set = static_cast<uint32_t>(grammar_.sets_of_strings.size() - 1);
    return AddRule(GrammarNode::kString, &grammar_.strings, rule);
  }

  // One value of enum or const. The document is not nested deeply, and so are its values.
  GrammarNodeId ValueNode(const SchemaJson& value) {
    if (value.is_string()) {
      StringSet only;
      only.Add(value.get_ref<const std::string&>(), 0);
      return StringsNode(std::move(only));
    }
    if (value.is_array()) {
      ArrayRule rule;
      for (const SchemaJson& item : value) rule.prefix.push_back(ValueNode(item));
      rule.min = rule.max = static_cast<uint32_t>(rule.prefix.size());
      return AddRule(GrammarNode::kArray, &grammar_.arrays, std::move(rule));
    }
    if (value.is_object()) {
      ObjectRule rule;
      for (const auto& [key, property] : value.items()) {
        rule.keys.Add(key, static_cast<uint32_t>(rule.values.size()));
        rule.values.push_back(ValueNode(property));
        rule.is_required.push_back(true);
      }
      return AddRule(GrammarNode::kObject, &grammar_.objects, std::move(rule));
    }
    const std::string text = value.dump();
    // 1.0 is usually written 1.
    if (value.is_number_float() && text.ends_with(".0")) {
      return Add({.kind = GrammarNode::kAlternatives,
                  .children = {Literal(text), Literal(text.substr(0, text.size() - 2))}});
    }
    return Literal(text);
  }

  const SchemaDocument& document_;
  SchemaReader reader_;
  size_t pattern_bytes_ = 0;
  size_t number_states_ = 0;
  size_t key_bytes_ = 0;
  Grammar& grammar_;
  std::map<SchemaList, GrammarNodeId> node_of_;
  std::vector<std::pair<SchemaList, GrammarNodeId>> places_;
  std::map<std::string, GrammarNodeId> literal_nodes_;
  std::optional<GrammarNodeId> plain_numbers_[2];  // any number, any integer
};

// Returns `value` with white space around it.
GrammarNodeId InWhitespace(GrammarNodeId value, Grammar* grammar) {
  CodePointSet set;
  for (const char c : {' ', '\n', '\r', '\t'}) {
    set.Add(static_cast<uint32_t>(c), static_cast<uint32_t>(c));
  }
  grammar->sets.push_back(std::move(set));
  const auto index = static_cast<uint32_t>(grammar->sets.size() - 1);
  const GrammarNodeId space = AddNode({.kind = GrammarNode::kChar, .index = index}, grammar);
  const GrammarNodeId spaces =
      AddNode({.kind = GrammarNode::kRepeat, .max = kMaxWhitespace, .children = {space}}, grammar);
  return AddNode({.kind = GrammarNode::kSequence, .children = {spaces, value, spaces}}, grammar);
}

}  // namespace

absl::StatusOr<GrammarNodeId> AddJsonSchema(std::string_view text, PatternBudget* budget,
                                            Grammar* grammar) {
  ASSIGN_OR_RETURN(const SchemaDocument document, SchemaDocument::Parse(text));
  return SchemaCompiler(document, budget, grammar).Compile();
}

absl::StatusOr<std::shared_ptr<const Grammar>> CompileJsonSchema(std::string_view text,
                                                                 const JsonSchemaOptions& options) {
  ASSIGN_OR_RETURN(const SchemaDocument document, SchemaDocument::Parse(text));
  Grammar grammar;
  grammar.whitespace = options.whitespace;
  PatternBudget budget;
  ASSIGN_OR_RETURN(grammar.root, SchemaCompiler(document, &budget, &grammar).Compile());
  if (options.whitespace == JsonWhitespace::kFree) {
    grammar.root = InWhitespace(grammar.root, &grammar);
  }
  if (!FinishGrammar(&grammar)) {
    return document.Error(document.root(), "no document satisfies the schema");
  }
  return std::make_shared<const Grammar>(std::move(grammar));
}

std::shared_ptr<const Grammar> AnyJson(const JsonSchemaOptions& options) {
  return *CompileJsonSchema("true", options);
}

}  // namespace infer
