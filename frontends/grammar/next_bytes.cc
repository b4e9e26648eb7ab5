// SPDX-License-Identifier: Apache-2.0
//
// Which bytes are worth trying: most places of a grammar go on with a few.
#include "frontends/grammar/byte_set.h"
#include "frontends/grammar/grammar_matcher.h"
#include "frontends/grammar/partial_char.h"

namespace infer {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";
constexpr uint8_t kFirstLead = 0xC2, kLastLead = 0xF4;  // of UTF-8 beyond ASCII

uint8_t LeadByte(uint32_t code_point) {
  if (code_point < 0x80) return static_cast<uint8_t>(code_point);
  if (code_point < 0x800) return static_cast<uint8_t>(0xC0 | code_point >> 6);
  if (code_point < 0x10000) return static_cast<uint8_t>(0xE0 | code_point >> 12);
  return static_cast<uint8_t>(0xF0 | code_point >> 18);
}

// The next character of a known string with a number from `low` to `high`, or its end.
void AddBytesOfSet(const StringSet& set, uint32_t node, uint32_t low, uint32_t high,
                   bool escapes_only_if_needed, ByteSet* bytes) {
  if (set.NumberAt(node) != StringSet::kNone) bytes->Add("\"");
  if (!escapes_only_if_needed) bytes->Add("\\");
  set.ForEachNext(node, low, high, [&](uint32_t code_point) {
    bytes->Add(NeedsEscape(code_point) ? '\\' : LeadByte(code_point));
  });
}

void AddBytesOfPattern(const PatternDfa& dfa, uint32_t state, ByteSet* bytes) {
  bytes->Add("\\");
  if (dfa.accepts(state)) bytes->Add("\"");
  for (uint8_t byte = 0x20; byte < 0x80; ++byte) {
    if (!NeedsEscape(byte) && dfa.Next(state, byte) != PatternDfa::kDead) bytes->Add(byte);
  }
  const auto any = [](uint32_t) { return true; };
  if (dfa.AnyNext(state, 0x80, kMaxCodePoint, any)) bytes->AddRange(kFirstLead, kLastLead);
}

void AddJsonBytes(const GrammarPosition& position, std::string_view open, std::string_view close,
                  ByteSet* bytes) {
  switch (position.phase) {
    case GrammarPosition::kOpen:
      return bytes->Add(open);
    case GrammarPosition::kFirst:
    case GrammarPosition::kNext:
      bytes->Add("\"");
      bytes->Add(close);
      return bytes->Add(kSpaces);
    case GrammarPosition::kColon:
      bytes->Add(":");
      return bytes->Add(kSpaces);
    case GrammarPosition::kValue:
      return bytes->Add(kSpaces);
    case GrammarPosition::kAfter:
      bytes->Add(",");
      bytes->Add(close);
      return bytes->Add(kSpaces);
    case GrammarPosition::kInside:
    case GrammarPosition::kKey:
      return;  // AddBytesInside
  }
}

}  // namespace

// The bytes inside a string or a key.
void GrammarMatcher::AddBytesInside(const GrammarPosition& position, ByteSet* bytes) const {
  if (position.a != 0) return bytes->AddAll();  // within a character
  const GrammarNode& node = grammar_->nodes[position.node];
  if (position.phase == GrammarPosition::kKey) {
    const KeyChoice choice = KeysAt(position);
    if (choice.additional || position.c == StringSet::kNone) return bytes->AddAll();
    return AddBytesOfSet(grammar_->objects[node.index].keys, position.c, choice.first, choice.last,
                         EscapesOnlyIfNeeded(), bytes);
  }
  const StringRule& rule = grammar_->strings[node.index];
  if (rule.set) {
    return AddBytesOfSet(grammar_->sets_of_strings[*rule.set], position.c, 0, kNoLimit,
                         EscapesOnlyIfNeeded(), bytes);
  }
  if (rule.pattern) {
    return AddBytesOfPattern(grammar_->patterns[*rule.pattern], position.c, bytes);
  }
  bytes->AddAll();
}

ByteSet GrammarMatcher::NextBytes(const GrammarState& state) const {
  ByteSet bytes;
  for (const GrammarPosition& position : state.positions) {
    if (position.phase == GrammarPosition::kInside || position.phase == GrammarPosition::kKey) {
      AddBytesInside(position, &bytes);
      continue;
    }
    const GrammarNode& node = grammar_->nodes[position.node];
    switch (node.kind) {
      case GrammarNode::kLiteral:
        bytes.Add(static_cast<uint8_t>(grammar_->literals[node.index][position.a]));
        break;
      case GrammarNode::kChar:
        if (position.a != 0) {
          bytes.AddAll();
          break;
        }
        for (const CodePointRange& range : grammar_->sets[node.index].ranges()) {
          bytes.AddRange(LeadByte(range.low), LeadByte(range.high));
        }
        break;
      case GrammarNode::kNumber:
        bytes.Add("0123456789+-.eE");
        break;
      case GrammarNode::kString:
        AddJsonBytes(position, "\"", "", &bytes);
        break;
      case GrammarNode::kObject:
        AddJsonBytes(position, "{", "}", &bytes);
        break;
      case GrammarNode::kArray:
        AddJsonBytes(position, "[", "]", &bytes);
        break;
      default:
        bytes.AddAll();
    }
  }
  return bytes;
}

}  // namespace infer
