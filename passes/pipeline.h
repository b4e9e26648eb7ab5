// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/program.h"
#include "passes/pass.h"

namespace infer {

// Called after each pass with the graph as it is then: dumps, times and progress hang on this.
using PassObserver = std::function<void(const PassRecord& record, const Graph& graph, double ms)>;

// Passes in order. Runs each, compares its answer with what really changed, verifies the graph and
// names the guilty pass in an error. A straight line: nothing is repeated until stable.
class PassPipeline {
 public:
  // Refuses an order in which a pass does not get the stage it needs.
  static absl::StatusOr<PassPipeline> Create(std::vector<std::unique_ptr<Pass>> passes, Stage from);

  absl::Status Run(Graph& graph, PassContext& context, const PassObserver& observer,
                   std::vector<PassRecord>* records) const;

 private:
  explicit PassPipeline(std::vector<std::unique_ptr<Pass>> passes) : passes_(std::move(passes)) {}
  std::vector<std::unique_ptr<Pass>> passes_;
};

// The one list, in two parts: what is done once for all of T, and what is done for each regime.
std::vector<std::unique_ptr<Pass>> GraphPasses();
std::vector<std::unique_ptr<Pass>> RegimePasses();

}  // namespace infer
