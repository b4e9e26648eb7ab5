// SPDX-License-Identifier: Apache-2.0
//
// The argument of every kernel: one struct, passed by value. Host and device compile this text.
// Pointers are addresses in the device's memory.
#pragma once

#include <stdint.h>

namespace infer::cuda {

// Threads of a block, and sizes that the host computes grids from.
enum : uint32_t {
  kRowThreads = 256,      // kernels with a block per row
  kElementThreads = 256,  // kernels with a thread per element
  kHeadThreads = 128,     // a warp per head
  kMatvecThreads = 128,   // few tokens: 4 warps, each with some rows of the weight
  kStreamThreads = 256,   // one token: 8 warps, each with its own part of the rows
  kStreamScratchBytes = 128,
  kStreamStages = 3,        // pieces of a warp's rows that are on their way at the same time
  kFewThreads = 256,        // few tokens on tensor cores: 8 warps, which share the columns
  kFewColumns = 128,        // of a strip of a warp
  kFewOutputs = 16,         // that a block computes at a time
  kFewTokens = 64,          // most tokens
  kMatmatThreads = 128,     // 2 x 2 warps
  kMatmatOutputs = 64,      // outputs of a tile
  kMatmatInner = 64,        // columns of a step
  kMatmatStages = 2,        // steps in shared memory
  kMatmatDirectStages = 4,  // the same of weights that are copied there as they are
  kAttentionThreads = 256,  // few tokens: 8 warps, each with 4 positions
  kAttentionStages = 4,     // one token: pieces of the history that are on their way
  kAttentionSteps = 2,      // positions of a lane in a piece
  kTileThreads = 128,       // many tokens: 4 warps, each with 16 of them
  kAttentionSplits = 16,    // most parts of a history
  kTileQueries = 64,        // tokens of a tile
  kTileKeys = 64,
  kTopThreads = 512,       // the largest elements of a row, or of a part of one
  kTopMost = 64,           // most elements that are taken
  kTopParts = 64,          // most parts of a row
  kTopPartColumns = 2048,  // fewest columns of a part
  kTopBins = 256,
  kTopSharedBytes = kTopMost * 8 + kTopBins * 4 + 16,
  kMaxParts = 3,      // weights of one launch
  kMaxHeadDim = 256,  // of kernels that rotate
};

// out[i] = x[i] op y[i % period].
struct ElementArgs {
  float* out;
  const float* x;
  const float* y;
  uint32_t count;
  uint32_t period;
};

// A block per row.
struct RowArgs {
  float* out;
  float* sum;  // x + y, of kernels that add
  const float* x;
  const float* y;
  const float* weight;
  uint32_t columns;
  float eps;
};

struct ArgmaxArgs {
  int32_t* index;
  float* probability;
  const float* x;
  uint32_t columns;
};

// The k largest elements of each row, and their columns.
struct TopKArgs {
  int32_t* ids;
  float* values;
  const float* x;
  uint64_t* keys;  // [row][part][k], of rows in parts; see top_k.cu
  uint32_t columns;
  uint32_t k;
  uint32_t parts;
  uint32_t part_columns;
};

// out[r] = x[rows[r]].
struct GatherArgs {
  float* out;
  const float* x;
  const int32_t* rows;
  uint32_t count;
  uint32_t columns;
};

// A weight in the layout of its kernels; see weights.h. Planes that a type lacks are null.
struct WeightArgs {
  const unsigned char* quants;
  const unsigned char* high;
  const unsigned char* scales;
  const unsigned char* supers;
};

struct EmbedArgs {
  float* out;
  WeightArgs table;
  const int32_t* tokens;
  uint32_t count;
  uint32_t columns;
};

// One weight of a product.
struct PartArgs {
  WeightArgs weight;
  float* out;
  uint32_t rows;         // of the weight
  uint32_t first_block;  // of the grid's x that works on it
};

// The product of one token, with what comes before and after it: out[n] = residual[n] + sum over k
// of normed(x)[k] * weight[n][k], or silu(gate) * up of two weights. Null pointers leave a step
// out.
struct StreamArgs {
  PartArgs parts[kMaxParts];  // gate and up, or weights whose blocks follow each other
  const float* x;
  const float* norm;
  const float* residual;
  uint32_t columns;
  uint32_t rows_of_warp;
  float eps;
  float inverse_columns;
  // In shared memory, after kStreamScratchBytes and x.
  uint32_t norm_offset;
  uint32_t ring_offset;
};

// out[t][n] = factors[t] * sum over k of x[t][k] * weight[n][k].
struct MatvecArgs {
  PartArgs parts[kMaxParts];
  const float* x;
  const float* factors;    // null: all 1
  const float* residual;   // added to the results of the only part, if not null
  unsigned char* rounded;  // x in int8, for weights that are quantised; in few.h also f16 or bf16
  uint32_t num_parts;
  uint32_t tokens;
  uint32_t columns;
  uint32_t outputs_of_block;  // in few.h
};

// Rows for MatvecArgs. Without a norm only `rounded` is written.
struct PrepareArgs {
  unsigned char* rounded;  // x times the norm's weights, in int8; see unit_product.h. May be null
  float* normed;           // the same in f32. May be null
  float* factors;          // of the norm, one for each row
  const float* x;
  const float* norm;
  uint32_t tokens;
  uint32_t columns;
  float eps;
  float inverse_columns;
};

// Rows as 16-bit floats, each with a power of two that its results are multiplied by.
struct ConvertArgs {
  uint16_t* out;
  float* scales;
  const float* x;
  uint32_t columns;
};

struct MatmatArgs {
  PartArgs parts[kMaxParts];
  const uint16_t* x;
  const float* residual;
  const float* scales;
  float* partials;  // sums over a share of the columns, [split][token][row]
  uint32_t num_parts;
  uint32_t tokens;
  uint32_t columns;
  uint32_t rows;    // of all parts, each rounded up to kMatmatOutputs
  uint32_t splits;  // of the columns; 1: none, and no partials
};

// Adds the partial sums of a MatmatArgs, in order, and the residual.
struct MergeArgs {
  PartArgs parts[kMaxParts];
  const float* residual;
  const float* partials;
  uint32_t num_parts;
  uint32_t tokens;
  uint32_t rows;
  uint32_t splits;
};

// Norm, rotation and storing of heads. Null pointers leave a step out.
struct HeadArgs {
  float* q_out;
  float* k_out;  // of kernels that do not store
  unsigned char* k_cache;
  unsigned char* v_cache;
  const float* q;
  const float* k;
  const float* v;
  const float* q_norm;
  const float* k_norm;
  const int32_t* token_pos;
  const int32_t* token_slot;
  uint32_t tokens;
  uint32_t heads;
  uint32_t kv_heads;
  uint32_t head_dim;
  uint32_t block_positions;
  uint32_t rotates;
  uint32_t adjacent;  // 1: pairs are elements (2i, 2i + 1) of a head, 0: (i, i + head_dim / 2)
  float eps;
  float magnitude;
  float angles[kMaxHeadDim / 2];  // of each pair, for one position
};

// Tokens [first_token, first_token + tokens) of the call.
struct AttentionArgs {
  float* out;  // of the first token of the call
  const float* q;
  const unsigned char* k_cache;
  const unsigned char* v_cache;
  const int32_t* token_pos;
  const int32_t* token_table;  // where the blocks of its sequence begin in block_tables
  const int32_t* block_tables;
  float* partials;     // [token][head][split] of maximum, sum and head_dim values
  uint32_t* counters;  // [token][head], zero before and after
  uint32_t first_token;
  uint32_t tokens;
  uint32_t heads;
  uint32_t kv_heads;
  uint32_t block_positions;
  uint32_t splits;
  float scale;
};

// The call has one token.
struct SelfAttentionArgs {
  HeadArgs heads;
  AttentionArgs attention;
  uint32_t heads_of_kv;
  uint32_t groups_of_kv;  // of heads that a block takes
  // Position p is in block p * block_factor >> block_shift of its sequence.
  uint32_t block_factor;
  uint32_t block_shift;
};

}  // namespace infer::cuda
