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

inline constexpr double kGibibyte = 1 << 30;

// The properties of the GPU as reported by the system.
struct DeviceFacts {
  std::string name;
  bool unified_memory = false;
  bool apple7 = false;         // M1 and later: simdgroup matrices
  bool residency_sets = true;  // macOS 15 and later; queried on Apple7 devices only
  uint64_t max_buffer = 0;     // maximum bytes of one buffer
  uint64_t working_set = 0;    // bytes usable without paging; 0: not reported
};

// "device=Apple M1 unified_memory=yes max_buffer=9.0GiB working_set=10.7GiB", followed by "
// residency_sets=no" before macOS 15.
std::string ToText(const DeviceFacts& facts);

// Returns why this back end cannot use such a device; empty if it can.
std::string WhyUnsuitable(const DeviceFacts& facts);

// The default GPU of the system and the queue for all of its work.
class MetalDevice {
 public:
  // Returns nullptr if the system has none. If no class is given, it is derived from the name.
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
