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
#include "ir/graph/plan_terms.h"
#include "runtime/collective.h"
#include "runtime/kernel.h"
#include "runtime/memory_space.h"
#include "runtime/step_events.h"

namespace infer {

// A kernel chosen for one node, with everything that a call would otherwise have to look up.
struct BoundKernel {
  const void* kernel = nullptr;                // the back end's own record of the kernel
  std::shared_ptr<const void> constants = {};  // KernelArgs::bound points to these; may be null

  explicit operator bool() const { return kernel != nullptr; }
};

// A step with its kernel bound. `bound` is empty for views, which compute nothing, and for copies.
struct PreparedStep {
  const Node* node = nullptr;  // null for a copy, which copies in(0) of the arguments to out(0)
  BoundKernel bound = {};
  StepMode mode = StepMode::kSerial;
  bool barrier_after = false;
  int32_t number = 0;               // in the plan, counted across its segments
  SymbolRanges symbols = {};        // of the regime; an unset range allows every value
  Device copied_to = Device::kCpu;  // the space that a copy writes to

  bool is_copy() const { return node == nullptr; }
};

// Called after each step that computes something (not after views and copies), before any slot is
// reused. With an observer installed, steps run one at a time and the cpu waits for each segment.
// The arguments are addresses that the cpu can read.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void AfterStep(const Node& node, const KernelArgs& args) = 0;
};

class StepRecorder;

// Everything that a call passes to the segments besides its memory.
struct RunContext {
  StepObserver* observer = nullptr;
  const std::atomic<bool>* stop =
      nullptr;                       // checked between steps, so that Ctrl-C interrupts long chunks
  StepRecorder* recorder = nullptr;  // used by the executor, which takes `events` from it
  StepEvents* events = nullptr;      // where segments record times; null disables recording
};

// The state that a back end keeps for the calls of one CallContext: its view of their memory and
// its queue. Used by one call at a time. Must be destroyed before that memory is.
class DeviceContext {
 public:
  virtual ~DeviceContext() = default;
  // Where the device's steps find the batch; nullptr means in the cpu's memory.
  virtual const Batch* batch() const { return nullptr; }
  // Called before the segments of a call. `batch` does not change until the call is over.
  virtual absl::Status Begin(const Batch& batch) {
    static_cast<void>(batch);
    return absl::OkStatus();
  }
  // Returns once every submitted segment is complete, with the first error of the segments
  // submitted since the last Wait.
  virtual absl::Status Wait() { return absl::OkStatus(); }
};

// The memory of a call, as a segment sees it.
struct SegmentCall {
  std::span<const KernelArgs> args;  // indexed by step number
  DeviceContext* device = nullptr;   // the result of MakeContext for the device
};

// The bound steps of one segment. Immutable, so several calls may run it at the same time, each in
// its own memory. Running it performs no lookups and no allocations. On a device with its own
// memory, Run only submits the steps: they are complete after DeviceContext::Wait.
class CompiledSegment {
 public:
  virtual ~CompiledSegment() = default;
  virtual absl::Status Run(const RunContext& context, const SegmentCall& call) const = 0;
};

// A layout for a weight matrix, other than the file's, that some kernels require. Packing is
// divided into panels of `panel_rows` weight rows.
// A weight of rank 3 is packed matrix by matrix, each beginning this many bytes after the one
// before.
inline uint64_t PackedStride(uint64_t matrix_bytes) { return (matrix_bytes + 63) / 64 * 64; }

struct WeightLayout {
  std::string_view name;     // "q8_0_simd"; a Program stores it
  std::string_view variant;  // identifies this machine's version; changes whenever the bytes do
  int64_t panel_rows = 1;
  uint64_t (*bytes)(int64_t rows, int64_t columns) = nullptr;
  // nullptr: on this machine the kernels that name the layout read the file's rows directly.
  void (*pack)(const std::byte* rows, int64_t num_rows, int64_t columns, int64_t begin_panel,
               int64_t end_panel, std::byte* packed) = nullptr;
};

