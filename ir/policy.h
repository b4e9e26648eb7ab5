// SPDX-License-Identifier: Apache-2.0
//
// A placement policy as data: ordered rules, the first that matches a node decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/dtype.h"
#include "ir/placement.h"

namespace infer {

// Bounds are inclusive; one that is not set holds for every node.
struct Bounds {
  std::optional<int64_t> min;
  std::optional<int64_t> max;
  bool operator==(const Bounds&) const = default;
};

struct Rule {
  std::string name;
  std::string op;           // empty: any
  std::string scope;        // glob over the node's scope; empty: any
  std::string weight_type;  // element type that all weights of the node have; empty: any
  Bounds layer;             // number in the scope "layer.N/..."; a node outside layers has none
  Bounds tokens;            // T itself
  Bounds rows;              // rows that share one weight matrix: dimension 0 of the first result
  Bounds columns;           // elements of a row of the first result, summed over parts
  Bounds inner;             // last dimension of the first input
  Bounds elements;          // of the first result
  Bounds flops;
  Bounds weight_bytes;          // summed over the node's weights
  std::vector<Target> targets;  // the first that can run the node is taken
  bool operator==(const Rule&) const = default;
};

struct Policy {
  enum class Composites : uint8_t {
    kKeep,       // a composite op runs whole where a target has a kernel for it
    kDecompose,  // every composite op is expanded into primitives
  };
  enum class Activations : uint8_t {
    kAuto,   // a kernel may quantise activations to match its weights
    kFloat,  // activations stay f32
  };
  std::string name;
  std::string summary;
  Composites composites = Composites::kKeep;
  Activations activations = Activations::kAuto;
  std::optional<DType> kv_type;  // cache type this policy insists on
  std::vector<Rule> rules;
  bool operator==(const Policy&) const = default;
};

// A policy of 200 rules takes 40 KB.
inline constexpr size_t kMaxPolicyBytes = size_t{1} << 20;

// Text format of ir/policy.proto. `where` names the file in errors.
absl::StatusOr<Policy> ParsePolicy(std::string_view textproto, std::string_view where);
std::string PrintPolicy(const Policy& policy);

}  // namespace infer
