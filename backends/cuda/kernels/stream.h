// SPDX-License-Identifier: Apache-2.0
//
// The product of one token. A warp has consecutive rows, which lie one after the other in memory,
// and streams them through shared memory in pieces of kRows rows x kSteps times 32 units. Every
// thread copies what it will read itself, so no barrier is needed, and the first pieces are on
// their way before the previous launch has ended, because weights do not depend on it: that hides
// the latency of memory between launches. Norm, residual and swiglu are part of the launch.
//
// A launch takes about 2 us, and most of its instructions run once, so fetching them takes longer
// than executing them: 2,000 instructions instead of 600 doubled the time. So loops are not
// unrolled, and nothing here has a slow path: square root, division and exponential are those of
// the hardware.
#pragma once

#include "backends/cuda/kernels/unit_product.h"

namespace infer::cuda {

// Bytes of a unit in shared memory: quants, high bits, a word with its scales, and the factors of
// those.
constexpr int StreamHighBytes(Type type) {
  return type == Type::kQ6K ? 8 : type == Type::kQ5K ? 4 : 0;
}
constexpr int StreamUnitBytes(Type type) {
  return 16 + StreamHighBytes(type) + (IsQuantized(type) ? 4 : 0) + (HasSupers(type) ? 4 : 0);
}

// The slots of a thread for a piece of kUnits units, and where its units come from.
template <Type kType, int kUnits>
struct Piece {
  static constexpr int kHighAt = 16 * kUnits;
  static constexpr int kScalesAt = kHighAt + StreamHighBytes(kType) * kUnits;
  static constexpr int kSupersAt = kScalesAt + 4 * kUnits;
  static constexpr int kThreads = kStreamThreads;

  DEVICE static unsigned char* Slot(unsigned char* piece, int at, int bytes, int unit) {
    return piece + (at + bytes * unit) * kThreads + bytes * ThreadIndex();
  }

  // Starts copying this lane's unit of the 32 from `first` on.
  DEVICE static void Start(unsigned char* piece, const WeightArgs& w, uint64_t first, int unit) {
    constexpr int kHigh = StreamHighBytes(kType);
    const uint32_t lane = ThreadIndex() % 32;
    CopyAsync16(Slot(piece, 0, 16, unit), w.quants + first * 16 + lane * 16, true);
    if constexpr (kHigh > 0) {
      CopyAsync<kHigh>(Slot(piece, kHighAt, kHigh, unit), w.high + first * kHigh + lane * kHigh);
    }
    // Two bytes for 32 elements, of an even number of them before: the word also has a neighbour's.
    if constexpr (IsQuantized(kType)) {
      constexpr bool kHalf = kType == Type::kQ8_0;
      CopyAsync<4>(Slot(piece, kScalesAt, 4, unit),
                   w.scales + (kHalf ? first + lane / 4 * 4 : first * 2 + lane / 2 * 4));
    }
    if constexpr (HasSupers(kType)) {
      CopyAsync<4>(Slot(piece, kSupersAt, 4, unit), w.supers + first / 2 + lane / 8 * 4);
    }
  }

