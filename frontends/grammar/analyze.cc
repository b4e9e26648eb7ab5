// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/analyze.h"

#include <algorithm>
#include <utility>

namespace infer {
namespace {

constexpr GrammarNodeId kForbidden = ObjectRule::kForbidden;

// A fact about nodes that follows from the same fact about their children. Takes time with the
// number of children: each tells its parents once.
class NodeFacts {
 public:
  explicit NodeFacts(size_t nodes) : needs_(nodes) {}

  // The fact about `node` needs the one about `child`.
  void Require(GrammarNodeId node, GrammarNodeId child) {
    ++needs_[node].required;
    links_.push_back({child, node, true});
  }
  // It needs `count` of those about the children that are offered.
  void RequireOffers(GrammarNodeId node, uint32_t count) { needs_[node].offers = count; }
  void Offer(GrammarNodeId node, GrammarNodeId child) { links_.push_back({child, node, false}); }
  void Exclude(GrammarNodeId node) { needs_[node].is_excluded = true; }

  // Returns the nodes that the fact holds for, and adds how often a parent was told.
  std::vector<bool> Settle(size_t* steps) && {
    std::ranges::sort(links_, {}, &Link::child);
    std::vector<bool> holds(needs_.size());
    std::vector<GrammarNodeId> work;
    const auto check = [&](GrammarNodeId node) {
      const Needs& needs = needs_[node];
      if (holds[node] || needs.is_excluded || needs.required > 0 || needs.offers > 0) return;
      holds[node] = true;
      work.push_back(node);
    };
    for (GrammarNodeId node = 0; node < needs_.size(); ++node) check(node);
    while (!work.empty()) {
      const auto parents = std::ranges::equal_range(links_, work.back(), {}, &Link::child);
      work.pop_back();
      *steps += parents.size();
      for (const Link& link : parents) {
        uint32_t& needed =
            link.is_required ? needs_[link.parent].required : needs_[link.parent].offers;
        if (needed > 0) --needed;
        check(link.parent);
      }
    }
    return holds;
  }

 private:
  struct Needs {
    uint32_t required = 0, offers = 0;
    bool is_excluded = false;
  };
  struct Link {
    GrammarNodeId child, parent;
    bool is_required;
  };
  std::vector<Needs> needs_;
  std::vector<Link> links_;
};

void AddObject(GrammarNodeId node, const ObjectRule& object, NodeFacts* facts) {
  uint32_t required = 0;
  for (size_t i = 0; i < object.values.size(); ++i) {
    const GrammarNodeId value = object.values[i];
    required += object.is_required[i];
    if (value == kForbidden) {
      if (object.is_required[i]) facts->Exclude(node);
    } else if (object.is_required[i]) {
      facts->Require(node, value);
    } else {
      facts->Offer(node, value);
    }
  }
  // Additional keys might be equal to each other, so they count as one property.
  if (object.additional != kForbidden) facts->Offer(node, object.additional);
  if (required > object.max || object.min > object.max) facts->Exclude(node);
  if (object.min > required) facts->RequireOffers(node, object.min - required);
}

void AddArray(GrammarNodeId node, const ArrayRule& array, NodeFacts* facts) {
  if (array.min > array.max) facts->Exclude(node);
  for (size_t i = 0; i < std::min<size_t>(array.min, array.prefix.size()); ++i) {
    facts->Require(node, array.prefix[i]);
  }
  if (array.min <= array.prefix.size()) return;
  if (array.rest == kForbidden) {
    facts->Exclude(node);
  } else {
    facts->Require(node, array.rest);
  }
}

// What holds for a node whose children stand for what it matches.
void AddChildren(GrammarNodeId id, const GrammarNode& node, NodeFacts* facts) {
  if (node.kind == GrammarNode::kAlternatives) {
    facts->RequireOffers(id, 1);
    for (const GrammarNodeId child : node.children) facts->Offer(id, child);
  } else if (node.kind == GrammarNode::kSequence || node.min > 0) {
    for (const GrammarNodeId child : node.children) facts->Require(id, child);
  }
}

bool IsMatchable(const Grammar& grammar, const StringRule& rule) {
  if (rule.min > rule.max) return false;
  if (!rule.pattern) return true;
  const PatternDfa& dfa = grammar.patterns[*rule.pattern];
  return !dfa.empty() && dfa.CanEndWithin(dfa.start(), rule.min, rule.max);
}

void AddMatchable(const Grammar& grammar, GrammarNodeId id, NodeFacts* facts) {
  const GrammarNode& node = grammar.nodes[id];
  bool can = true;
  switch (node.kind) {
    case GrammarNode::kLiteral:
      return;
    case GrammarNode::kChar:
      can = !grammar.sets[node.index].empty();
      break;
    case GrammarNode::kNumber:
      can = !grammar.numbers[node.index].empty();
      break;
    case GrammarNode::kString:
      can = IsMatchable(grammar, grammar.strings[node.index]);
      break;
    case GrammarNode::kObject:
      return AddObject(id, grammar.objects[node.index], facts);
    case GrammarNode::kArray:
      return AddArray(id, grammar.arrays[node.index], facts);
    case GrammarNode::kSequence:
    case GrammarNode::kAlternatives:
    case GrammarNode::kRepeat:
      return AddChildren(id, node, facts);
  }
  if (!can) facts->Exclude(id);
}

std::vector<bool> NullableNodes(const Grammar& grammar) {
  NodeFacts facts(grammar.nodes.size());
  for (GrammarNodeId id = 0; id < grammar.nodes.size(); ++id) {
    const GrammarNode& node = grammar.nodes[id];
    const bool has_children = node.kind == GrammarNode::kSequence ||
                              node.kind == GrammarNode::kAlternatives ||
                              node.kind == GrammarNode::kRepeat;
    const bool is_empty =
        node.kind == GrammarNode::kLiteral && grammar.literals[node.index].empty();
    if (has_children) {
      AddChildren(id, node, &facts);
    } else if (!is_empty) {
      facts.Exclude(id);
    }
  }
  size_t steps = 0;
  return std::move(facts).Settle(&steps);
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

std::vector<bool> MatchableNodes(const Grammar& grammar, size_t* steps) {
  NodeFacts facts(grammar.nodes.size());
  for (GrammarNodeId id = 0; id < grammar.nodes.size(); ++id) AddMatchable(grammar, id, &facts);
  size_t own_steps = 0;
  return std::move(facts).Settle(steps == nullptr ? &own_steps : steps);
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
  const std::vector<bool> nullable = NullableNodes(*grammar);
  for (size_t i = 0; i < nullable.size(); ++i) grammar->nodes[i].is_nullable = nullable[i];
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
