// SPDX-License-Identifier: Apache-2.0
//
// Which bytes are worth trying: most places of a grammar go on with a few.
#include "frontends/grammar/byte_set.h"
#include "frontends/grammar/grammar_matcher.h"

namespace infer {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

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
      return bytes->AddAll();
  }
}

}  // namespace

ByteSet GrammarMatcher::NextBytes(const GrammarState& state) const {
  ByteSet bytes;
  for (const GrammarPosition& position : state.positions) {
    const GrammarNode& node = grammar_->nodes[position.node];
    switch (node.kind) {
      case GrammarNode::kLiteral:
        bytes.Add(static_cast<uint8_t>(grammar_->literals[node.index][position.a]));
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
