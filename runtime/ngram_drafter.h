// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/drafter.h"

namespace infer {

// Proposes what followed the longest suffix of the text that occurred before, in the prompt or in
// the output; suffixes of two and three tokens propose one and two. Finds it by the last places of
// its n-grams: 12 bytes for each token that is remembered, and a text of any length keeps
// `max_tokens` of them.
class NgramDrafter : public Drafter {
 public:
  static constexpr int kLongest = 4;   // tokens of an n-gram that is looked up
  static constexpr int kShortest = 2;  // a single token says too little

  // Texts are expected to have up to `max_tokens` tokens; longer ones forget some of them.
  explicit NgramDrafter(int64_t max_tokens = 1 << 18);

  absl::Status Begin(std::span<const int32_t> prompt, const std::atomic<bool>* stop) override;
  absl::Status Propose(std::span<const int32_t> text, int64_t most, const std::atomic<bool>* stop,
                       std::vector<int32_t>* draft) override;

  uint64_t bytes() const {
    return places_.size() * sizeof(int32_t) + text_.size() * sizeof(int32_t);
  }

 private:
  // Where n-grams of one length ended last: their hash decides the slot, and a slot holds one.
  int32_t& PlaceOf(int length, size_t end);
  void Learn(std::span<const int32_t> text);

  uint64_t mask_;                // slots of a length - 1
  std::vector<int32_t> places_;  // [lengths][slots], the index after the n-gram; 0 if none
  std::vector<int32_t> text_;    // what was learnt
};

}  // namespace infer
