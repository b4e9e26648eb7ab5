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
#include "ir/base/name_regex.h"
#include "ir/graph/dtype.h"
#include "ir/graph/placement.h"

namespace infer {

// Bounds are inclusive; one that is not set holds for every node.
struct Bounds {
  std::optional<int64_t> min;
  std::optional<int64_t> max;
  bool operator==(const Bounds&) const = default;
};

// T tells the two apart: a call of one token, or of more.
enum class Phase : uint8_t { kAny, kDecode, kPrefill };
std::string_view Name(Phase phase);  // "any", "decode", "prefill"

struct Rule {
  std::string name;
  // Glob over op names; without * and ? also the name of a family, so that it
  // matches what fusion makes of the op too. Empty: any.
  std::string op;
  std::string scope;        // glob over the node's scope and those merged into it; empty: any
  std::string node;         // glob over the node's scopes, its results' names and its weights'
  NameRegex node_regex;     // found in one of the same names
  std::string weight_type;  // element type that all weights of the node have; empty: any
  Phase phase = Phase::kAny;
  Bounds layer;     // number in the scope "layer.N/..."; a node outside layers has none
  Bounds tokens;    // T itself
  Bounds rows;      // rows that share one weight matrix: dimension 0 of the first result
  Bounds columns;   // elements of a row of the first result, summed over parts
  Bounds inner;     // last dimension of the first input
  Bounds elements;  // of the first result
  Bounds flops;
  Bounds weight_bytes;          // summed over the node's weights
  std::vector<Target> targets;  // the first that can run the node is taken
  bool is_override = false;     // given beside the policy; not stored with it
  bool operator==(const Rule&) const = default;
};

// Whether a node may go to a later target of its rule because the first does not run it.
enum class Fallback : uint8_t { kAllowed, kForbidden };

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

// Why the rule can never match, be carried out or be shown: an op, a weight type or targets that do
// not exist, bounds that contradict each other or lie below 0, control characters. The message
// begins behind the rule's name.
absl::Status CheckRule(const Rule& rule);

// Control characters in its name and summary.
absl::Status CheckTexts(const Policy& policy);

// Whether a rule's `op` means an op of that name and family.
bool OpMatches(std::string_view pattern, std::string_view op, std::string_view family);

// The bounds that a rule can set, by the names that files and command lines use.
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
