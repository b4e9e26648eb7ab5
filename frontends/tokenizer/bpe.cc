// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/bpe.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

namespace infer {
namespace {

// Up to this length, scanning an array for the lowest rank beats a heap; almost all words are
// shorter.
constexpr size_t kShortWordBytes = 32;

constexpr uint32_t kNoRank = std::numeric_limits<uint32_t>::max();
constexpr int32_t kNone = -1;
constexpr MergeTable::Merge kNoMerge = {kNoRank, kNone};

uint64_t HeapKey(uint32_t rank, int32_t left) {
  return static_cast<uint64_t>(rank) << 32 | static_cast<uint32_t>(left);
}

// Filling a new cache costs about 10 us, encoding 512 bytes without one about 50 us.
constexpr size_t kCacheFromBytes = 512;

}  // namespace

BpeEncoder::BpeEncoder(const MergeTable& merges, const WholeWords* whole_words, size_t text_bytes)
    : merges_(merges), whole_words_(whole_words), cache_(text_bytes >= kCacheFromBytes) {}

void BpeEncoder::Encode(std::string_view word, std::vector<int32_t>* ids) {
  if (whole_words_ != nullptr) {
    if (std::optional<int32_t> id = whole_words_->Find(word)) return ids->push_back(*id);
  }
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
    pairs[i] = merge != nullptr ? *merge : kNoMerge;
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

// Keeps a list of symbols and a heap of their pairs, each encoded as one number: rank, then
// position. A join does not search the heap for the pairs it invalidates: when one is popped, its
// rank no longer matches that of the symbol.
void BpeEncoder::EncodeLong(std::string_view word, std::vector<int32_t>* ids) {
  StartSymbols(word);
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const auto rank = static_cast<uint32_t>(heap_.back() >> 32);
    const auto left = static_cast<int32_t>(heap_.back() & 0xFFFFFFFF);
    heap_.pop_back();
    if (symbols_[left].pair.rank != rank) continue;
    JoinWithNext(left);
    PushPair(left);
    if (symbols_[left].previous != kNone) PushPair(symbols_[left].previous);
  }
  for (int32_t i = 0; i != kNone; i = symbols_[i].next) ids->push_back(symbols_[i].token);
}

void BpeEncoder::StartSymbols(std::string_view word) {
  const auto count = static_cast<int32_t>(word.size());
  symbols_.resize(word.size());
  heap_.clear();
  for (int32_t i = 0; i < count; ++i) {
    int32_t token = merges_.token_of_byte(static_cast<uint8_t>(word[i]));
    symbols_[i] = {token, i - 1, i + 1 < count ? i + 1 : kNone, kNoMerge};
  }
  for (int32_t i = 0; i < count; ++i) {
    if (UpdatePair(i)) heap_.push_back(HeapKey(symbols_[i].pair.rank, i));
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
}

// Looks up the pair of `left` and its right neighbour; false if they do not merge.
bool BpeEncoder::UpdatePair(int32_t left) {
  Symbol& symbol = symbols_[left];
  const MergeTable::Merge* merge =
      symbol.next == kNone ? nullptr : merges_.Find(symbol.token, symbols_[symbol.next].token);
  symbol.pair = merge != nullptr ? *merge : kNoMerge;
  return merge != nullptr;
}

void BpeEncoder::PushPair(int32_t left) {
  if (!UpdatePair(left)) return;
  heap_.push_back(HeapKey(symbols_[left].pair.rank, left));
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

void BpeEncoder::JoinWithNext(int32_t left) {
  Symbol& symbol = symbols_[left];
  Symbol& absorbed = symbols_[symbol.next];
  symbol.token = symbol.pair.token;
  symbol.next = absorbed.next;
  absorbed.pair = kNoMerge;
  if (symbol.next != kNone) symbols_[symbol.next].previous = left;
}

}  // namespace infer
