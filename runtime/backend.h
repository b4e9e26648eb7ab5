// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/base/parallel_for.h"
#include "ir/graph/plan.h"
#include "runtime/kernel.h"
#include "runtime/memory_space.h"
#include "runtime/step_events.h"

namespace infer {

// A kernel chosen for one node, with everything that its call would otherwise look up.
struct BoundKernel {
  const void* kernel = nullptr;                // the back end's own record of it
  std::shared_ptr<const void> constants = {};  // what KernelArgs::bound points to; may be null

  explicit operator bool() const { return kernel != nullptr; }
};

// A step with its kernel bound; `bound` is empty for views, which compute nothing, and for copies.
struct PreparedStep {
  const Node* node = nullptr;  // null for a copy, of in(0) of the step's arguments to out(0)
  BoundKernel bound = {};
  StepMode mode = StepMode::kSerial;
  bool barrier_after = false;
  int32_t number = 0;         // in the plan, counted over its segments
  SymbolRanges symbols = {};  // of the regime; one that is not set holds every number

  bool is_copy() const { return node == nullptr; }
};

// Called after each step that computes something (views and copies do not), before any slot is
// reused. With one installed, steps run one at a time and the cpu waits for each segment. The
// arguments are addresses that the cpu can read.
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

// What a back end keeps for the calls of one CallContext: its view of their memory, its queue. One
// call at a time uses it. Must die before that memory does.
class DeviceContext {
 public:
  virtual ~DeviceContext() = default;
  // Where the device's steps find the batch; nullptr: in the cpu's memory.
  virtual const Batch* batch() const { return nullptr; }
  // Before the segments of a call. `batch` stays as it is until the call is over.
  virtual absl::Status Begin(const Batch& batch) {
    static_cast<void>(batch);
    return absl::OkStatus();
  }
  // Returns when every segment that was handed over is complete, with the first error of those that
  // were since the last Wait.
  virtual absl::Status Wait() { return absl::OkStatus(); }
};

// The memory of a call, as a segment sees it.
struct SegmentCall {
  std::span<const KernelArgs> args;  // by number of the step
  DeviceContext* device = nullptr;   // what MakeContext gave for the device
};

// The bound steps of one segment. Immutable, so that several calls may run it at the same time,
// each in its own memory. Running looks nothing up and allocates nothing. A device with a memory of
// its own is only handed the steps: they are complete after DeviceContext::Wait.
class CompiledSegment {
 public:
  virtual ~CompiledSegment() = default;
  virtual absl::Status Run(const RunContext& context, const SegmentCall& call) const = 0;
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

// Memory of the process that steps read or write.
struct MemorySpan {
  enum class Use : uint8_t { kWeights, kActivations, kCache };
  Use use = Use::kActivations;
  std::span<const std::byte> bytes;
  uint64_t largest_value = 0;  // bytes that must not be torn apart; 0: all
};

// A node of a Program with the ranges of its regime.
struct RegimeNode {
  const Node* node = nullptr;
  SymbolRanges symbols = {};
};

// A kernel that turned out not to work on this machine.
struct KernelFailure {
  std::string kernel;
  std::string text;  // the compiler's or the driver's
};

// The kernels of one device and the way to run them. Owned by the KernelRegistry.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual Device device() const = 0;
  // The memory that only this device reaches; nullptr: it works in the cpu's.
  virtual MemorySpace* memory() const { return nullptr; }
  Device space() const { return memory() == nullptr ? Device::kCpu : device(); }
  // What the device is, for reports: its name and its limits in a few words.
  virtual std::string Description() const { return {}; }
  // Whether it only computes what another device would: right numbers, meaningless times.
  virtual bool emulated() const { return false; }
  virtual std::span<const KernelInfo> kernels() const = 0;
  virtual std::span<const WeightLayout> layouts() const { return {}; }
  // Why this machine runs nothing on `target`, one of the device's; empty if it does.
  virtual std::string WhyUnavailable(Target) const { return {}; }
  // From so many rows on the device is worth taking although nobody asked for it; 0: never.
  virtual int64_t automatic_rows() const { return 0; }
  // Why the kernel of that name cannot be used (any more); empty if it can.
  virtual std::string WhyNot(std::string_view) const { return {}; }
  // All kernels of which WhyNot has something to say.
  virtual std::vector<KernelFailure> Failures() const { return {}; }
  // Why so many bytes of weights, activations and cache are too many; empty if they are not.
  virtual std::string WhyTooLarge(uint64_t) const { return {}; }
  // Threads that run a sliced step together.
  virtual int threads() const { return 1; }
  // Calls body(i) for every i below `count`, shared out over those threads. Between calls only.
  virtual void For(int64_t count, const std::function<void(int64_t)>& body) const {
    SerialFor(count, body);
  }
  // Lets threads that wait for the next call sleep at once; the call wakes them.
  virtual void Pause() const {}
  // For each thread, the time that it has waited for others inside calls so far; empty if nobody
  // counts. Between calls only.
  virtual std::vector<uint64_t> WaitNs() const { return {}; }
  // Makes ready whatever the placed kernels of these nodes need. kUnavailable if a kernel does not
  // work here: from then on WhyNot says so of every one that failed.
  virtual absl::Status Load(std::span<const RegimeNode>) const { return absl::OkStatus(); }
  // The kernel of that name made ready for the node: whatever depends on types, attributes or the
  // machine is chosen here and never during a call. kUnimplemented if there is no such kernel.
  virtual absl::StatusOr<BoundKernel> Bind(const Node& node, std::string_view kernel) const = 0;
  // `memory` is all that a CallContext uses of the cpu's.
  virtual absl::StatusOr<std::unique_ptr<DeviceContext>> MakeContext(
      std::span<const MemorySpan> memory) const {
    static_cast<void>(memory);
    return nullptr;
  }
  // Thread i finds its scratch memory at i * scratch_stride from that of the steps' arguments.
  virtual absl::StatusOr<std::unique_ptr<CompiledSegment>> Prepare(
      std::vector<PreparedStep> steps, uint64_t scratch_stride) const = 0;
};

}  // namespace infer
