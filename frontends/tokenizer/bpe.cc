// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/bpe.h"

#include <algorithm>
#include <array>
#include <limits>

namespace infer {
namespace {

// Up to here scanning an array for the lowest rank beats a heap; almost all words are shorter.
constexpr size_t kShortWordBytes = 32;

constexpr uint32_t kNoRank = std::numeric_limits<uint32_t>::max();
constexpr int32_t kNone = -1;
constexpr int32_t kMerged = -1;

// Filling a new cache costs about 10 us, encoding 512 bytes without one about 50 us.
constexpr size_t kCacheFromBytes = 512;

}  // namespace

BpeEncoder::BpeEncoder(const MergeTable& merges, size_t text_bytes)
    : merges_(merges), cache_(text_bytes >= kCacheFromBytes) {}

void BpeEncoder::Encode(std::string_view word, std::vector<int32_t>* ids) {
  if (word.size() > kShortWordBytes) return EncodeLong(word, ids);
  if (cache_.Find(word, ids)) return;
  size_t count_before = ids->size();
  EncodeShort(word, ids);
  cache_.Store(word, std::span<const int32_t>(*ids).subspan(count_before));
}

void BpeEncoder::EncodeShort(std::string_view word, std::vector<int32_t>* ids) const {
  std::array<int32_t, kShortWordBytes> tokens;
  std::array<MergeTable::Merge, kShortWordBytes> pairs;  // [i]: tokens i and i + 1
  size_t count = word.size();
  auto look_up = [&](size_t i) {
    const MergeTable::Merge* merge = merges_.Find(tokens[i], tokens[i + 1]);
    pairs[i] = merge != nullptr ? *merge : MergeTable::Merge{kNoRank, kNone};
  };
  for (size_t i = 0; i < count; ++i) {
    tokens[i] = merges_.token_of_byte(static_cast<uint8_t>(word[i]));
  }
  for (size_t i = 0; i + 1 < count; ++i) look_up(i);
  while (count > 1) {
    size_t best = 0;
    for (size_t i = 1; i + 1 < count; ++i) {
      if (pairs[i].rank < pairs[best].rank) best = i;
    }
    if (pairs[best].rank == kNoRank) break;
    tokens[best] = pairs[best].token;
    std::copy(tokens.begin() + best + 2, tokens.begin() + count, tokens.begin() + best + 1);
    std::copy(pairs.begin() + best + 1, pairs.begin() + count - 1, pairs.begin() + best);
    --count;
    if (best > 0) look_up(best - 1);
    if (best + 1 < count) look_up(best);
  }
  ids->insert(ids->end(), tokens.begin(), tokens.begin() + count);
}

// A list of symbols and a heap of candidate pairs. A join does not search the heap for the pairs it
// made void; they are recognised (IsCurrent) when they come up.
void BpeEncoder::EncodeLong(std::string_view word, std::vector<int32_t>* ids) {
  auto later = [](const Candidate& a, const Candidate& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.left > b.left;
  };
  const auto count = static_cast<int32_t>(word.size());
  symbols_.resize(word.size());
  heap_.clear();
  for (int32_t i = 0; i < count; ++i) {
    int32_t token = merges_.token_of_byte(static_cast<uint8_t>(word[i]));
    symbols_[i] = {token, i - 1, i + 1 < count ? i + 1 : kNone};
  }
  for (int32_t i = 0; i + 1 < count; ++i) PushCandidate(i);
  std::make_heap(heap_.begin(), heap_.end(), later);
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Candidate candidate = heap_.back();
    heap_.pop_back();
    if (!IsCurrent(candidate)) continue;
    Join(candidate);
    for (int32_t left : {symbols_[candidate.left].previous, candidate.left}) {
      size_t heap_count = heap_.size();
      if (left != kNone) PushCandidate(left);
      if (heap_.size() > heap_count) std::push_heap(heap_.begin(), heap_.end(), later);
    }
  }
  for (int32_t i = 0; i != kNone; i = symbols_[i].next) ids->push_back(symbols_[i].token);
}

void BpeEncoder::PushCandidate(int32_t left) {
  int32_t right = symbols_[left].next;
  if (right == kNone) return;
  int32_t left_token = symbols_[left].token;
  int32_t right_token = symbols_[right].token;
  const MergeTable::Merge* merge = merges_.Find(left_token, right_token);
  if (merge == nullptr) return;
  heap_.push_back({merge->rank, left, left_token, right_token, merge->token});
}

bool BpeEncoder::IsCurrent(const Candidate& candidate) const {
  const Symbol& left = symbols_[candidate.left];
  return left.token == candidate.left_token && left.next != kNone &&
         symbols_[left.next].token == candidate.right_token;
}

void BpeEncoder::Join(const Candidate& candidate) {
  Symbol& left = symbols_[candidate.left];
  Symbol& right = symbols_[left.next];
  left.token = candidate.joined_token;
  left.next = right.next;
  right.token = kMerged;
  if (left.next != kNone) symbols_[left.next].previous = candidate.left;
}

}  // namespace infer
