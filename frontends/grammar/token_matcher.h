// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/grammar/grammar_matcher.h"
#include "frontends/grammar/grammar_vocabulary.h"
#include "frontends/grammar/mask_cache.h"
#include "frontends/grammar/token_mask.h"

namespace infer {

// Follows a text through a grammar token by token, and says which tokens can come next. One object
// serves one text, and is used by one thread at a time.
class TokenMatcher {
 public:
  struct MaskCounts {
    int64_t computed = 0;
    int64_t cached = 0;
  };

  // `masks` is shared by the texts of one grammar and vocabulary; null: this text has its own.
  TokenMatcher(std::shared_ptr<const Grammar> grammar,
               std::shared_ptr<const GrammarVocabulary> vocabulary,
               std::shared_ptr<MaskCache> masks = nullptr);

  // Whether the text may go on with this token, or end with it.
  bool Allows(int32_t token);
  // All tokens that Allows, as far as they are found in kFollowedPerNode steps for each node of the
  // vocabulary's tree; an ambiguous grammar can take thousands. Valid until the next call.
  const TokenMask& Mask();
  // The text goes on with this token; returns false if that is not allowed, and nothing is from
  // then on. An end token changes nothing.
  bool Accept(int32_t token);
  // Appends what must follow whatever token comes next, up to `most_bytes`.
  void AppendForcedText(size_t most_bytes, std::string* text);

  bool accepts() const { return state_.accepts; }
  // Whether a limit, and not the grammar, has refused something.
  bool reached_limit() const { return matcher_.reached_limit() || reached_walk_limit_; }
  static constexpr size_t kFollowedPerNode = 64;
  size_t followed() const { return matcher_.followed(); }
  const MaskCounts& counts() const { return counts_; }
  const GrammarVocabulary& vocabulary() const { return *vocabulary_; }

 private:
  bool IsEnd(int32_t token) const;
  bool Follow(std::string_view bytes, GrammarState* to);
  // Returns whether mask_ is that of the state, without computing it.
  bool FindMask();
  TokenMask ComputeMask();
  bool AddString(const GrammarPosition& position, TokenMask* mask);
  void AddFreeString(const GrammarPosition& position, const StringRule& rule, TokenMask* mask);
  template <class OnToken>
  void Walk(const TokenTrie& trie, const GrammarState& from, const OnToken& on_token);
  template <class OnToken>
  void WalkChildren(const TokenTrie& trie, const TokenTrie::Children& children, size_t depth,
                    const OnToken& on_token);
  // The nodes from `begin` to before `end`, which lie below `depth` bytes; walk_states_[depth] is
  // where they begin.
  template <class OnToken>
  void WalkNodes(const TokenTrie& trie, size_t begin, size_t end, size_t depth,
                 const OnToken& on_token);
  // The same for nodes that begin inside a string at walk_positions_[depth].
  template <class OnToken>
  void WalkString(const TokenTrie& trie, size_t begin, size_t end, size_t depth,
                  const OnToken& on_token);
  bool IsInString(const GrammarState& state) const;
  // Whether a string goes on with every text of bytes of these kinds, up to this length.
  bool GoesOnWithAll(const StringRule& rule, const GrammarPosition& position,
                     const TokenTrie::Below& below) const;

  std::shared_ptr<const GrammarVocabulary> vocabulary_;
  GrammarMatcher matcher_;
  GrammarState state_;
  GrammarState scratch_[2];
  // Tokens that were asked for in this state. The first byte refuses most of them, and if there
  // are many a mask that is known already is quicker.
  static constexpr int kFewTokens = 4;
  int asked_ = 0;
  std::optional<ByteSet> next_bytes_;
  // Indexed by the bytes of a token so far.
  std::vector<GrammarState> walk_states_;
  std::vector<GrammarPosition> walk_positions_;
  std::vector<size_t> walk_ends_;
  size_t walk_limit_ = 0;  // of followed()
  bool reached_walk_limit_ = false;
  std::shared_ptr<MaskCache> masks_;
  std::shared_ptr<const TokenMask> mask_;
  bool mask_is_current_ = false;
  MaskCache::Key key_;
  MaskCounts counts_;
};

}  // namespace infer
