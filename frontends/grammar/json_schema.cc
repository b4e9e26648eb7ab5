// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/json_schema.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "frontends/grammar/analyze.h"
#include "frontends/grammar/schema_document.h"
#include "frontends/grammar/schema_reader.h"
#include "frontends/grammar/string_patterns.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr size_t kMaxSchemaNodes = 50'000;
constexpr size_t kByteSteps = 8;        // of parsing
constexpr size_t kPlaceSteps = 64;      // of a place, and of a schema in its list
constexpr size_t kValueSteps = 64;      // of a value of enum
constexpr size_t kCharacterSteps = 64;  // of a StringSet
constexpr size_t kListedBytes = 16;     // of a schema in the list of a place

// Equal bounds have equal texts.
std::string TextOf(const NumberBounds& bounds) {
  std::string text = bounds.is_integer ? "integer" : "number";
  const auto append = [&](const std::optional<Decimal>& bound, std::string_view name) {
    if (!bound) return;
    StrAppend(&text, name, bound->is_negative ? "-" : "", bound->integer, ".", bound->fraction);
  };
  append(bounds.min, bounds.excludes_min ? ">" : ">=");
  append(bounds.max, bounds.excludes_max ? "<" : "<=");
  append(bounds.multiple_of, "*");
  return text;
}

// Adds the nodes of one schema to a grammar.
class SchemaCompiler {
 public:
  SchemaCompiler(const SchemaDocument& document, CompileBudget* budget, Grammar* grammar)
      : document_(document), reader_(document, budget), budget_(*budget), grammar_(*grammar) {}

