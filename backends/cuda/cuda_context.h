// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "backends/cuda/cuda_device.h"
#include "backends/cuda/launch.h"
#include "runtime/backend.h"

namespace infer::cuda {

// The queue of the calls of one CallContext, their batch on the card, and the graphs recorded for
// them.
class CudaContext : public DeviceContext {
 public:
  static absl::StatusOr<std::unique_ptr<CudaContext>> Create(std::shared_ptr<CudaDevice> device,
                                                             std::span<const MemorySpan> memory);
  ~CudaContext() override;
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  absl::Status Begin(const Batch& batch) override;
  absl::Status Wait() override;

  const CudaDevice& device() const { return *device_; }
  StreamHandle* stream() const { return stream_; }
  const DeviceBatch& device_batch() const { return batch_; }
  // What a failure found by Wait is blamed on; must outlive it.
  void set_submitted(const char* what) { submitted_ = what; }

  // Identifies the launches of a call; see IsRecordable.
  struct GraphKey {
    const void* segment = nullptr;
    size_t run = 0;  // of launches between copies
    int64_t tokens = 0;
    int64_t rows = 0;
    bool has_prompt = false;
    auto operator<=>(const GraphKey&) const = default;
  };
  // Whether this is the first call of its kind since the addresses of the batch changed.
  bool IsFirst(const GraphKey& key) { return graphs_.try_emplace(key, nullptr).second; }
  // Null until somebody sets it.
  GraphExecHandle*& graph(const GraphKey& key) { return graphs_[key]; }

  // A pair of events around a step.
  EventHandle* before() const { return events_[0]; }
  EventHandle* after() const { return events_[1]; }
  // Launches of a call, kept for their memory.
  std::vector<Launch>& launches() { return launches_; }

 private:
  explicit CudaContext(std::shared_ptr<CudaDevice> device) : device_(std::move(device)) {}
  absl::Status Reserve(uint64_t bytes);
  void DropGraphs();

  std::shared_ptr<CudaDevice> device_;
  StreamHandle* stream_ = nullptr;
  EventHandle* events_[2] = {};
  void* registered_ = nullptr;  // memory of the process that the card copies directly
  void* staging_ = nullptr;     // pinned, as large as batch_memory_
  DevicePtr batch_memory_ = 0;
  uint64_t batch_bytes_ = 0;
  DevicePtr counters_ = 0;
  DeviceBatch batch_;
  std::map<GraphKey, GraphExecHandle*> graphs_;
  std::vector<Launch> launches_;
  const char* submitted_ = "";
};

}  // namespace infer::cuda
