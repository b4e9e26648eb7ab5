// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "backends/metal/dispatch.h"
#include "backends/metal/metal_ref.h"
#include "backends/metal/residency.h"

namespace infer::metal {

// What the system says about the GPU.
struct DeviceFacts {
  std::string name;
  bool unified_memory = false;
  bool apple7 = false;         // M1 and later: simdgroup matrices
  bool residency_sets = true;  // macOS 15 and later; no device but Apple7 is asked
  uint64_t max_buffer = 0;     // bytes of one buffer
  uint64_t working_set = 0;    // bytes that may be in use without being paged; 0: not said
};

// "device=Apple M1 unified_memory=yes max_buffer=9.0GiB working_set=10.7GiB", before
// macOS 15 with " residency_sets=no".
std::string ToText(const DeviceFacts& facts);

// Why this back end cannot use such a device; empty if it can.
std::string WhyUnsuitable(const DeviceFacts& facts);

// The default GPU of the system with the queue that all work goes through.
class MetalDevice {
 public:
  // nullptr if the system has none. Without a class, its name gives one.
  static std::shared_ptr<MetalDevice> Open(
      const std::optional<DeviceClass>& device_class = std::nullopt);
  MetalDevice(Ref<MTL::Device> device, const std::optional<DeviceClass>& device_class);
  ~MetalDevice();

  MTL::Device* get() const { return device_.get(); }
  MTL::CommandQueue* queue() const { return queue_.get(); }
  ResidencySets& residency() { return *residency_; }
  const DeviceFacts& facts() const { return facts_; }
  const DeviceClass& device_class() const { return device_class_; }

 private:
  Ref<MTL::Device> device_;
  Ref<MTL::CommandQueue> queue_;
  DeviceFacts facts_;
  DeviceClass device_class_;
  std::unique_ptr<ResidencySets> residency_;
};

}  // namespace infer::metal
