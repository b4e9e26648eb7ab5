// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/session.h"
#include "runtime/step_recorder.h"
#include "tools/cli/tool.h"
#include "tools/flags/thread_flags.h"
#include "tools/run/run_options.h"
#include "tools/run/run_profile.h"
#include "tools/trace/call_tracer.h"
#include "tools/trace/step_log.h"

namespace infer {

// The observers of the steps of a run: --profile and --dump-profile, --trace, INFER_LOG=trace. They
// share one recorder; without any of them there is none.
class RunRecording {
 public:
  // Records the calls of `session` from here on. Files are opened now: a run of minutes must not
  // end with a path that cannot be written. Returns null if nothing was requested. All arguments
  // must outlive it.
  static absl::StatusOr<std::unique_ptr<RunRecording>> Start(const RunOptions& options,
                                                             const ThreadChoice& threads,
                                                             const KernelRegistry& registry,
                                                             Session* session,
                                                             ToolContext* context);
  ~RunRecording();

  // Writes the files and prints the profile's table on stderr, whichever was requested, even after
  // an interrupted run.
  absl::Status Finish();

 private:
  RunRecording(std::vector<int> rank_threads, const KernelRegistry& registry, Session* session,
               Console* console);
  absl::Status StartTrace(const RunOptions& options, const ThreadChoice& threads,
                          const KernelRegistry& registry, ToolContext* context);

  Session* session_;
  Console* console_;
  std::vector<int> rank_threads_;  // the number of threads, of each rank if the model is divided
  StepRecorder recorder_;
  std::unique_ptr<RunProfile> profile_;
  std::unique_ptr<AtomicFile> trace_file_;
  std::unique_ptr<CallTracer> tracer_;
  std::unique_ptr<StepLog> log_;
};

}  // namespace infer
