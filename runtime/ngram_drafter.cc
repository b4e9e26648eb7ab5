// SPDX-License-Identifier: Apache-2.0
#include "runtime/ngram_drafter.h"

#include <algorithm>
#include <bit>

namespace infer {
namespace {

constexpr int kLengths = NgramDrafter::kLongest - NgramDrafter::kShortest + 1;

}  // namespace

NgramDrafter::NgramDrafter(int64_t max_tokens)
    : mask_(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(max_tokens, 16))) - 1) {}

int32_t& NgramDrafter::PlaceOf(int length, size_t end) {
  uint64_t hash = static_cast<uint64_t>(length);
  for (size_t i = end - static_cast<size_t>(length); i < end; ++i) {
    hash = (hash ^ static_cast<uint32_t>(text_[i])) * 0x9E3779B97F4A7C15;
  }
  const uint64_t slot = (hash >> 32) & mask_;
  return places_[static_cast<uint64_t>(length - kShortest) * (mask_ + 1) + slot];
}

// A place is valid if the tokens before it are those of the n-gram, so what a text that was cut
// left behind, and n-grams that share a slot, are found out when they are used.
void NgramDrafter::Learn(std::span<const int32_t> text) {
  if (places_.empty()) places_.resize(static_cast<size_t>(kLengths) * (mask_ + 1));
  const auto same = std::ranges::mismatch(text_, text).in1 - text_.begin();
  text_.resize(static_cast<size_t>(same));
  for (size_t at = text_.size(); at < text.size(); ++at) {
    // The n-grams that end before this token are followed by it.
    for (int length = kShortest; length <= kLongest; ++length) {
      if (at >= static_cast<size_t>(length)) PlaceOf(length, at) = static_cast<int32_t>(at);
    }
    text_.push_back(text[at]);
  }
}

absl::Status NgramDrafter::Begin(std::span<const int32_t> prompt,
                                 const std::atomic<bool>* /*stop*/) {
  Learn(prompt);
  return absl::OkStatus();
}

absl::Status NgramDrafter::Propose(std::span<const int32_t> text, int64_t most,
                                   const std::atomic<bool>* /*stop*/, std::vector<int32_t>* draft) {
  draft->clear();
  Learn(text);
  for (int length = kLongest; length >= kShortest; --length) {
    const size_t end = text_.size();
    if (end < static_cast<size_t>(length)) continue;
    const auto place = static_cast<size_t>(PlaceOf(length, end));
    if (place < static_cast<size_t>(length) || place >= end) continue;
    if (!std::equal(text_.end() - length, text_.end(),
                    text_.begin() + static_cast<int64_t>(place) - length)) {
      continue;
    }
    // The shorter the suffix, the less it says about what follows.
    if (length < kLongest) most = std::min<int64_t>(most, length - 1);
    // Beyond the end of the text, the draft repeats itself.
    for (size_t i = place; std::ssize(*draft) < most; ++i) {
      draft->push_back(i < end ? text_[i] : (*draft)[i - end]);
    }
    return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace infer
