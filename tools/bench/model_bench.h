// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/session.h"
#include "tools/api/model_file.h"
#include "tools/bench/bench_record.h"
#include "tools/cli/tool.h"

namespace infer {

// Measures one model under each policy and number of threads in turn.
class ModelBench {
 public:
  struct Callbacks {
    std::function<absl::Status(const BenchRecord& record)> on_record;
    std::function<void(const std::string& note)> on_run = {};  // before each run and warm-up
    // Called once, before the first run and after a Program that cannot be measured is refused.
    std::function<absl::StatusOr<std::optional<Peaks>>()> measure_peaks;
    ToolContext* context = nullptr;  // for progress, warnings and signals; required
  };

  // Opens the model without compiling anything. `options` must outlive it.
  static absl::StatusOr<ModelBench> Open(const BenchOptions& options);

  // Returns how many runs Run will make.
  int64_t num_runs() const;
  absl::Status Run(const Callbacks& callbacks);

 private:
  explicit ModelBench(const BenchOptions& options) : options_(&options) {}

  absl::StatusOr<std::unique_ptr<Session>> MakeSession(const KernelRegistry& registry,
                                                       const std::string& policy, int64_t chunk,
                                                       const Callbacks& callbacks);
  // Runs all tests with one policy, chunk and number of threads.
  absl::Status RunTests(const std::string& policy, int64_t chunk, int64_t threads,
                        const Callbacks& callbacks);
  absl::StatusOr<BenchRecord> RunTest(Session& session, const BenchTest& test,
                                      const Callbacks& callbacks);
  // Returns the nanoseconds of one run. The cache is filled to the test's depth before the clock
  // starts.
  absl::StatusOr<uint64_t> RunOnce(Session& session, const BenchTest& test,
                                   const std::atomic<bool>* stop);

  const BenchOptions* options_;
  std::unique_ptr<ModelFile> model_;
  BenchRecord common_;  // fields that all records share
  bool has_measured_peaks_ = false;
  std::set<int64_t> warned_threads_;  // numbers that were already warned about
};

}  // namespace infer
