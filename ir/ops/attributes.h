// SPDX-License-Identifier: Apache-2.0
//
// Access to the attributes of ops by name, for code that reads a node or runs a kernel. Each
// function is defined in its op's file, next to the list that orders the attributes; `attrs` must
// be those of a node of that op.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ir/graph/attr.h"
#include "ir/graph/sharding.h"

namespace infer {

class Node;

// Returns the weight's name in the model file, for a node whose op has the trait `weight`.
const std::string& WeightName(const Node& node);
// Which part of that weight the node stands for.
WeightSlice SliceOf(const Node& node);
// Identifies the part in a Program: the name, followed by "[axis/parts]" if it is not all of it.
std::string WeightKey(const std::string& name, const WeightSlice& slice);
std::string WeightKey(const Node& node);
// Returns the id of the state, for a node whose op has the trait `state`.
int64_t StateId(const Node& node);

namespace ops {

// How positions become rotation angles. Without scaling: factor 1, ext_factor 0, attn_factor 1.
struct RopeParams {
  double base = 10000.0;
  double freq_scale = 1.0;   // 1/factor: positions are divided by the factor
  double ext_factor = 0.0;   // YaRN's share of unscaled high frequencies; 0: plain linear scaling
  double attn_factor = 1.0;  // multiplies sine and cosine
  double beta_fast = 32.0;
  double beta_slow = 1.0;
  int64_t original_context = 0;  // number of positions the model was trained on, for YaRN
  bool adjacent = false;  // pairs are elements (2i, 2i + 1) of a head, not (i, i + head_dim / 2)
  // Each pair's angle is divided by its factor; empty: by 1. Points into the attributes of a node,
  // or to what its maker has.
  std::span<const double> factors = {};
  bool operator==(const RopeParams& other) const;
};

// Attributes of the ops that norm and rotate heads.
struct NormRopeParams {
  double eps = 0;
  RopeParams rope;
};

// How many of a row's largest elements are taken, and whether they are divided by their sum.
struct TopKParams {
  int64_t k = 1;
  bool normed = false;
};

// Along which axis the parts of how many ranks are joined.
struct AllGatherParams {
  int64_t axis = 0;
  int64_t ranks = 0;
};

double AddScalarValue(std::span<const Attr> attrs);        // add_scalar
AllGatherParams AllGatherOf(std::span<const Attr> attrs);  // all_gather
int64_t AllReduceRanks(std::span<const Attr> attrs);       // all_reduce
int64_t AllRowsRanks(std::span<const Attr> attrs);         // all_rows
double AttentionScale(std::span<const Attr> attrs);        // attention, self_attention
NormRopeParams NormRopeOf(std::span<const Attr> attrs);    // qk_norm_rope, attention_inputs
double RmsNormEps(std::span<const Attr> attrs);            // rms_norm and ops that norm rows
RopeParams RopeParamsOf(std::span<const Attr> attrs);      // rope
double ScaleFactor(std::span<const Attr> attrs);           // scale
int64_t SliceFirstColumn(std::span<const Attr> attrs);     // slice_columns
TopKParams TopKOf(std::span<const Attr> attrs);            // top_k, route

}  // namespace ops
}  // namespace infer
