// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/kernel_registry.h"
#include "runtime/profiler.h"
#include "runtime/step_recorder.h"
#include "tools/cli/tool.h"
#include "tools/run/run_options.h"

namespace infer {

// The profile of a run with --profile or --dump-profile.
class RunProfile {
 public:
  // Observes the calls of `recorder` from here on. Opens the file now. All arguments must outlive
  // it. `rank_threads` is the number of threads, of each rank if the model is divided.
  static absl::StatusOr<std::unique_ptr<RunProfile>> Start(
      const RunOptions& options, const ThreadChoice& threads, std::span<const int> rank_threads,
      const Program& program, const KernelRegistry& registry, StepRecorder* recorder,
      ToolContext* context);

  // Writes the file and prints the table on stderr, whichever was requested.
  absl::Status Finish();

 private:
  RunProfile(const RunOptions& options, const ThreadChoice& threads,
             std::span<const int> rank_threads, const Program& program, ToolContext* context);

  const RunOptions& options_;
  const ThreadChoice& threads_;
  const Program& program_;
  ToolContext* context_;
  std::vector<int> rank_threads_;
  Profiler profiler_;
  bool emulated_ = false;
  std::unique_ptr<AtomicFile> file_;
};

}  // namespace infer
