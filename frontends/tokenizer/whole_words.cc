// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/whole_words.h"

#include <string>

#include "ir/base/strings.h"

namespace infer {

WholeWords::WholeWords(const Vocabulary& vocabulary) {
  struct Word {
    size_t begin;
    size_t size;
    int32_t id;
  };
  std::vector<Word> words;
  std::string word;
  for (int32_t id = 0; id < vocabulary.token_count(); ++id) {
    if (vocabulary.type(id) != TokenType::kNormal) continue;
    word.clear();
    vocabulary.AppendBytes(id, &word);
    if (word.size() < 2) continue;
    words.push_back({bytes_.size(), word.size(), id});
    bytes_.insert(bytes_.end(), word.begin(), word.end());
  }
  // The keys are made last: bytes_ no longer moves.
  ids_.reserve(words.size());
  for (const Word& w : words) {
    ids_.try_emplace(absl::string_view(bytes_.data() + w.begin, w.size), w.id);
  }
}

std::optional<int32_t> WholeWords::Find(std::string_view word) const {
  auto it = ids_.find(ToAbsl(word));
  if (it == ids_.end()) return std::nullopt;
  return it->second;
}

size_t WholeWords::memory_bytes() const {
  // One control byte per slot in addition to the entry.
  return bytes_.capacity() + ids_.capacity() * (sizeof(decltype(ids_)::value_type) + 1);
}

}  // namespace infer