// Memory of the process that steps read or write.
struct MemorySpan {
  enum class Use : uint8_t { kWeights, kActivations, kCache };
  Use use = Use::kActivations;
  std::span<const std::byte> bytes;
  uint64_t largest_value = 0;  // bytes that must stay in one piece; 0 means all of them
};

// A node of a Program with the symbol ranges of its regime.
struct RegimeNode {
  const Node* node = nullptr;
  SymbolRanges symbols = {};
};

// A kernel that failed to load on this machine.
struct KernelFailure {
  std::string kernel;
  std::string text;  // message of the compiler or the driver
};

// The kernels of one device and the means to run them. Owned by the KernelRegistry.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual Device device() const = 0;
  // The memory that only this device can access; nullptr means that it works in the cpu's.
  virtual std::shared_ptr<MemorySpace> memory() const { return nullptr; }
  Device space() const { return memory() == nullptr ? Device::kCpu : device(); }
  // Describes the device for reports: its name and its limits in a few words.
  virtual std::string Description() const { return {}; }
  // Whether the device is emulated: the numbers are right, the times are meaningless.
  virtual bool emulated() const { return false; }
  virtual std::span<const KernelInfo> kernels() const = 0;
  virtual std::span<const WeightLayout> layouts() const { return {}; }
  // Why this machine cannot run anything on `target`, a target of this device; empty if it can.
  virtual std::string WhyUnavailable(Target) const { return {}; }
  // The number of rows from which the device is worth using without being requested; 0 means never.
  virtual int64_t automatic_rows() const { return 0; }
  // Why the named kernel cannot be used, or can no longer be used; empty if it can.
  virtual std::string WhyNot(std::string_view) const { return {}; }
  // All kernels for which WhyNot gives a reason.
  virtual std::vector<KernelFailure> Failures() const { return {}; }
  // Why this many bytes of weights, activations and cache do not fit; empty if they do.
  virtual std::string WhyTooLarge(uint64_t) const { return {}; }
  // Number of threads that run a sliced step together.
  virtual int threads() const { return 1; }
  // Calls body(i) for every i below `count`, distributed over those threads. Call it only between
  // calls.
  virtual void For(int64_t count, const std::function<void(int64_t)>& body) const {
    SerialFor(count, body);
  }
  // How the device reaches the other ranks of a divided model; null unless it is one of them.
  virtual Collective* collective() const { return nullptr; }
  // Puts threads that wait for the next call to sleep at once; the next call wakes them.
  virtual void Pause() const {}
  // Time that each thread has spent so far waiting for others inside calls; empty if this is not
  // counted. Call it only between calls.
  virtual std::vector<uint64_t> WaitNs() const { return {}; }
  // Prepares everything that the placed kernels of these nodes need. Returns kUnavailable if a
  // kernel does not work here; from then on WhyNot gives the reason for each kernel that failed.
  virtual absl::Status Load(std::span<const RegimeNode>) const { return absl::OkStatus(); }
  // Prepares the named kernel for the node: everything that depends on types, attributes or the
  // machine is chosen here and never during a call. Returns kUnimplemented if there is no such
  // kernel.
  virtual absl::StatusOr<BoundKernel> Bind(const Node& node, std::string_view kernel) const = 0;
  // `memory` is all of the cpu's memory that a CallContext uses.
  virtual absl::StatusOr<std::unique_ptr<DeviceContext>> MakeContext(
      std::span<const MemorySpan> memory) const {
    static_cast<void>(memory);
    return nullptr;
  }
  // The scratch memory of thread i begins i * scratch_stride after that in the steps' arguments.
  virtual absl::StatusOr<std::unique_ptr<CompiledSegment>> Prepare(
      std::vector<PreparedStep> steps, uint64_t scratch_stride) const = 0;
};

}  // namespace infer
