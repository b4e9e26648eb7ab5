// SPDX-License-Identifier: Apache-2.0
//
// Finds text that must follow: what is left of a key, a literal, a value of an enum.
#include "frontends/grammar/grammar_matcher.h"
#include "frontends/grammar/partial_char.h"

namespace infer {

std::optional<uint8_t> GrammarMatcher::OnlyByte(const GrammarState& state) const {
  if (state.accepts || state.positions.empty()) return std::nullopt;
  std::optional<uint8_t> only;
  for (const GrammarPosition& position : state.positions) {
    const std::optional<uint8_t> byte = OnlyByteAt(position);
    if (!byte || (only && *only != *byte)) return std::nullopt;
    only = byte;
  }
  return only;
}

std::optional<uint8_t> GrammarMatcher::OnlyByteAt(const GrammarPosition& position) const {
  const GrammarNode& node = grammar_->nodes[position.node];
  const bool tidy = grammar_->whitespace == JsonWhitespace::kTidy;
  switch (node.kind) {
    case GrammarNode::kLiteral:
      return static_cast<uint8_t>(grammar_->literals[node.index][position.a]);
    case GrammarNode::kString: {
      if (position.phase == GrammarPosition::kOpen) return '"';
      const StringRule& rule = grammar_->strings[node.index];
      if (!rule.set || position.a != 0 || !tidy) return std::nullopt;
      return OnlyByteOfSet(grammar_->sets_of_strings[*rule.set], position.c, 0, kNoLimit);
    }
    case GrammarNode::kArray:
      if (position.phase == GrammarPosition::kOpen) return '[';
      return std::nullopt;
    case GrammarNode::kObject: {
      if (position.phase == GrammarPosition::kOpen) return '{';
      if (position.phase == GrammarPosition::kColon && tidy) return ':';
      if (position.phase != GrammarPosition::kKey || position.a != 0 || !tidy) return std::nullopt;
      const KeyChoice choice = KeysAt(position);
      if (choice.additional) return std::nullopt;
      return OnlyByteOfSet(grammar_->objects[node.index].keys, position.c, choice.first,
                           choice.last);
    }
    default:
      return std::nullopt;
  }
}

std::optional<uint8_t> GrammarMatcher::OnlyByteOfSet(const StringSet& set, uint32_t node,
                                                     uint32_t low, uint32_t high) const {
  const uint32_t number = set.NumberAt(node);
  const bool may_end = number != StringSet::kNone && number >= low && number <= high;
  if (may_end) {
    if (set.LeadsTo(node, 0, kMaxCodePoint, low, high)) return std::nullopt;  // to a longer one
    return '"';
  }
  const uint32_t next = set.OnlyNext(node, low, high);
  if (next == StringSet::kNone || next >= 0x80 || NeedsEscape(next)) return std::nullopt;
  return static_cast<uint8_t>(next);
}

}  // namespace infer
