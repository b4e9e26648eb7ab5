// SPDX-License-Identifier: Apache-2.0
//
// The arguments that the host passes to a shader: buffer 0 of every dispatch. Both sides compile
// this text, so it uses only types whose size and alignment MSL and C++ agree on: 32-bit integers
// and floats.
#pragma once

#ifndef __METAL_VERSION__
#include <cstdint>
#endif

namespace infer {
namespace shader {

// A sequence of the call; its blocks begin at block_tables[first_block].
struct SequenceArgs {
  int32_t first_token;
  int32_t count;
  int32_t length;
  int32_t first_block;
};
static_assert(sizeof(SequenceArgs) == 16, "shared with the host");

// Elementwise: element i of x is combined with element i % period of y.
struct ElementArgs {
  uint32_t count;
  uint32_t period;
  float value;
};
static_assert(sizeof(ElementArgs) == 12, "shared with the host");

// One group per row.
struct RowArgs {
  uint32_t columns;
  float eps;
};
static_assert(sizeof(RowArgs) == 8, "shared with the host");

// A matrix of results, one thread per element.
struct GatherArgs {
  uint32_t rows;
  uint32_t columns;
};
static_assert(sizeof(GatherArgs) == 8, "shared with the host");

// Copies columns [from, from + columns) of rows of from_stride to the columns from `to` on of rows
// of to_stride.
struct ColumnArgs {
  uint32_t rows;
  uint32_t columns;
  uint32_t from_stride;
  uint32_t from;
  uint32_t to_stride;
  uint32_t to;
};
static_assert(sizeof(ColumnArgs) == 24, "shared with the host");

// Cache entries as rows.
struct EntryArgs {
  uint32_t entries;
  uint32_t kv_heads;
  uint32_t head_dim;
  uint32_t block_positions;
};
static_assert(sizeof(EntryArgs) == 16, "shared with the host");

struct EmbedArgs {
  uint32_t tokens;
  uint32_t columns;
  uint32_t row_bytes;
};
static_assert(sizeof(EmbedArgs) == 12, "shared with the host");

struct LinearArgs {
  uint32_t tokens;
  uint32_t inner;
  uint32_t outputs;
  uint32_t row_bytes;  // of a weight row
};
static_assert(sizeof(LinearArgs) == 16, "shared with the host");

struct ExpertArgs {
  uint32_t places;          // rows of the result
  uint32_t places_per_row;  // that are computed from one row of x
  uint32_t experts;
  uint32_t inner;
  uint32_t outputs;
  uint32_t row_bytes;  // of a weight row
};
static_assert(sizeof(ExpertArgs) == 24, "shared with the host");

struct TopKArgs {
  uint32_t rows;
  uint32_t columns;
  uint32_t k;
  uint32_t normed;
};
static_assert(sizeof(TopKArgs) == 16, "shared with the host");

struct CombineArgs {
  uint32_t rows;
  uint32_t parts;  // of a row
  uint32_t columns;
};
static_assert(sizeof(CombineArgs) == 12, "shared with the host");

// Weight rows of a simdgroup in expert_linear.
enum { kExpertRows = 2 };

struct MatmulArgs {
  uint32_t rows;
  uint32_t columns;
  uint32_t inner;
};
static_assert(sizeof(MatmulArgs) == 12, "shared with the host");

// Heads that are normed, rotated or stored. Ops that rotate find head_dim / 2 floats after it: the
// angle of each pair for one position.
struct HeadArgs {
  uint32_t tokens;
  uint32_t heads;
  uint32_t kv_heads;
  uint32_t head_dim;
  uint32_t block_positions;
  float eps;
  float magnitude;
  uint32_t adjacent;  // 1: pairs are elements (2i, 2i + 1) of a head, 0: (i, i + head_dim / 2)
};
static_assert(sizeof(HeadArgs) == 32, "shared with the host");

// Tokens [first_token, first_token + tokens) of the call; the result begins with the first of them.
struct AttentionArgs {
  uint32_t first_token;
  uint32_t tokens;
  uint32_t heads;
  uint32_t kv_heads;
  uint32_t block_positions;
  float scale;
};
static_assert(sizeof(AttentionArgs) == 24, "shared with the host");

// Sizes that both sides use.
enum : uint32_t {
  kMatvecTokens = 4,    // maximum per group
  kMatmatOutputs = 64,  // per tile
  kMatmatTokens = 32,
  kPlainTile = 16,
  kTileQueries = 8,  // per attention tile
  kTileKeys = 32,
};

// The threadgroup memory of a simdgroup in attention_vector, in floats: 32 weights, 32 vector
// indices, the largest score, the sum of the weights, and head_dim sums of values.
enum : uint32_t { kPartVectors = 32, kPartLargest = 64, kPartTotal = 65, kPartSums = 66 };
constexpr uint32_t AttentionPartFloats(uint32_t head_dim) { return kPartSums + head_dim; }

}  // namespace shader
}  // namespace infer
