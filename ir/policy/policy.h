// SPDX-License-Identifier: Apache-2.0
//
// A placement policy as data: ordered rules, of which the first that matches a node decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/base/name_regex.h"
#include "ir/graph/dtype.h"
#include "ir/graph/target.h"

namespace infer {

// Inclusive bounds; one that is not set holds for every node.
struct Bounds {
  std::optional<int64_t> min;
  std::optional<int64_t> max;
  bool operator==(const Bounds&) const = default;
};

// Decode is a call of one token, prefill one of more.
enum class Phase : uint8_t { kAny, kDecode, kPrefill };
std::string_view Name(Phase phase);  // "any", "decode", "prefill"

struct Rule {
  std::string name;
  // Glob over op names; without * and ? also the name of a family, so that it matches what fusion
  // makes of the op as well. Empty: any.
  std::string op;
  std::string scope;        // glob over the node's scope and those merged into it; empty: any
  std::string node;         // glob over the node's scopes and the names of its results and weights
  NameRegex node_regex;     // must be found in one of the same names
  std::string weight_type;  // element type of all weights of the node; empty: any
  Phase phase = Phase::kAny;
  Bounds layer;     // N in the scope "layer.N/..."; nodes outside layers have none
  Bounds tokens;    // T itself
  Bounds rows;      // rows that share one weight matrix: dimension 0 of the first result
  Bounds columns;   // elements of a row of the first result, summed over parts
  Bounds inner;     // last dimension of the first input
  Bounds elements;  // of the first result
  Bounds flops;
  Bounds weight_bytes;          // summed over the node's weights
  std::vector<Target> targets;  // the first that can run the node is used
  bool is_override = false;     // given in addition to the policy; not stored with it
  bool operator==(const Rule&) const = default;
};

// Whether a node may use a later target of its rule if the first cannot run it.
enum class Fallback : uint8_t { kAllowed, kForbidden };

// How a model is divided over ranks, the processes that run it together.
struct ShardPolicy {
  enum class Mode : uint8_t {
    kExact,  // whole rows are gathered before every product, which gives the bits of one process
    kFast,   // inner dimensions are divided too; the ranks' sums are added in their order
  };
  int32_t ranks = 1;
  Mode mode = Mode::kExact;
  // Products with fewer columns are computed by every rank: collecting the result takes longer.
  // More than models have experts to choose from, fewer than any other product has.
  int64_t min_columns = kDefaultMinColumns;
  bool operator==(const ShardPolicy&) const = default;

  static constexpr int64_t kDefaultMinColumns = 256;
};
std::string_view Name(ShardPolicy::Mode mode);  // "exact", "fast"

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
  // Each node has kernels of one numerics class in all regimes, so that a row's bits do not depend
  // on the other rows of a call.
  bool invariant = false;
  ShardPolicy shard;
  std::optional<DType> kv_type;  // cache type that this policy requires
  std::vector<Rule> rules;
  bool operator==(const Policy&) const = default;
};

// Returns an error if the rule can never match, be applied or be shown: an op, weight type or
// target that does not exist, bounds that contradict each other or are negative, control
// characters. The message continues a sentence that begins with the rule's name.
absl::Status CheckRule(const Rule& rule);

// Returns an error if the policy's name or summary has control characters.
absl::Status CheckTexts(const Policy& policy);

// Lets the patterns of all rules share the steps of one check, counted from now on.
void CountRegexSteps(Policy* policy);
// Returns an error that names the rule if searching for its pattern was given up.
absl::Status CheckRegexSteps(const Policy& policy);

// Returns whether a rule's `op` matches an op of that name and family.
bool OpMatches(std::string_view pattern, std::string_view op, std::string_view family);

// A bound that a rule can set, by the name that files and command lines use.
struct BoundsField {
  const char* name;
  Bounds Rule::* bounds;
};
inline constexpr BoundsField kBoundsFields[] = {
    {"layer", &Rule::layer}, {"tokens", &Rule::tokens},
    {"rows", &Rule::rows},   {"columns", &Rule::columns},
    {"inner", &Rule::inner}, {"elements", &Rule::elements},
    {"flops", &Rule::flops}, {"weight_bytes", &Rule::weight_bytes},
};

}  // namespace infer
