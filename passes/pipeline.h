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

// Called before and after each pass with the current graph, for dumps, times and progress. Either
// may be empty. `regime` is that of the record to come; `ms` is the time of the pass and of the
// pipeline's checks after it, without the observer's own.
struct PassObserver {
  std::function<void(std::string_view pass, int32_t regime, const Graph& graph)> before = {};
  std::function<void(const PassRecord& record, const Graph& graph, double ms)> after = {};
};

// Runs passes in order. Compares the result of each with what really changed, verifies the graph if
// something did, and names the pass in an error. Each pass runs once: nothing is repeated until
// stable.
class PassPipeline {
 public:
  // Refuses an order in which a pass does not get the stage it needs.
  static absl::StatusOr<PassPipeline> Create(std::vector<std::unique_ptr<Pass>> passes, Stage from);

  // `regime` is recorded; it counts from 1, and 0 means all of T.
  absl::Status Run(Graph& graph, PassContext& context, const PassObserver& observer,
                   std::vector<PassRecord>* records, int32_t regime = 0) const;

 private:
  explicit PassPipeline(std::vector<std::unique_ptr<Pass>> passes) : passes_(std::move(passes)) {}
  std::vector<std::unique_ptr<Pass>> passes_;
};

// The two parts of the default pipeline: the passes that run once for all of T, and those that run
// for each regime. Without the passes in `skip`, which must have passed CheckSkip.
std::vector<std::unique_ptr<Pass>> GraphPasses(std::span<const std::string> skip = {});
std::vector<std::unique_ptr<Pass>> RegimePasses(std::span<const std::string> skip = {});

}  // namespace infer
