// SPDX-License-Identifier: Apache-2.0
//
// Generates random rows in every element type directly as blocks, without quantising a float
// matrix.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/graph/dtype.h"
#include "tools/synth/random_stream.h"

namespace infer {

// Generates the rows of one matrix. Values have mean about 0 and standard deviation about
// 1/sqrt(columns), so that a linear layer keeps the size of its input; all are finite. `columns`
// must be a multiple of the type's block and SupportsRandomBlocks(dtype) must hold.
class RandomRows {
 public:
  // Scales of a block differ by a factor from 192/256 to 319/256; there is one entry for each step.
  static constexpr size_t kScaleSteps = 128;
  struct ScaleTable {
    std::array<uint16_t, kScaleSteps> scale;  // half bits of d
    std::array<uint16_t, kScaleSteps> min;    // half bits of m or dmin, where the type has one
    uint8_t exponent = 0;                     // the larger of MXFP4's two exponents
    float deviation = 0;                      // for the plain types
  };

  RandomRows(DType dtype, uint64_t columns, uint64_t stream_key);

  uint64_t row_bytes() const { return row_bytes_; }
  // Fills in row `row`; `out` must have row_bytes() bytes.
  void Fill(uint64_t row, std::span<std::byte> out) const;

 private:
  DType dtype_;
  uint64_t stream_key_;
  uint64_t row_bytes_;
  ScaleTable table_;
};

// A type that random rows exist for, and general.file_type of a file entirely in it.
struct RandomType {
  DType dtype;
  uint32_t file_type;
};
std::span<const RandomType> RandomTypes();
bool SupportsRandomBlocks(DType dtype);

// Fills in a norm weight: f32 values in [0.9, 1.1).
void FillNorm(uint64_t stream_key, std::span<std::byte> out);
// Fills in a bias: f32 values in [-0.1, 0.1].
void FillBias(uint64_t stream_key, std::span<std::byte> out);

}  // namespace infer
