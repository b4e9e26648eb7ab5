// SPDX-License-Identifier: Apache-2.0
//
// Everything the project knows about an op, in one record. The identity of an op is the address of
// its record: there is no enum of ops, so nobody can write a switch over them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph/attr.h"
#include "ir/graph/placement.h"
#include "ir/graph/value_type.h"

namespace infer {

class GraphBuilder;
class Node;
struct OpDef;
struct Value;

struct InputSpec {
  std::string_view name;
  TypeKind kind = TypeKind::kTensor;
  bool variadic = false;  // one or more; only the last input may be
};

struct AttrSpec {
  std::string_view name;
  AttrKind kind;
};

// What an op's functions see of a node: types and attributes, no graph.
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
  bool state = false;           // stands for a state that outlives the call
  bool declares_types = false;  // result types cannot be inferred and are taken as written
  int8_t aliases_input = -1;    // result 0 *is* this input (cache writes)
  int8_t in_place_input = -1;   // result 0 may take over this input's memory if it dies here
  int8_t index_input = -1;  // holds row numbers of input 0; must be an input of the graph, whose
                            // values the executor checks once per call
};

struct OpDef {
  std::string_view name;
  std::string_view summary;
  // The op that a fused op does the work of, so that rules and questions about that op reach it:
  // `linear` for multi_linear. Empty: its own.
  std::string_view family = {};
  std::span<const InputSpec> inputs = {};
  std::span<const AttrSpec> attrs = {};
  int num_results = 1;  // kSameAsVariadic: as many as the variadic input has members
  OpTraits traits = {};
  absl::StatusOr<Types> (*infer)(const OpArgs& args) = nullptr;
  Cost (*cost)(const OpArgs& args) = nullptr;  // nullptr: nothing is computed
  // Emits simpler ops, in the end primitives, that compute the node's results, and returns those.
  // nullptr: a primitive op.
  std::vector<Value> (*decompose)(GraphBuilder& builder, const Node& node) = nullptr;

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

// Cost rules that several ops share: bytes are all inputs and results, read and written once.
SymbolicCount IoBytes(const OpArgs& args);
Cost ElementwiseCost(const OpArgs& args, double flops_per_element);

}  // namespace infer
