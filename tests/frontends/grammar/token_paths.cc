// SPDX-License-Identifier: Apache-2.0
#include "tests/frontends/grammar/token_paths.h"

#include "tests/frontends/tokenizer/vocabulary_file.h"

namespace infer::test {
namespace {

// The tokens that the text begins with, the shortest first.
std::vector<int32_t> TokensAt(const GrammarVocabulary& vocabulary, std::string_view text) {
  std::vector<int32_t> found;
  const auto& nodes = vocabulary.trie().nodes();
  size_t depth = 0, end = nodes.size();
  for (size_t i = 0; i < end && depth < text.size();) {
    if (nodes[i].byte != static_cast<uint8_t>(text[depth])) {
      i += nodes[i].skip;
      continue;
    }
    if (nodes[i].token != TokenTrie::kNoToken) found.push_back(nodes[i].token);
    end = i + nodes[i].skip;
    ++depth;
    ++i;
  }
  return found;
}

}  // namespace

std::vector<int32_t> SingleByteTokens(const GrammarVocabulary& vocabulary, std::string_view text) {
  std::vector<int32_t> ids;
  for (size_t i = 0; i < text.size(); ++i) {
    ids.push_back(TokensAt(vocabulary, text.substr(i)).at(0));
  }
  return ids;
}

std::vector<int32_t> RandomTokens(const GrammarVocabulary& vocabulary, std::string_view text,
                                  std::mt19937& random) {
  std::vector<int32_t> ids;
  while (!text.empty()) {
    const std::vector<int32_t> found = TokensAt(vocabulary, text);
    ids.push_back(found.at(random() % found.size()));
    text.remove_prefix(vocabulary.bytes(ids.back()).size());
  }
  return ids;
}

const std::shared_ptr<const GrammarVocabulary>& Qwen3GrammarVocabulary() {
  static const auto* made = new std::shared_ptr<const GrammarVocabulary>(
      GrammarVocabulary::Create(Qwen3Tokenizer().vocabulary()));
  return *made;
}

const std::shared_ptr<const GrammarVocabulary>& TinyTalesGrammarVocabulary() {
  static const auto* made = new std::shared_ptr<const GrammarVocabulary>(
      GrammarVocabulary::Create(TinyTalesTokenizer().vocabulary()));
  return *made;
}

}  // namespace infer::test
