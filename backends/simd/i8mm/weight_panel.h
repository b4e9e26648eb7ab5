// SPDX-License-Identifier: Apache-2.0
//
// Rows of 16-bit weights as operands of bfmmla, directly from the file: a panel of 16 rows is
// interleaved in scratch memory while many tokens pass, so no second copy of the weights is kept.
#pragma once

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

#include "backends/simd/i8mm/bf16_tile.h"
#include "backends/simd/i8mm/half_to_bf16.h"

namespace infer::simd::i8mm {
namespace {

// Weights of type f16: rounded to bf16 on the fly. `Check` collects what the fast conversion cannot
// handle, in 4 chains: with one chain, its latency of 4 cycles per vector would take all the time
// available.
struct HalfWeights {
  static constexpr float kScale = kPerHalfUnit;
  struct Check {
    float16x8_t poison[4] = {
        vreinterpretq_f16_u16(vdupq_n_u16(0)), vreinterpretq_f16_u16(vdupq_n_u16(0)),
        vreinterpretq_f16_u16(vdupq_n_u16(0)), vreinterpretq_f16_u16(vdupq_n_u16(0))};
    bool failed() const {
      return Poisoned(vaddq_f16(vaddq_f16(poison[0], poison[1]), vaddq_f16(poison[2], poison[3])));
    }
  };
  template <int kChain>
  static uint16x8_t Fast(uint16x8_t w, Check* check) {
    return ShiftToBf16(vreinterpretq_f16_u16(w), &check->poison[kChain]);
  }
  static uint16x8_t Exact(uint16x8_t w) { return WidenToBf16(vreinterpretq_f16_u16(w)); }
};

// Weights of type bf16: used as they are.
struct Bf16Weights {
  static constexpr float kScale = 1.0f;
  struct Check {
    bool failed() const { return false; }
  };
  template <int kChain>
  static uint16x8_t Fast(uint16x8_t w, Check*) {
    return w;
  }
  static uint16x8_t Exact(uint16x8_t w) { return w; }
};

// Loads the last elements of a row, at most 8, padded with zeros.
inline uint16x8_t LoadTail(const uint16_t* row, int64_t count) {
  uint16_t last[8] = {};
  memcpy(last, row, static_cast<size_t>(count) * 2);
  return vld1q_u16(last);
}

// Converts vectors of weights, fast or, after a failed check, exactly.
template <class Weights>
struct FastConversion {
  typename Weights::Check* check;
  template <int kChain>
  uint16x8_t Convert(uint16x8_t w) const {
    return Weights::template Fast<kChain>(w, check);
  }
};
template <class Weights>
struct ExactConversion {
  template <int kChain>
  uint16x8_t Convert(uint16x8_t w) const {
    return Weights::Exact(w);
  }
};

// Stores 8 elements of two rows as two steps of a pair, kStepElements apart.
template <int kStepElements>
inline void StorePair(uint16x8_t x, uint16x8_t y, uint16_t* out) {
  uint16x8_t first, second;
  InterleaveRows(x, y, &first, &second);
  vst1q_u16(out, first);
  vst1q_u16(out + kStepElements, second);
}

// Weights are prefetched 16 KiB ahead, to L3 only: 10 instead of 14 cycles for 64 bytes.
constexpr int64_t kAheadWeights = 8 * 1024;

// Packs `count` elements of two rows, of any alignment.
template <int kStepElements, class Conversion>
inline void PackPair(const uint16_t* x, const uint16_t* y, int64_t count, uint16_t* out,
                     Conversion to) {
  constexpr int kStride = 2 * kStepElements;  // of 8 elements
  int64_t i = 0;
  for (; i + 16 <= count; i += 16, out += 2 * kStride) {
    // The rows are contiguous: prefetch one line of what follows for each line of both.
    __builtin_prefetch(x + 2 * i + kAheadWeights, 0, 1);
    const uint16x8_t x0 = to.template Convert<0>(vld1q_u16(x + i));
    const uint16x8_t y0 = to.template Convert<1>(vld1q_u16(y + i));
    const uint16x8_t x1 = to.template Convert<2>(vld1q_u16(x + i + 8));
    const uint16x8_t y1 = to.template Convert<3>(vld1q_u16(y + i + 8));
    StorePair<kStepElements>(x0, y0, out);
    StorePair<kStepElements>(x1, y1, out + kStride);
  }
  for (; i < count; i += 8, out += kStride) {
    const int64_t left = count - i < 8 ? count - i : 8;
    StorePair<kStepElements>(to.template Convert<0>(LoadTail(x + i, left)),
                             to.template Convert<1>(LoadTail(y + i, left)), out);
  }
}

// Packs elements [begin, end) of 16 rows from `row` on, pairs of them pair_elements apart; rows
// past `rows` repeat the last one.
template <class Weights>
inline void PackPanel(const uint16_t* weight, int64_t inner, int64_t row, int64_t rows,
                      int64_t begin, int64_t end, int64_t pair_elements, uint16_t* panel) {
  for (int64_t j = 0; j < kColumnPairs; ++j) {
    const int64_t a = row + 2 * j < rows ? row + 2 * j : rows - 1;
    const int64_t b = a + 1 < rows ? a + 1 : rows - 1;
    const uint16_t* x = weight + a * inner + begin;
    const uint16_t* y = weight + b * inner + begin;
    typename Weights::Check check;
    PackPair<8>(x, y, end - begin, panel + j * pair_elements, FastConversion<Weights>{&check});
    if (check.failed()) [[unlikely]] {
      PackPair<8>(x, y, end - begin, panel + j * pair_elements, ExactConversion<Weights>{});
    }
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
