// SPDX-License-Identifier: Apache-2.0
//
// The products with weights that an instruction-set level provides: for each weight type a layout,
// a form of the activations and a function. Plain structs and functions only: files that are
// compiled for one level must not emit inline functions that other files would link to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace infer::simd {

// The form in which a product receives activations. Prepared once per node and form, before any
// product.
enum class ActivationForm : uint8_t {
  kF32,          // as they are
  kInt8Rows,     // rows of int8, a scale and a sum per 32 elements
  kInt8Pairs,    // the same by pairs of rows, for matrix instructions
  kInt8Streams,  // int8 of a few rows interleaved, a scale per 128 elements
  kInt8Tiles,    // the same of fewer rows
  kBf16Tiles,    // bf16 of a few rows interleaved
};
inline constexpr int kNumActivationForms = 6;

// Prepares one form. Units are groups of rows, or parts of them, that can be prepared independently
// of each other.
struct ActivationMaker {
  uint64_t (*bytes)(int64_t tokens, int64_t inner);
  int64_t (*units)(int64_t tokens, int64_t inner);
  void (*prepare)(const float* x, int64_t tokens, int64_t inner, int64_t begin, int64_t end,
                  std::byte* out);
};

// One product out[token][column] = sum over inner of x[token][i] * weight[column][i].
struct LinearCall {
  const std::byte* weight;  // in the kernel's layout
  int64_t inner;            // length of a weight row
  int64_t outputs;          // rows of the weight, columns of the result
  int64_t tokens;
  const std::byte* activations;  // in the form that the kernel names for this number of tokens
  // Bytes between two rows of bf16, which are read as they are; 0: activations have their form.
  int64_t bf16_stride = 0;
  float* out;
  int64_t out_stride;  // floats between two rows of the result
  std::byte* scratch;  // of the calling thread, aligned to 64
};

// Products in tiles are for this many rows and more. Up to 16, products as streams are no slower
// (widening the weights takes half of a tile product's time there), and decoding, drafts and
// batches keep one numerics class.
inline constexpr int64_t kTileMinRows = 17;

// Columns of the result are split at multiples of this, so that every layout's panels stay whole
// and a unit of one token reads at least 16 KiB of weights.
inline constexpr int64_t kColumnGranule = 32;

// Products with one weight type. A kernel whose layout is "gguf" reads the file's rows. Packed
// weights are cached in files under the layout's name, so changed bytes need a new name.
struct LinearKernel {
  std::string_view layout = "gguf";
  // Only for a packed layout. Packing can be divided into panels of `panel_outputs` rows.
  int64_t panel_outputs = 1;
  uint64_t (*packed_bytes)(int64_t outputs, int64_t inner) = nullptr;
  void (*pack)(const std::byte* rows, int64_t outputs, int64_t inner, int64_t begin_panel,
               int64_t end_panel, std::byte* packed) = nullptr;

  ActivationForm (*form)(int64_t tokens) = nullptr;
  uint64_t (*scratch_bytes)(int64_t tokens, int64_t inner) = nullptr;  // nullptr: none
  // Computes columns [begin, end); begin is a multiple of kColumnGranule, end too unless it is the
  // last column.
  void (*run)(const LinearCall& call, int64_t begin, int64_t end) = nullptr;
  // It can also read rows of bf16 whose length is a multiple of this. 0: it cannot.
  int64_t bf16_elements = 0;
  // In how many parts the rows are divided among units too; nullptr: in one. A part is a multiple
  // of the rows that the form of the activations takes together.
  int64_t (*row_parts)(int64_t tokens, int64_t inner) = nullptr;
  // How activations are rounded and products added, if a row's bits are the same for any number of
  // tokens in this range; else empty. nullptr: always empty.
  std::string_view (*numerics)(int64_t fewest, int64_t most) = nullptr;
};

}  // namespace infer::simd
