// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/graph/graph.h"
#include "ir/graph/shape.h"
#include "ir/graph/stage.h"
#include "ir/policy/machine.h"
#include "ir/policy/policy.h"
#include "ir/program/kernel_catalog.h"

namespace infer {

// What a pass may read besides the graph. Owned by the caller of the pipeline.
struct PassContext {
  SymbolRanges symbols;                         // the ranges that bind-shapes sets
  const Policy* policy = nullptr;               // from legalize on
  const KernelCatalog* catalog = nullptr;       // from legalize on
  const MachineDescription* machine = nullptr;  // estimates are zero without one
  // Called with the reason why a node that a pass could have rewritten was left unchanged. May be
  // empty.
  std::function<void(const Node& node, std::string_view reason)> on_refusal = {};
  Fallback fallback = Fallback::kAllowed;
  int64_t candidates = 0;  // largest logits that a graph should end with; 0: none

  void Explain(const Node& node, std::string_view reason) const {
    if (on_refusal) on_refusal(node, reason);
  }
};

// One transformation of a graph. Stateless; the pipeline does everything that all passes need
// (verification, dumps, timing, checking the returned value).
class Pass {
 public:
  virtual ~Pass() = default;
  virtual std::string_view name() const = 0;  // kebab-case: the file's name with dashes
  virtual Stage needs() const = 0;
  virtual Stage gives() const { return needs(); }
  // Returns true if the graph was changed; moving to another stage alone does not count.
  virtual absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const = 0;
};

}  // namespace infer
