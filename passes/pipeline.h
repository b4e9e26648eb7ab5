// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/program/program.h"
#include "passes/pass.h"

namespace infer {

// Called around each pass with the graph as it is then: dumps, times and progress hang on this.
// Either may be empty. `regime` is that of the record to come; `ms` is the time of the pass and of
// what the pipeline checks after it, without the observer's own.
struct PassObserver {
  std::function<void(std::string_view pass, int32_t regime, const Graph& graph)> before = {};
  std::function<void(const PassRecord& record, const Graph& graph, double ms)> after = {};
};

// Passes in order. Runs each, compares its answer with what really changed, verifies the graph if
// something did and names the guilty pass in an error. A straight line: nothing is repeated until
// stable.
class PassPipeline {
 public:
  // Refuses an order in which a pass does not get the stage it needs.
  static absl::StatusOr<PassPipeline> Create(std::vector<std::unique_ptr<Pass>> passes, Stage from);

  // `regime`, counted from 1, is what the records say; 0: for all of T.
  absl::Status Run(Graph& graph, PassContext& context, const PassObserver& observer,
                   std::vector<PassRecord>* records, int32_t regime = 0) const;

 private:
  explicit PassPipeline(std::vector<std::unique_ptr<Pass>> passes) : passes_(std::move(passes)) {}
  std::vector<std::unique_ptr<Pass>> passes_;
};

// The default pipeline in its two parts: what is done once for all of T, and what is done for each
// regime. Without the passes in `skip`, which CheckSkip has seen.
std::vector<std::unique_ptr<Pass>> GraphPasses(std::span<const std::string> skip = {});
std::vector<std::unique_ptr<Pass>> RegimePasses(std::span<const std::string> skip = {});

}  // namespace infer