  DEVICE static Unit<kType> Read(unsigned char* piece, int unit) {
    const uint32_t lane = ThreadIndex() % 32;
    Unit<kType> u;
    u.quants = LoadShared(Slot(piece, 0, 16, unit));
    if constexpr (kType == Type::kQ5K) {
      u.high = {*reinterpret_cast<const int*>(Slot(piece, kHighAt, 4, unit)), 0};
    } else if constexpr (kType == Type::kQ6K) {
      u.high = *reinterpret_cast<const Int2*>(Slot(piece, kHighAt, 8, unit));
    }
    if constexpr (IsQuantized(kType)) {
      const uint32_t shift = (kType == Type::kQ8_0 ? lane / 2 : lane) % 2 * 16;
      u.scales = *reinterpret_cast<const uint32_t*>(Slot(piece, kScalesAt, 4, unit)) >> shift;
    }
    if constexpr (HasSupers(kType)) {
      u.supers = *reinterpret_cast<const uint32_t*>(Slot(piece, kSupersAt, 4, unit));
    }
    return u;
  }
};

// Puts x into shared memory as the products read it, times the norm's weights, of which each thread
// has copied those it needs. kHeld elements in four are loaded at the same time. Returns the factor
// of the norm, which the results are multiplied with: rounding to int8 does not depend on it.
template <Type kType, uint32_t kHeld>
DEVICE inline float PrepareX(const StreamArgs& args, const RowOfX& x) {
  float* norm = reinterpret_cast<float*>(SharedMemory() + args.norm_offset);
  float* scratch = reinterpret_cast<float*>(SharedMemory());
  const uint32_t fours = args.columns / 4;
  const bool normed = args.norm != nullptr;
  float squares = 0;
  // Whole warps: lanes exchange the largest element.
#pragma clang loop unroll(disable)
  for (uint32_t first = ThreadIndex(); first - ThreadIndex() % 32 < fours;
       first += kHeld * kStreamThreads) {
    Float4 held[kHeld];
#pragma unroll
    for (uint32_t j = 0; j < kHeld; ++j) {
      const uint32_t i = first + j * kStreamThreads;
      held[j] = i < fours ? reinterpret_cast<const Float4*>(args.x)[i] : Float4{0, 0, 0, 0};
    }
    WaitCopyGroups<kStreamStages>();  // the norm's weights
    if (normed) {
#pragma unroll
      for (uint32_t j = 0; j < kHeld; ++j) {
        const uint32_t i = first + j * kStreamThreads;
        squares = AddSquares(held[j], squares);
        if (i < fours) held[j] *= reinterpret_cast<const Float4*>(norm)[i];
      }
    }
    if constexpr (IsQuantized(kType)) {
      Round<kType != Type::kQ8_0, HasPlanes(kType)>(held, first, fours, x);
    } else {
#pragma unroll
      for (uint32_t j = 0; j < kHeld; ++j) {
        const uint32_t i = first + j * kStreamThreads;
        int* plane = HasPlanes(kType) && i % 2 == 1 ? x.second : x.quants;
        if (i < fours) reinterpret_cast<Float4*>(plane)[HasPlanes(kType) ? i / 2 : i] = held[j];
      }
    }
  }
  if (normed) StoreSquares(squares, scratch);
  Barrier();
  return normed ? NormFactor(scratch, args.inverse_columns, args.eps) : 1;
}

template <Type kType, int kRows, int kSteps, bool kGated>
DEVICE inline void Stream(const StreamArgs& args) {
  LetNextStart();
  using Piece = Piece<kType, kRows * kSteps>;
  constexpr uint32_t kPieceBytes = kRows * kSteps * StreamUnitBytes(kType) * kStreamThreads;
  constexpr int kStages = kStreamStages;
  constexpr uint32_t kRingBytes = kStages * kPieceBytes;
  const uint32_t lane = ThreadIndex() % 32;
  // All parts are read, and then one is taken, field by field: a choice between arguments would
  // make the compiler copy them to the stack of each thread.
  WeightArgs weight = args.parts[0].weight;
  float* out = args.parts[0].out;
  uint32_t rows = args.parts[0].rows, block = BlockX();
  if constexpr (!kGated) {
    const uint32_t at = block;
#pragma unroll
    for (uint32_t i = 1; i < kMaxParts; ++i) {
      const PartArgs part = args.parts[i];
      // Parts that do not exist begin after all blocks.
      const bool mine = at >= part.first_block;
      weight.quants = mine ? part.weight.quants : weight.quants;
      weight.high = mine ? part.weight.high : weight.high;
      weight.scales = mine ? part.weight.scales : weight.scales;
      weight.supers = mine ? part.weight.supers : weight.supers;
      out = mine ? part.out : out;
      rows = mine ? part.rows : rows;
      block = mine ? at - part.first_block : block;
    }
  }
  const WeightArgs up = args.parts[1].weight;
  const uint32_t units = args.columns / UnitElements(kType);
  const uint32_t warp = block * (kStreamThreads / 32) + ThreadIndex() / 32;
  uint32_t row = warp * args.rows_of_warp;
  const uint32_t end_row = row + args.rows_of_warp < rows ? row + args.rows_of_warp : rows;

  // Where the next piece begins.
  uint64_t first = static_cast<uint64_t>(row) * units;
  const uint64_t end = static_cast<uint64_t>(end_row) * units;
  uint32_t in_row = 0;  // one row at a time: units of it so far
  bool is_up = false;   // and of which weight
  unsigned char* const ring = SharedMemory() + args.ring_offset;
  uint32_t fill = 0, use = 0;  // of the ring, in bytes

  if (args.norm != nullptr) {
    float* norm = reinterpret_cast<float*>(SharedMemory() + args.norm_offset);
#pragma clang loop unroll(disable)
    for (uint32_t i = ThreadIndex(); i < args.columns / 4; i += kStreamThreads) {
      CopyAsync16(norm + 4 * i, args.norm + 4 * i, true);
    }
  }
  CommitCopies();
  const RowOfX x = SharedRow<kType>(SharedMemory() + kStreamScratchBytes, args.columns);
  float residual = 0;  // lane r has that of row r of a piece
  const auto load_residual = [&] {
    const uint32_t at = row + lane % kRows;
    residual = args.residual != nullptr && at < end_row ? args.residual[at] : 0;
  };
  float sum[kRows] = {};
  float factor = 1, gate = 0;
  uint32_t unit = 0;
  bool up_next = false;
  // Every round starts a piece; from round 0 on it first takes the piece of kStages before.
#pragma clang loop unroll(disable)
  for (int round = -kStages;; ++round) {
    if (round == 0) {
      WaitForPrevious();
      load_residual();
      factor = PrepareX < kType, kRows == 4        ? 1
                                 : kRows == 2      ? 2
                                 : kSteps % 3 == 0 ? 3
                                                   : 4 > (args, x);
    }
    if (round >= 0) {
      if (row >= end_row) break;
      WaitCopyGroups<kStages - 1>();
#pragma clang loop unroll_count(2)
      for (int s = 0; s < kSteps; ++s) {
        if (kRows == 1 && unit + s * 32 + lane >= units) continue;
        PartOfX<kType> part;
        part.template Load<true>(x, unit + s * 32 + lane);
        Unit<kType> held[kRows];
#pragma unroll
        for (int r = 0; r < kRows; ++r) held[r] = Piece::Read(ring + use, r * kSteps + s);
#pragma unroll
        for (int r = 0; r < kRows; ++r) sum[r] = AddProduct(held[r], part, sum[r]);
      }
      use += kPieceBytes;
      use = use == kRingBytes ? 0 : use;
    }
    if (first < end) {
      constexpr int kHalf = kRows / 2;
#pragma unroll
      for (int u = 0; u < kRows * kSteps; ++u) {
        if constexpr (kRows > 1) {
          // Whole rows; gates before ups.
          const bool second = kGated && u >= kHalf * kSteps;
          const int within = second ? u - kHalf * kSteps : u;
          Piece::Start(ring + fill, second ? up : weight, first + within * 32, u);
        } else if (in_row + u * 32 + lane < units) {
          const bool second = kGated && is_up;
          Piece::Start(ring + fill,
                       {second ? up.quants : weight.quants, second ? up.high : weight.high,
                        second ? up.scales : weight.scales, second ? up.supers : weight.supers},
                       first + u * 32, u);
        }
      }
      if constexpr (kRows > 1) {
        first += (kGated ? kHalf : kRows) * kSteps * 32;
      } else {
        in_row += kSteps * 32;
        first += kSteps * 32;
        if (in_row >= units) {
          first -= in_row - units;
          in_row = 0;
          if (kGated && !is_up) first -= units;
          is_up = !is_up;
        }
      }
      fill += kPieceBytes;
      fill = fill == kRingBytes ? 0 : fill;
    }
    CommitCopies();
    if (round < 0) continue;
    if constexpr (kRows == 1) {
      unit += kSteps * 32;
      if (unit < units) continue;
      unit = 0;
    }
    // Step by step for all rows, so that the latencies of the exchanges overlap.
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) {
#pragma unroll
      for (int r = 0; r < kRows; ++r) sum[r] += ShuffleXor(sum[r], mask);
    }
    float mine = 0;  // lane r has row r
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if (lane % kRows == r) mine = sum[r] * factor;
      sum[r] = 0;
    }
    if constexpr (kGated && kRows == 1) {
      up_next = !up_next;
      if (up_next) {
        gate = mine;
        continue;
      }
      mine *= FastSilu(gate);
    } else if constexpr (kGated) {
      mine = FastSilu(mine) * ShuffleXor(mine, kRows / 2);
    }
    constexpr uint32_t kOutputs = kGated && kRows > 1 ? kRows / 2 : kRows;
    if (lane < kOutputs) out[row + lane] = mine + residual;
    row += kOutputs;
    load_residual();
  }
}

}  // namespace infer::cuda

// The functions are named by rows and by steps of 32 units that a piece has.
#define INFER_STREAM(type, kType, rows, steps)                          \
  INFER_KERNEL(stream_##type##_r##rows##s##steps, StreamArgs) {         \
    Stream<kType, rows, steps, false>(args);                            \
  }                                                                     \
  INFER_KERNEL(stream_##type##_r##rows##s##steps##_gated, StreamArgs) { \
    Stream<kType, rows, steps, true>(args);                             \
  }
// For units of up to 16 elements, and of 32.
#define INFER_STREAMS_OF_16(type, kType) \
  INFER_STREAM(type, kType, 4, 2)        \
  INFER_STREAM(type, kType, 2, 4)        \
  INFER_STREAM(type, kType, 1, 6)        \
  INFER_STREAM(type, kType, 1, 4)
#define INFER_STREAMS_OF_32(type, kType) \
  INFER_STREAM(type, kType, 4, 1)        \
  INFER_STREAM(type, kType, 2, 2)        \
  INFER_STREAM(type, kType, 1, 3)        \
  INFER_STREAM(type, kType, 1, 4)
