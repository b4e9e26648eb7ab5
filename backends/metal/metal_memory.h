// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/metal/buffer_views.h"
#include "backends/metal/dispatch.h"
#include "backends/metal/metal_device.h"
#include "runtime/backend.h"
#include "runtime/zeroed_memory.h"

namespace infer::metal {

// A position in a buffer.
struct BufferPlace {
  MTL::Buffer* buffer = nullptr;
  uint64_t offset = 0;
};

// Wraps the memory of a CallContext in Metal buffers: the same pages, nothing copied. Also holds
// the arrays of the batch, which every call rewrites.
class MetalMemory : public DeviceContext {
 public:
  // Weights that the system refuses to wrap are copied; other memory must be wrapped.
  static absl::StatusOr<std::unique_ptr<MetalMemory>> Create(std::shared_ptr<MetalDevice> device,
                                                             std::span<const MemorySpan> spans);
  ~MetalMemory() override;

  // Returns nullopt if the bytes are not entirely in one buffer.
  std::optional<BufferPlace> Find(const std::byte* data, uint64_t bytes) const;

  // Writes the batch to where the GPU reads it. No command buffer of an earlier call may still be
  // running. Allocates only if the batch is larger than every one before.
  absl::StatusOr<DeviceBatch> Upload(const Batch& batch);

  // The dispatches of the current call, with the step of each; kept so that their memory is
  // allocated only once.
  struct CallDispatches {
    std::vector<Dispatch> dispatches;
    std::vector<size_t> step_of;
  };
  CallDispatches& call_dispatches() { return call_dispatches_; }

  size_t num_buffers() const { return buffers_.size(); }
  uint64_t copied_bytes() const { return copied_bytes_; }

 private:
  explicit MetalMemory(std::shared_ptr<MetalDevice> device) : device_(std::move(device)) {}
  absl::StatusOr<Ref<MTL::Buffer>> Wrap(const ViewRange& view);
  absl::Status ReserveBatch(uint64_t bytes);

  std::shared_ptr<MetalDevice> device_;
  std::vector<ViewRange> views_;
  std::vector<Ref<MTL::Buffer>> buffers_;  // indexed by view
  uint64_t copied_bytes_ = 0;
  struct BatchMemory {
    ZeroedMemory memory;
    Ref<MTL::Buffer> buffer;
  };
  BatchMemory batch_;
  CallDispatches call_dispatches_;
};

}  // namespace infer::metal
