// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/grammar_vocabulary.h"

#include <algorithm>
#include <utility>

namespace infer {

std::shared_ptr<const GrammarVocabulary> GrammarVocabulary::Create(const Vocabulary& vocabulary) {
  std::shared_ptr<GrammarVocabulary> made(new GrammarVocabulary());
  std::vector<std::pair<std::string, int32_t>> tokens;
  std::string bytes;
  for (int32_t token = 0; token < vocabulary.token_count(); ++token) {
    made->offsets_.push_back(static_cast<uint32_t>(made->arena_.size()));
    const bool is_end = std::ranges::binary_search(vocabulary.end_ids(), token);
    if (vocabulary.is_special(token) || is_end) continue;
    bytes.clear();
    vocabulary.AppendBytes(token, &bytes);
    if (bytes.empty()) continue;
    if (bytes == "\n" || bytes == "\n\n") made->line_breaks_.push_back(token);
    made->arena_ += bytes;
    tokens.push_back({bytes, token});
  }
  made->offsets_.push_back(static_cast<uint32_t>(made->arena_.size()));
  made->strings_ = StringTokens(tokens, vocabulary.token_count());
  made->trie_ = TokenTrie(std::move(tokens));
  made->end_ids_ = vocabulary.end_ids();
  return made;
}

}  // namespace infer