  absl::StatusOr<GrammarNodeId> Compile(size_t text_bytes) {
    RETURN_IF_ERROR(reader_.TakeSteps(kByteSteps * text_bytes));
    const size_t before = grammar_.nodes.size();
    ASSIGN_OR_RETURN(const GrammarNodeId root, NodeFor({&document_.root()}));
    // Places that are reached are compiled one after the other, however deep they are.
    for (size_t i = 0; i < places_.size(); ++i) {
      const auto& [schemas, node] = *places_[i];
      RETURN_IF_ERROR(CompilePlace(schemas, node));
      RETURN_IF_ERROR(reader_.CheckBranches());
      if (grammar_.nodes.size() - before > kMaxSchemaNodes) {
        return document_.Error(document_.root(),
                               StrCat("the grammar has more than ", kMaxSchemaNodes, " parts"));
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
  absl::StatusOr<GrammarNodeId> NodeFor(SchemaList schemas) {
    RETURN_IF_ERROR(reader_.TakeSteps(kPlaceSteps * (1 + schemas.size())));
    const auto [it, added] = node_of_.try_emplace(std::move(schemas), 0);
    if (!added) return it->second;
    if (!budget_.TakeBytes(kListedBytes * it->first.size())) {
      return TooLarge("places have too many schemas in all; let fewer places merge a long allOf");
    }
    it->second = Add({.kind = GrammarNode::kAlternatives});
    places_.push_back(&*it);
    return it->second;
  }
  absl::Status TooLarge(std::string_view what) const {
    return document_.Error(document_.root(), what);
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
    if ((shape.types & kArrayType) != 0) {
      ASSIGN_OR_RETURN(const GrammarNodeId array, ArrayNode(shape));
      children->push_back(array);
    }
    if ((shape.types & kObjectType) == 0) return absl::OkStatus();
    ASSIGN_OR_RETURN(const GrammarNodeId object, ObjectNode(shape));
    children->push_back(object);
    return absl::OkStatus();
  }

  absl::StatusOr<GrammarNodeId> NumberNode(const SchemaShape& shape) {
    const std::string bounds = TextOf(shape.number);
    const auto known = number_nodes_.find(bounds);
    if (known != number_nodes_.end()) return known->second;
    absl::StatusOr<NumberDfa> dfa = NumberDfa::Create(shape.number, &budget_);
    if (!dfa.ok()) return document_.Error(document_.root(), ToStd(dfa.status().message()));
    const GrammarNodeId node = AddRule(GrammarNode::kNumber, &grammar_.numbers, *std::move(dfa));
    return number_nodes_[bounds] = node;
  }

  absl::StatusOr<GrammarNodeId> StringNode(const SchemaShape& shape) {
    ASSIGN_OR_RETURN(const StringBounds bounds, reader_.patterns().BoundsOf(shape));
    StringRule rule = {.min = bounds.min, .max = bounds.max};
    if (bounds.dfa != nullptr) {
      const auto next = static_cast<uint32_t>(grammar_.patterns.size());
      const auto [it, added] = pattern_ids_.try_emplace(bounds.dfa.get(), next);
      if (added) {
        const size_t bytes = bounds.dfa->memory_bytes();
        if (!budget_.TakeBytes(bytes) || !budget_.TakeSteps(bytes)) {
          return TooLarge("the patterns and formats need too many states together");
        }
        grammar_.patterns.push_back(*bounds.dfa);
      }
      rule.pattern = it->second;
    }
    return AddRule(GrammarNode::kString, &grammar_.strings, rule);
  }

  absl::StatusOr<GrammarNodeId> ArrayNode(const SchemaShape& shape) {
    ArrayRule rule = {.min = shape.min_items, .max = shape.max_items};
    const ArrayItems items(shape);
    const size_t prefix = std::min<size_t>(items.prefix(), shape.max_items);
    RETURN_IF_ERROR(reader_.TakeSteps((prefix + 1) * shape.arrays.size()));
    for (size_t i = 0; i < prefix; ++i) {
      ASSIGN_OR_RETURN(const GrammarNodeId item, NodeFor(items.SchemasOf(i)));
      rule.prefix.push_back(item);
    }
    if (rule.max > prefix) {
      ASSIGN_OR_RETURN(rule.rest, NodeFor(items.SchemasOf(items.prefix())));
    }
    return AddRule(GrammarNode::kArray, &grammar_.arrays, std::move(rule));
  }

  absl::StatusOr<GrammarNodeId> ObjectNode(const SchemaShape& shape) {
    ObjectRule rule;
    rule.min = shape.min_properties;
    rule.max = shape.max_properties;
    ASSIGN_OR_RETURN(std::vector<NamedProperty> properties, Properties(shape));
    if (rule.min > properties.size() + 1) {
      return document_.Error(*shape.min_properties_place,
                             "more than the named properties and one; whether additional keys "
                             "differ from each other cannot be checked");
    }
    std::vector<std::string_view> keys;
    for (NamedProperty& property : properties) {
      keys.push_back(property.key);
      ASSIGN_OR_RETURN(const GrammarNodeId value, NodeFor(std::move(property.schemas)));
      rule.values.push_back(value);
      rule.is_required.push_back(property.is_required);
    }
    RETURN_IF_ERROR(
        TakeStrings(keys, shape.objects.empty() ? document_.root() : *shape.objects[0]));
    rule.keys = StringSet(keys);
    ASSIGN_OR_RETURN(rule.additional, NodeFor(AdditionalSchemas(shape)));
    return AddRule(GrammarNode::kObject, &grammar_.objects, std::move(rule));
  }

  // The named properties, with what must hold for each.
  absl::StatusOr<std::vector<NamedProperty>> Properties(const SchemaShape& shape) {
    RETURN_IF_ERROR(reader_.TakeSteps(kPlaceSteps * (shape.objects.size() + NamedKeys(shape))));
    std::vector<NamedProperty> properties = NamedProperties(shape);
    const size_t listed = AdditionalSchemas(shape).size() * properties.size();
    RETURN_IF_ERROR(reader_.TakeSteps(kPlaceSteps * listed));
    FillSchemas(shape, &properties);
    return properties;
  }

  // Takes what a StringSet of the texts needs.
  absl::Status TakeStrings(const std::vector<std::string_view>& texts, const Json& place) {
    size_t steps = 0, bytes = 0;
    for (const std::string_view text : texts) {
      steps += kCharacterSteps * (text.size() + 1);
      bytes += StringSet::MemoryBytes(text);
    }
    if (budget_.TakeSteps(steps) && budget_.TakeBytes(bytes)) return absl::OkStatus();
    return document_.Error(place,
                           "the objects and enums of the schema have too many properties and "
                           "strings together; let fewer places refer to a large one with other "
                           "keywords beside it");
  }

  absl::Status AddValues(const SchemaShape& shape, std::vector<GrammarNodeId>* children) {
    SchemaShape rest = shape;
    rest.values.reset();
    std::vector<ShapeValue> strings;
    for (const ShapeValue& listed : *shape.values) {
      const Json& value = *listed.value;
      RETURN_IF_ERROR(reader_.TakeSteps(kValueSteps));
      ASSIGN_OR_RETURN(const bool accepted, reader_.Accepts(rest, value));
      if (!accepted) continue;
      if (value.is_string()) {
        strings.push_back(listed);
      } else {
        ASSIGN_OR_RETURN(const GrammarNodeId node, ValueNode(value));
        children->push_back(node);
      }
    }
    if (strings.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const GrammarNodeId node, StringsNode(strings));
    children->push_back(node);
    return absl::OkStatus();
  }

  // One of the strings; equal lists share a node.
  absl::StatusOr<GrammarNodeId> StringsNode(const std::vector<ShapeValue>& strings) {
    std::vector<uint32_t> ids;
    std::vector<std::string_view> texts;
    for (const auto& [id, value] : strings) {
      ids.push_back(id);
      texts.push_back(value->get_ref<const std::string&>());
    }
    const auto [it, added] = strings_nodes_.try_emplace(std::move(ids), 0);
    if (!added) return it->second;
    RETURN_IF_ERROR(TakeStrings(texts, *strings[0].value));
    grammar_.sets_of_strings.emplace_back(texts);
    StringRule rule;
    rule.set = static_cast<uint32_t>(grammar_.sets_of_strings.size() - 1);
    return it->second = AddRule(GrammarNode::kString, &grammar_.strings, rule);
  }

  // One value of enum or const, which has one node. The document is not nested deeply, and so are
  // its values.
  absl::StatusOr<GrammarNodeId> ValueNode(const Json& value) {
    RETURN_IF_ERROR(reader_.TakeSteps(kValueSteps));
    if (value.is_string()) return StringsNode({{reader_.values().IdOf(value), &value}});
    if (!value.is_structured()) return ScalarNode(value);
    const auto known = value_nodes_.find(&value);
    if (known != value_nodes_.end()) return known->second;
    std::vector<GrammarNodeId> parts;
    for (const Json& part : value) {
      ASSIGN_OR_RETURN(const GrammarNodeId node, ValueNode(part));
      parts.push_back(node);
    }
    const auto count = static_cast<uint32_t>(parts.size());
    if (value.is_array()) {
      ArrayRule rule = {.prefix = std::move(parts), .min = count, .max = count};
      return value_nodes_[&value] = AddRule(GrammarNode::kArray, &grammar_.arrays, std::move(rule));
    }
    std::vector<std::string_view> keys;
    for (const auto& [key, part] : value.items()) keys.push_back(key);
    RETURN_IF_ERROR(TakeStrings(keys, value));
    ObjectRule rule;
    rule.keys = StringSet(keys);
    rule.values = std::move(parts);
    rule.is_required.assign(count, true);
    return value_nodes_[&value] = AddRule(GrammarNode::kObject, &grammar_.objects, std::move(rule));
  }

  GrammarNodeId ScalarNode(const Json& value) {
    const std::string text = JsonText(value);
    // 1.0 is usually written 1.
    if (value.is_number_float() && text.ends_with(".0")) {
      return Add({.kind = GrammarNode::kAlternatives,
                  .children = {Literal(text), Literal(text.substr(0, text.size() - 2))}});
    }
    return Literal(text);
  }

  const SchemaDocument& document_;
  SchemaReader reader_;
  CompileBudget& budget_;
  Grammar& grammar_;
  std::unordered_map<SchemaList, GrammarNodeId, absl::Hash<SchemaList>> node_of_;
  std::vector<const std::pair<const SchemaList, GrammarNodeId>*> places_;  // of node_of_
  absl::flat_hash_map<std::string, GrammarNodeId> literal_nodes_;
  absl::flat_hash_map<std::string, GrammarNodeId> number_nodes_;
  absl::flat_hash_map<const Json*, GrammarNodeId> value_nodes_;
  absl::flat_hash_map<std::vector<uint32_t>, GrammarNodeId> strings_nodes_;
  absl::flat_hash_map<const PatternDfa*, uint32_t> pattern_ids_;
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

absl::StatusOr<GrammarNodeId> AddJsonSchema(std::string_view text, CompileBudget* budget,
                                            Grammar* grammar) {
  ASSIGN_OR_RETURN(const SchemaDocument document, SchemaDocument::Parse(text));
  return SchemaCompiler(document, budget, grammar).Compile(text.size());
}

absl::StatusOr<std::shared_ptr<const Grammar>> CompileJsonSchema(std::string_view text,
                                                                 const JsonSchemaOptions& options,
                                                                 CompileBudget* budget) {
  CompileBudget own;
  if (budget == nullptr) budget = &own;
  Grammar grammar;
  grammar.whitespace = options.whitespace;
  ASSIGN_OR_RETURN(grammar.root, AddJsonSchema(text, budget, &grammar));
  if (options.whitespace == JsonWhitespace::kFree) {
    grammar.root = InWhitespace(grammar.root, &grammar);
  }
  if (!FinishGrammar(&grammar)) {
    return absl::InvalidArgumentError("JSON schema, #: no document satisfies the schema");
  }
  return std::make_shared<const Grammar>(std::move(grammar));
}

std::shared_ptr<const Grammar> AnyJson(const JsonSchemaOptions& options) {
  return *CompileJsonSchema("true", options);
}

}  // namespace infer
