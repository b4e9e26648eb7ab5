// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/running_streams.h"

#include <algorithm>
#include <utility>

namespace infer {
namespace {

// At least the last token of a text is run, for the logits after it.
std::span<const int32_t> Cacheable(std::span<const int32_t> text) {
  return text.first(text.size() - 1);
}

}  // namespace

std::string_view WhyCacheEnded(const CachedPrefix& prefix, int64_t prompt_tokens, bool shares) {
  if (!shares) return "prefixes are not shared";
  if (prefix.tokens >= prompt_tokens - 1) return "only the last token had to be run";
  if (prefix.differs) return "the cached text goes on differently";
  return prefix.tokens == 0 ? "no cached text begins like this" : "the cache has no longer prefix";
}

RunningStreams::RunningStreams(Engine* engine, bool share_prefixes, int32_t most)
    : engine_(engine), cache_(&engine->cache()), most_(most) {
  if (share_prefixes) tree_.emplace(cache_);
  running_.reserve(static_cast<size_t>(most));
}

bool RunningStreams::has_paused() const {
  return std::ranges::any_of(running_,
                             [](const RunningStream& running) { return running.request->paused; });
}

RunningStream* RunningStreams::Find(const TextStream* stream) {
  const auto found = std::ranges::find(running_, stream, &RunningStream::stream);
  return found == running_.end() ? nullptr : &*found;
}

int64_t RunningStreams::BlocksFor(int64_t tokens) const {
  const int64_t positions = cache_->block_positions();
  return (std::min(tokens, engine_->context()) + positions - 1) / positions;
}

// Whether blocks for the rest of the text and its next token remain, after those that running
// streams will need for theirs.
bool RunningStreams::Fits(const CachedPrefix& prefix, int64_t text_tokens) const {
  int64_t available = cache_->free_blocks() + cache_->idle_blocks();
  for (const int32_t block : prefix.blocks) {
    if (!cache_->used_by_sequence(block)) --available;
  }
  for (const RunningStream& running : running_) {
    const int64_t has = std::ssize(cache_->blocks(running.stream->sequence()));
    const int64_t text = std::ssize(running.stream->text());
    available -= std::max<int64_t>(BlocksFor(text + 1) - has, 0);
    --available;  // for what it generates
  }
  const int64_t full_blocks = prefix.tokens / cache_->block_positions();
  return BlocksFor(text_tokens + 1) - full_blocks <= available;
}

bool RunningStreams::Admit(ActiveRequest* request, TextStream* stream) {
  if (!has_place()) return false;
  const std::span<const int32_t> text = stream->text();
  CachedPrefix prefix;
  if (tree_) prefix = tree_->Find(request->request().cache_salt, Cacheable(text));
  if (!Fits(prefix, std::ssize(text))) {
    // A partial block is needed twice, as it is and as a copy: try without.
    prefix.tokens -= prefix.tokens % cache_->block_positions();
    prefix.blocks.resize(static_cast<size_t>(prefix.tokens / cache_->block_positions()));
    if (!Fits(prefix, std::ssize(text))) return false;
  }
  if (!stream->Begin(prefix.blocks, prefix.tokens).ok()) return false;
  if (!request->was_admitted()) {
    RequestSummary& summary = request->summary();
    summary.cached_tokens = prefix.tokens;
    summary.cache_end = WhyCacheEnded(prefix, summary.prompt_tokens, tree_.has_value());
  }
  Insert(request, stream);
  return true;
}

bool RunningStreams::AdmitClone(ActiveRequest* request, TextStream* stream,
                                const TextStream& original) {
  if (!has_place()) return false;
  if (cache_->free_blocks() == 0 && !FreeOne()) return false;
  if (!stream->BeginAsClone(original).ok()) return false;
  Insert(request, stream);
  return true;
}

void RunningStreams::Insert(ActiveRequest* request, TextStream* stream) {
  const RunningStream inserted = {.request = request, .stream = stream};
  const auto after = std::ranges::find_if(
      running_, [&](const RunningStream& other) { return IsSenior(inserted, other); });
  running_.insert(after, inserted);
}

bool RunningStreams::IsSenior(const RunningStream& a, const RunningStream& b) const {
  const int32_t a_priority = a.request->request().priority;
  const int32_t b_priority = b.request->request().priority;
  if (a_priority != b_priority) return a_priority > b_priority;
  if (a.request->id() != b.request->id()) return a.request->id() < b.request->id();
  return a.stream->choice() < b.stream->choice();
}

int64_t RunningStreams::CachedTokens(std::string_view salt, std::span<const int32_t> text) {
  return tree_ ? tree_->Find(salt, Cacheable(text)).tokens : 0;
}

bool RunningStreams::IsBeingComputed(std::string_view salt, std::span<const int32_t> text) {
  if (!tree_) return false;
  const int64_t positions = cache_->block_positions();
  const std::span<const int32_t> wanted = Cacheable(text);
  for (const RunningStream& running : running_) {
    if (running.request->paused || running.request->request().cache_salt != salt) continue;
    if (!running.stream->is_prefilling()) continue;
    const std::span<const int32_t> other = running.stream->text();
    const int64_t common = std::ranges::mismatch(wanted, other).in1 - wanted.begin();
    const int64_t shared = common - common % positions;
    if (shared <= running.stream->held() - running.stream->held() % positions) continue;
    if (CachedTokens(salt, text) < shared) return true;
  }
  return false;
}

// Frees a cached block that no sequence uses.
bool RunningStreams::FreeOne() { return tree_ && tree_->EvictOne(); }

bool RunningStreams::EnsureBlocks(const TextStream* stream, int64_t tokens, bool preempt) {
  while (cache_->MissingBlocks(stream->sequence(), tokens) > cache_->free_blocks()) {
    if (FreeOne()) continue;
    const RunningStream* victim = preempt ? Victim(*Find(stream)) : nullptr;
    if (victim == nullptr) return false;
    Preempt(victim->stream);
  }
  return engine_->Reserve(stream->sequence(), tokens).ok();
}

int64_t RunningStreams::TokensThatFit(const TextStream& stream) const {
  const int64_t positions = cache_->block_positions();
  // A copy of a shared block takes one.
  const int64_t copies =
      cache_->MissingBlocks(stream.sequence(), 1) > 0 && stream.held() % positions != 0 ? 1 : 0;
  const int64_t blocks = std::ssize(cache_->blocks(stream.sequence())) + cache_->free_blocks() +
                         cache_->idle_blocks() - copies;
  return std::min(blocks * positions, engine_->context()) - stream.held();
}

// Paused streams first, then the newest one; only those that are newer than `asking`.
const RunningStream* RunningStreams::Victim(const RunningStream& asking) const {
  const RunningStream* newest = nullptr;
  for (const RunningStream& running : running_) {  // the newest comes last
    if (running.in_step || running.stream == asking.stream) continue;
    const bool is_paused = running.request->paused;
    if (newest != nullptr && newest->request->paused && !is_paused) continue;
    if (is_paused || IsSenior(asking, running)) newest = &running;
  }
  return newest;
}

void RunningStreams::Preempt(const TextStream* stream) {
  const RunningStream preempted = *Find(stream);
  ++preempted.request->summary().preemptions;
  Release(stream);
  preempted_.push_back(preempted);
}

bool RunningStreams::PreemptPaused() {
  for (size_t i = running_.size(); i-- > 0;) {
    if (!running_[i].request->paused) continue;
    Preempt(running_[i].stream);
    return true;
  }
  return false;
}

void RunningStreams::Release(const TextStream* stream) {
  const auto found = std::ranges::find(running_, stream, &RunningStream::stream);
  if (found == running_.end()) return;
  if (tree_) {
    const std::span<const int32_t> text = stream->text();
    tree_->Add(found->request->request().cache_salt,
               text.first(static_cast<size_t>(std::min(stream->held(), std::ssize(text)))),
               stream->sequence(), /*with_tail=*/true);
  }
  found->stream->Release();
  running_.erase(found);
}

void RunningStreams::AddFullBlocks() {
  if (!tree_) return;
  for (RunningStream& running : running_) {
    const int64_t held = std::min(running.stream->held(), std::ssize(running.stream->text()));
    const int64_t full_blocks = held / cache_->block_positions();
    if (full_blocks <= running.added_blocks) continue;
    running.added_blocks = full_blocks;
    tree_->Add(running.request->request().cache_salt,
               running.stream->text().first(static_cast<size_t>(held)), running.stream->sequence(),
               /*with_tail=*/false);
  }
}

}  // namespace infer
