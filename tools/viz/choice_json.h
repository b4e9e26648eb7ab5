// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/base/json.h"
#include "ir/policy/machine.h"
#include "ir/program/program.h"
#include "tools/viz/json_table.h"

namespace infer {

// What the placement of a node depends on, for pages that try other thresholds: the rules that its
// names match, the quantities that predicates use as functions of the symbols, the kernels that the
// compiling machine offered for it, and estimates.
class ChoiceTable {
 public:
  // `program` must outlive it.
  explicit ChoiceTable(const Program& program);

  // Returns the position of the entry for a node with that kernel choice. `call_bytes` is that of
  // its graph; see EstimateNode.
  size_t Add(const Node& node, int32_t kernel_choice, const SymbolicCount& call_bytes);

  // Returns the T of the estimates, ascending: powers of two and the largest.
  const std::vector<int64_t>& estimate_tokens() const { return estimate_tokens_; }
  Json Take() { return table_.Take(); }
  // Returns the Program's machine, or nullptr if it has none that can be read.
  const MachineDescription* machine() const { return machine_ ? &*machine_ : nullptr; }

 private:
  Json EstimatesJson(const Node& node, const SymbolicCount& call_bytes) const;

  const Program& program_;
  std::optional<MachineDescription> machine_;
  std::vector<int64_t> estimate_tokens_;
  std::map<std::string, Json> estimates_;  // by kind
  JsonTable table_;
};

// Writes the Program's tables of kernels and kernel choices.
Json KernelCandidatesJson(const Program& program);
Json KernelChoicesJson(const Program& program);

}  // namespace infer
