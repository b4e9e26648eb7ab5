// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/analyze.h"

#include <algorithm>
#include <utility>

namespace infer {
namespace {

constexpr GrammarNodeId kForbidden = ObjectRule::kForbidden;

// Calls `update` for every node until no call returns true. Facts only ever become true, so this
// ends; going backwards settles most grammars at once, since children come first or last.
template <class Update>
void UntilStable(size_t count, const Update& update) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < count; ++i) changed |= update(i);
    for (size_t i = count; i-- > 0;) changed |= update(i);
  }
}

bool ObjectMatchable(const ObjectRule& object, const std::vector<bool>& matchable) {
  uint32_t usable = 0, required = 0;
  for (size_t i = 0; i < object.values.size(); ++i) {
    const GrammarNodeId value = object.values[i];
    const bool can = value != kForbidden && matchable[value];
    if (object.is_required[i] && !can) return false;
    usable += can;
    required += object.is_required[i];
  }
  // Additional keys might be equal to each other, so they count as one property.
  const bool additional = object.additional != kForbidden && matchable[object.additional];
  return required <= object.max && usable + additional >= object.min && object.min <= object.max;
}

bool ArrayMatchable(const ArrayRule& array, const std::vector<bool>& matchable) {
  if (array.min > array.max) return false;
  for (size_t i = 0; i < std::min<size_t>(array.min, array.prefix.size()); ++i) {
    if (!matchable[array.prefix[i]]) return false;
  }
  const bool rest = array.rest != kForbidden && matchable[array.rest];
  return rest || array.min <= array.prefix.size();
}

bool IsMatchable(const Grammar& grammar, const GrammarNode& node,
                 const std::vector<bool>& matchable) {
  const auto can = [&](GrammarNodeId child) { return matchable[child]; };
  switch (node.kind) {
    case GrammarNode::kLiteral:
      return true;
    case GrammarNode::kChar:
      return !grammar.sets[node.index].empty();
    case GrammarNode::kNumber:
      return !grammar.numbers[node.index].empty();
    case GrammarNode::kString: {
      const StringRule& rule = grammar.strings[node.index];
      if (rule.min > rule.max) return false;
      if (!rule.pattern) return true;
      const PatternDfa& dfa = grammar.patterns[*rule.pattern];
      return !dfa.empty() && dfa.CanEndWithin(dfa.start(), rule.min, rule.max);
    }
    case GrammarNode::kObject:
      return ObjectMatchable(grammar.objects[node.index], matchable);
    case GrammarNode::kArray:
      return ArrayMatchable(grammar.arrays[node.index], matchable);
    case GrammarNode::kSequence:
      return std::ranges::all_of(node.children, can);
    case GrammarNode::kAlternatives:
      return std::ranges::any_of(node.children, can);
    case GrammarNode::kRepeat:
      return node.min == 0 || matchable[node.children[0]];
  }
  return false;
}

bool IsNullable(const Grammar& grammar, const GrammarNode& node) {
  const auto nullable = [&](GrammarNodeId child) { return grammar.nodes[child].is_nullable; };
  switch (node.kind) {
    case GrammarNode::kLiteral:
      return grammar.literals[node.index].empty();
    case GrammarNode::kSequence:
      return std::ranges::all_of(node.children, nullable);
    case GrammarNode::kAlternatives:
      return std::ranges::any_of(node.children, nullable);
    case GrammarNode::kRepeat:
      return node.min == 0 || nullable(node.children[0]);
    default:
      return false;
  }
}

void FinishObject(const std::vector<bool>& matchable, ObjectRule* object) {
  const auto forbid = [&](GrammarNodeId* value) {
    if (*value != kForbidden && !matchable[*value]) *value = kForbidden;
  };
  for (GrammarNodeId& value : object->values) forbid(&value);
  forbid(&object->additional);
  const size_t count = object->values.size();
  std::vector<bool> hidden;
  for (const GrammarNodeId value : object->values) hidden.push_back(value == kForbidden);
  object->keys.Hide(hidden);
  object->next_required.assign(count + 1, static_cast<uint32_t>(count));
  object->required_from.assign(count + 1, 0);
  object->usable_from.assign(count + 1, 0);
  for (size_t i = count; i-- > 0;) {
    const bool required = object->is_required[i];
    object->next_required[i] = required ? static_cast<uint32_t>(i) : object->next_required[i + 1];
    object->required_from[i] = object->required_from[i + 1] + required;
    object->usable_from[i] = object->usable_from[i + 1] + (object->values[i] != kForbidden);
  }
}

void FinishArray(const std::vector<bool>& matchable, ArrayRule* array) {
  for (size_t i = 0; i < array->prefix.size(); ++i) {
    if (matchable[array->prefix[i]]) continue;
    array->prefix.resize(i);
    array->max = std::min(array->max, static_cast<uint32_t>(i));
    break;
  }
  if (array->rest != kForbidden && !matchable[array->rest]) array->rest = kForbidden;
  if (array->rest == kForbidden) {
    array->max = std::min(array->max, static_cast<uint32_t>(array->prefix.size()));
  }
}

}  // namespace

std::vector<bool> MatchableNodes(const Grammar& grammar) {
  std::vector<bool> matchable(grammar.nodes.size());
  UntilStable(grammar.nodes.size(), [&](size_t i) {
    if (matchable[i] || !IsMatchable(grammar, grammar.nodes[i], matchable)) return false;
    matchable[i] = true;
    return true;
  });
  return matchable;
}

bool FinishGrammar(Grammar* grammar) {
  const std::vector<bool> matchable = MatchableNodes(*grammar);
  if (!matchable[grammar->root]) return false;
  for (GrammarNode& node : grammar->nodes) {
    if (node.kind == GrammarNode::kAlternatives) {
      std::erase_if(node.children, [&](GrammarNodeId child) { return !matchable[child]; });
    }
    if (node.kind == GrammarNode::kRepeat && !matchable[node.children[0]]) node.max = 0;
  }
  for (ObjectRule& object : grammar->objects) FinishObject(matchable, &object);
  for (ArrayRule& array : grammar->arrays) FinishArray(matchable, &array);
  UntilStable(grammar->nodes.size(), [&](size_t i) {
    GrammarNode& node = grammar->nodes[i];
    if (node.is_nullable || !IsNullable(*grammar, node)) return false;
    node.is_nullable = true;
    return true;
  });
  return true;
}

std::optional<GrammarNodeId> FindLeftRecursion(const Grammar& grammar) {
  enum Mark : uint8_t { kNew, kOpen, kDone };
  std::vector<Mark> marks(grammar.nodes.size(), kNew);
  struct Visit {
    GrammarNodeId node;
    size_t child;
  };
  for (GrammarNodeId start = 0; start < grammar.nodes.size(); ++start) {
    if (marks[start] != kNew) continue;
    std::vector<Visit> path = {{start, 0}};
    marks[start] = kOpen;
    while (!path.empty()) {
      Visit& visit = path.back();
      const GrammarNode& node = grammar.nodes[visit.node];
      // Of a sequence only what can come first counts.
      const bool blocked = node.kind == GrammarNode::kSequence && visit.child > 0 &&
                           !grammar.nodes[node.children[visit.child - 1]].is_nullable;
      if (visit.child >= node.children.size() || blocked) {
        marks[visit.node] = kDone;
        path.pop_back();
        continue;
      }
      const GrammarNodeId child = node.children[visit.child++];
      if (marks[child] == kOpen) return child;
      if (marks[child] == kDone) continue;
      marks[child] = kOpen;
      path.push_back({child, 0});
    }
  }
  return std::nullopt;
}

}  // namespace infer
