// SPDX-License-Identifier: Apache-2.0
//
// Everything the project knows about an op, in one record. The address of the record is the
// identity of the op: there is no enum of ops, so there can be no switch over them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph/attr.h"
#include "ir/graph/cost.h"
#include "ir/graph/sharding.h"
#include "ir/graph/value_type.h"

namespace infer {

class GraphBuilder;
class Node;
struct OpDef;
struct Value;

struct InputSpec {
  std::string_view name;
  TypeKind kind = TypeKind::kTensor;
  bool variadic = false;  // one or more values; only the last input may be variadic
};

struct AttrSpec {
  std::string_view name;
  AttrKind kind;
  bool optional = false;  // not written where it has its kind's default
};

// The part of a node that an op's functions see: types and attributes, no graph.
struct OpArgs {
  const OpDef& op;
  std::span<const ValueType> inputs;
  std::span<const Attr> attrs;          // in the order of op.attrs, kinds already checked
  std::span<const ValueType> declared;  // result types as written; only for ops that declare them

  const ValueType& input(int i) const { return inputs[i]; }
  template <class T>
  const T& attr(int i) const {
    return std::get<T>(attrs[i]);
  }
  absl::Status Error(std::string_view what) const;  // "<op>: <what>"
};

using Types = std::vector<ValueType>;

struct OpTraits {
  bool rowwise = false;         // row i of each result depends on row i of the inputs alone
  bool view = false;            // the result is the memory of input 0 under another shape
  bool weight = false;          // stands for a weight of the model file
  bool collective = false;      // all ranks take part in computing it
  bool shares_rows = false;     // a collective whose result i has all rows of input i, of which
                                // each rank may have computed a share
  bool state = false;           // stands for a state that outlives the call
  bool declares_types = false;  // result types cannot be inferred and are taken as written
  int8_t aliases_input = -1;    // result 0 is this input itself (cache writes)
  int8_t in_place_input = -1;   // result 0 may reuse this input's memory if this is its last use
  int8_t index_input = -1;    // this input holds row numbers of input 0. It must be an input of the
                              // graph, whose values the executor checks once per call
  int8_t expert_input = -1;   // this input holds, for each row, which matrices of the weights of
                              // rank 3 it is multiplied with. Computed in the call, so kernels
                              // check it: a row of an expert that does not exist becomes NaN
  int8_t product_input = -1;  // this input is multiplied with weights and nothing else, so that a
                              // kernel may round it first, as its numerics class says
};

struct OpDef {
  std::string_view name;
  std::string_view summary;
  // The op whose work a fused op does, so that rules and queries about that op apply to it too:
  // `linear` for multi_linear. Empty if the op is its own family.
  std::string_view family = {};
  std::span<const InputSpec> inputs = {};
  std::span<const AttrSpec> attrs = {};
  int num_results = 1;  // kSameAsVariadic: one for each value of the variadic input
  OpTraits traits = {};
  absl::StatusOr<Types> (*infer)(const OpArgs& args) = nullptr;
  Cost (*cost)(const OpArgs& args) = nullptr;  // nullptr: nothing is computed
  // Emits simpler ops, eventually primitives, that compute the node's results, and returns those
  // results. nullptr for a primitive op.
  std::vector<Value> (*decompose)(GraphBuilder& builder, const Node& node) = nullptr;
  // The ways to divide a node over ranks, the preferred first. Weights and states can be divided as
  // a strategy wants; other inputs are what the nodes that compute them give. nullptr: every rank
  // computes all of it.
  std::vector<ShardStrategy> (*shard)(const OpArgs& args) = nullptr;

  static constexpr int kSameAsVariadic = -1;
  bool composite() const { return decompose != nullptr; }
  std::string_view family_name() const { return family.empty() ? name : family; }
};

// Checks counts, kinds and attributes against the record, then infers the result types.
absl::StatusOr<Types> CheckAndInfer(const OpArgs& args);

// Shape rules that several ops share.
absl::StatusOr<Types> SameAsInput0(const OpArgs& args);  // f32 in, the same out
// Two f32 inputs; the second has the shape of the first or is a vector along its last axis.
absl::StatusOr<Types> InferBroadcast(const OpArgs& args);

// Cost rules that several ops share. Bytes count every input as read once and every result as
// written once.
SymbolicCount IoBytes(const OpArgs& args);
Cost ElementwiseCost(const OpArgs& args, double flops_per_element);

// Sharding rules that several ops share.
// Elements of the last axis by themselves; a second input that is a vector along it is divided too.
std::vector<ShardStrategy> ShardElementwise(const OpArgs& args);
// f32[T,heads,head_dim], each head by itself; further inputs are replicated.
std::vector<ShardStrategy> ShardHeads(const OpArgs& args);

}  // namespace infer
