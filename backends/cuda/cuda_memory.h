// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "backends/cuda/cuda_device.h"
#include "runtime/memory_space.h"

namespace infer::cuda {

// The memory of a card. What is zeroed or copied is complete before the next call begins.
class CudaMemory : public MemorySpace {
 public:
  explicit CudaMemory(std::shared_ptr<CudaDevice> device) : device_(std::move(device)) {}

  absl::StatusOr<std::unique_ptr<SpaceMemory>> Allocate(uint64_t bytes) override;
  absl::Status Upload(std::span<const std::byte> from, std::byte* to) override;
  void Copy(const std::byte* from, std::byte* to, uint64_t bytes) override;
  void Zero(std::byte* at, uint64_t bytes) override;

 private:
  std::shared_ptr<CudaDevice> device_;
};

inline DevicePtr AddressOf(const std::byte* at) { return reinterpret_cast<DevicePtr>(at); }

}  // namespace infer::cuda
