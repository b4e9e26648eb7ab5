// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/graph/shape.h"
#include "runtime/batch.h"

namespace infer {

// Returns after how many tokens to cut a call: nearest to the middle, but so that each half has at
// least `least` tokens, and at least `part` of a sequence of which both have some. 0: nowhere.
int64_t MiddleOf(const Batch& batch, int64_t least, int64_t part);

// A call cut into two. A sequence may have tokens in both.
class BatchHalves {
 public:
  struct Half {
    SymbolValues symbols;
    std::span<const int32_t> tokens;
    Batch batch;
    // Whether the call wants rows of logits of this half. If not, its batch has one all the same,
    // as every call.
    bool wants_rows = false;
  };

  // For calls of up to this many tokens and sequences.
  BatchHalves(int64_t most_tokens, int64_t most_sequences);

  // Both halves refer to what `tokens` and `batch` refer to. The second has at least one
  // token.
  void Divide(std::span<const int32_t> tokens, const Batch& batch, int64_t tokens_of_first);

  const Half& operator[](size_t i) const { return halves_[i]; }

 private:
  void FillRows(const Batch& batch, int32_t first_tokens);

  std::array<Half, 2> halves_;
  std::vector<BatchSequence> sequences_;       // of the first half, then those of the second
  std::vector<int32_t> token_seq_, out_rows_;  // of the second half
  int32_t last_token_ = 0;                     // of the first half
};

}  // namespace infer
