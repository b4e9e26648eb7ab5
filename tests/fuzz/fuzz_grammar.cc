// SPDX-License-Identifier: Apache-2.0
//
// Any text is refused as a grammar with one line, or compiles; then any document is followed
// through it, byte by byte and token by token, and in one of 32 inputs the masks on the way allow
// what asking for each token allows, unless a limit was reached. The input is a JSON schema if it
// begins with {, the parameters of a tool after T, a regex after /, else GBNF; the document follows
// after a byte 0xFF.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "frontends/grammar/check_text.h"
#include "frontends/grammar/gbnf.h"
#include "frontends/grammar/json_schema.h"
#include "frontends/grammar/pattern_dfa.h"
#include "frontends/grammar/token_matcher.h"
#include "frontends/grammar/tool_call_grammar.h"
#include "tests/frontends/tokenizer/small_vocabulary.h"
#include "tests/fuzz/one_in.h"

namespace infer {
namespace {

const std::shared_ptr<const GrammarVocabulary>& Words() {
  static const auto* made = [] {
    TestVocabulary vocabulary;
    for (const char* text : {"\"a", "\",", "\":", "{\"", "\"}", "aa", "ab", "12", "e1", "\\n",
                             "\\u", "true", "null", "]}", ",\"", "0.5", "\\\"", "a\"b"}) {
      vocabulary.Add(text, TokenType::kNormal);
    }
    return new std::shared_ptr<const GrammarVocabulary>(
        GrammarVocabulary::Create(*Vocabulary::Create(vocabulary.Data())));
  }();
  return *made;
}

void CheckMask(TokenMatcher& matcher) {
  // Asked for first: once there is a mask, it answers.
  TokenMask allowed(Words()->token_count());
  for (int32_t id = 0; id < Words()->token_count(); ++id) {
    if (matcher.Allows(id)) allowed.Add(id);
  }
  const bool is_equal = matcher.Mask() == allowed;
  if (!is_equal && !matcher.reached_limit()) std::abort();
}

void Run(const std::shared_ptr<const Grammar>& grammar, std::string_view document,
         bool checks_masks) {
  const bool accepted = !CheckText(grammar, document);
  TokenMatcher matcher(grammar, Words());
  bool alive = true;
  for (size_t i = 0; i < document.size() && alive; ++i) {
    // A mask asks for each token, which takes milliseconds with a sanitizer: ten in a document.
    if (checks_masks && (i == 0 || std::has_single_bit(i))) CheckMask(matcher);
    std::string forced;
    matcher.AppendForcedText(1, &forced);
    const auto byte = static_cast<uint8_t>(document[i]);
    alive = byte != 0 && matcher.Accept(byte);  // token 0 ends a text here
    if (alive && !forced.empty() && forced[0] != document[i]) std::abort();
  }
  const bool has_end = document.find('\0') != document.npos;
  if (!has_end && accepted != (alive && matcher.accepts())) std::abort();
}

absl::StatusOr<std::shared_ptr<const Grammar>> Compile(std::string_view rules,
                                                       JsonWhitespace whitespace) {
  if (rules.starts_with('{')) return CompileJsonSchema(rules, {.whitespace = whitespace});
  if (!rules.starts_with("T{")) return CompileGbnf(rules);
  const ToolSchema tools[] = {{"f", std::string(rules.substr(1))}, {"g\""}};
  return CompileToolCall(tools, ToolCallForm::kJson);
}

void CheckStatus(const absl::Status& status) {
  if (status.message().empty()) std::abort();
}

}  // namespace
}  // namespace infer

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace infer;
  if (size > 4096) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(input.find('\xFF'), input.size());
  const std::string_view rules = input.substr(0, end);
  const std::string_view document = end < size ? input.substr(end + 1) : std::string_view();
  if (rules.starts_with('/')) {
    const absl::StatusOr<RegexNode> regex = ParseRegex(rules.substr(1));
    if (!regex.ok()) {
      CheckStatus(regex.status());
      return 0;
    }
    // Few steps: at the usual limit an automaton takes seconds with a sanitizer.
    CompileBudget budget(size_t{1} << 20);
    const auto dfa = PatternDfa::Create(*regex, &budget);
    if (!dfa.ok()) CheckStatus(dfa.status());
    return 0;
  }
  const JsonWhitespace whitespace =
      document.starts_with(' ') ? JsonWhitespace::kFree : JsonWhitespace::kTidy;
  const auto grammar = Compile(rules, whitespace);
  if (grammar.ok()) {
    Run(*grammar, document, IsOneIn(32, input));
  } else {
    CheckStatus(grammar.status());
  }
  return 0;
}
