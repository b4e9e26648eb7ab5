// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "frontends/tokenizer/merge_table.h"
#include "frontends/tokenizer/whole_words.h"
#include "frontends/tokenizer/word_cache.h"

namespace infer {

// Byte-pair encoding of one word after another: starts from the tokens of the bytes and joins the
// adjacent pair of lowest rank, the leftmost among equals, until no pair merges. O(n log n) in the
// length of a word. Holds scratch memory and a cache, so an object must be used by one thread; the
// tables must outlive it.
class BpeEncoder {
 public:
  // `text_bytes` is how much will be encoded; a cache pays off from a few hundred bytes on.
  // A word of `whole_words` becomes that token; null: there are none.
  BpeEncoder(const MergeTable& merges, const WholeWords* whole_words, size_t text_bytes);

  void Encode(std::string_view word, std::vector<int32_t>* ids);

 private:
  // A node of the list of tokens that the word currently consists of.
  struct Symbol {
    int32_t token;
    int32_t previous;
    int32_t next;
    MergeTable::Merge pair;  // of this symbol and the next
  };

  void EncodeShort(std::string_view word, std::vector<int32_t>* ids) const;
  void EncodeLong(std::string_view word, std::vector<int32_t>* ids);
  void StartSymbols(std::string_view word);
  bool UpdatePair(int32_t left);
  void PushPair(int32_t left);
  void JoinWithNext(int32_t left);

  const MergeTable& merges_;
  const WholeWords* whole_words_;
  WordCache cache_;
  std::vector<Symbol> symbols_;
  std::vector<uint64_t> heap_;
};

}  // namespace infer
