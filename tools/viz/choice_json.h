// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ir/kernel_catalog.h"
#include "ir/machine.h"
#include "ir/program.h"
#include "tools/viz/json_table.h"

namespace infer {

// What the placement of a node depends on, for pages that try other thresholds: the rules that its
// names let match, the numbers that predicates ask about as functions of the symbols, the kernels
// of each target with their row limits, and estimates.
class ChoiceTable {
 public:
  // Both must outlive it.
  ChoiceTable(const Program& program, const KernelCatalog& catalog);

  // Position of the node's entry. `call_bytes` is that of its graph; see EstimateNode.
  size_t Add(const Node& node, const SymbolicCount& call_bytes);

  // The T of estimates, ascending: powers of two and the largest.
  const std::vector<int64_t>& estimate_tokens() const { return estimate_tokens_; }
  nlohmann::ordered_json Take() { return table_.Take(); }

 private:
  nlohmann::ordered_json SupportJson(const Node& node) const;
  nlohmann::ordered_json EstimatesJson(const Node& node, const SymbolicCount& call_bytes) const;

  const Program& program_;
  const KernelCatalog& catalog_;
  std::optional<MachineDescription> machine_;
  std::vector<int64_t> estimate_tokens_;
  std::map<std::string, nlohmann::ordered_json> by_kind_;  // support and estimates
  JsonTable table_;
};

}  // namespace infer
