// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/plan.h"
#include "runtime/kernel.h"
#include "runtime/step_events.h"

namespace infer {

// A step with everything resolved. `args` points into memory of the Executable, which outlives the
// segments; `kernel` is empty for views, which compute nothing.
struct PreparedStep {
  const Node* node = nullptr;
  std::string kernel;
  const KernelArgs* args = nullptr;
  StepMode mode = StepMode::kSerial;
  bool barrier_after = false;
  int32_t number = 0;  // in the plan, counted over its segments
};

// Called after each step that computes something (views do not), before any slot is reused. With
// one installed, steps run one at a time.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void AfterStep(const Node& node, const KernelArgs& args) = 0;
};

class StepRecorder;

// What a call brings to the segments.
struct RunContext {
  StepObserver* observer = nullptr;
  const std::atomic<bool>* stop =
      nullptr;                       // checked between steps, so that Ctrl-C ends long chunks
  StepRecorder* recorder = nullptr;  // for the executor, which takes `events` from it
  StepEvents* events = nullptr;      // where segments note times; null: nobody wants them
};

// The resolved steps of one segment. Running looks nothing up and allocates nothing.
class CompiledSegment {
 public:
  virtual ~CompiledSegment() = default;
  virtual absl::Status Run(const RunContext& context) = 0;
};

// A way to store a weight matrix other than the file's, which some kernels want. Packing is shared
// out by panels of `panel_rows` weight rows.
struct WeightLayout {
  std::string_view name;     // "q8_0_simd"; a Program stores it
  std::string_view variant;  // what this machine makes of it; changes whenever the bytes do
  int64_t panel_rows = 1;
  uint64_t (*bytes)(int64_t rows, int64_t columns) = nullptr;
  // nullptr: on this machine the kernels that name the layout read the file's rows.
  void (*pack)(const std::byte* rows, int64_t num_rows, int64_t columns, int64_t begin_panel,
               int64_t end_panel, std::byte* packed) = nullptr;
};

// The kernels of one device and the way to run them. Owned by the KernelRegistry.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual Device device() const = 0;
  virtual std::span<const KernelInfo> kernels() const = 0;
  virtual std::span<const WeightLayout> layouts() const { return {}; }
  // Why this machine runs nothing on `target`, one of the device's; empty if it does.
  virtual std::string WhyUnavailable(Target) const { return {}; }
  // Threads that run a sliced step together.
  virtual int threads() const { return 1; }
  // Lets threads that wait for the next call sleep at once; the call wakes them.
  virtual void Pause() const {}
  // For each thread, the time that it has waited for others inside calls so far; empty if nobody
  // counts. Between calls only.
  virtual std::vector<uint64_t> WaitNs() const { return {}; }
  // Thread i finds its scratch memory at i * scratch_stride from that of the steps' arguments.
  virtual absl::StatusOr<std::unique_ptr<CompiledSegment>> Prepare(
      std::vector<PreparedStep> steps, uint64_t scratch_stride) const = 0;
};

}  // namespace infer
