// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "runtime/engine.h"
#include "runtime/serving/active_request.h"
#include "runtime/serving/prefix_tree.h"

namespace infer {

// A stream that has a sequence of the engine.
struct RunningStream {
  ActiveRequest* request = nullptr;
  TextStream* stream = nullptr;
  bool in_step = false;      // the call being built has tokens of it
  int64_t added_blocks = 0;  // that the prefix tree knows
};

// The streams that have sequences, and the blocks of the cache: who gets some, and who must give
// up its own. When blocks run out, cached prefixes go first, then the newest streams, whose blocks
// stay in the prefix tree as long as possible.
class RunningStreams {
 public:
  RunningStreams(Engine* engine, bool share_prefixes, int32_t most);

  // In order of seniority: by priority, then by age.
  std::vector<RunningStream>& all() { return running_; }
  const std::vector<RunningStream>& all() const { return running_; }
  bool has_place() const { return std::ssize(running_) < most_; }
  bool has_paused() const;
  RunningStream* Find(const TextStream* stream);

  // Gives a stream a sequence, with the longest cached prefix of its text. Returns false if there
  // are not enough blocks for the text.
  bool Admit(ActiveRequest* request, TextStream* stream);
  // Gives a stream a sequence with the tokens of another one. Returns false if there is no place or
  // no block.
  bool AdmitClone(ActiveRequest* request, TextStream* stream, const TextStream& original);
  // Whether a running stream is about to compute a longer prefix of the text than is cached.
  bool IsBeingComputed(std::string_view salt, std::span<const int32_t> text);
  // Tokens of the text that are cached.
  int64_t CachedTokens(std::string_view salt, std::span<const int32_t> text);

  // Makes sure that the stream can run this many tokens, at the cost of streams that are newer and
  // not in the call if `preempt`. Those are released and added to preempted().
  bool EnsureBlocks(const TextStream* stream, int64_t tokens, bool preempt);
  // How many tokens the stream can run without preempting others.
  int64_t TokensThatFit(const TextStream& stream) const;
  void Preempt(const TextStream* stream);
  // Preempts the newest stream that is paused; false if there is none.
  bool PreemptPaused();
  std::vector<RunningStream> TakePreempted() { return std::exchange(preempted_, {}); }

  // Takes the sequence of a stream; what it computed stays in the prefix tree.
  void Release(const TextStream* stream);
  // Tells the prefix tree about blocks that have become full.
  void AddFullBlocks();

  int64_t evicted_blocks() const { return tree_ ? tree_->evicted_blocks() : 0; }

 private:
  bool IsSenior(const RunningStream& a, const RunningStream& b) const;
  void Insert(ActiveRequest* request, TextStream* stream);
  const RunningStream* Victim(const RunningStream& asking) const;
  int64_t BlocksFor(int64_t tokens) const;
  bool Fits(const CachedPrefix& prefix, int64_t text_tokens) const;
  bool FreeOne();

  Engine* engine_;
  KvCache* cache_;
  std::optional<PrefixTree> tree_;  // none if prefixes are not shared
  int32_t most_;
  std::vector<RunningStream> running_;
  std::vector<RunningStream> preempted_;
};

// What a listener is told about where the cached prefix of its prompt ends.
std::string_view WhyCacheEnded(const CachedPrefix& prefix, int64_t prompt_tokens, bool shares);

}  // namespace infer
