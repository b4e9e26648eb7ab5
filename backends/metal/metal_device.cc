// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/metal_device.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "backends/metal/device_classes.h"
#include "ir/base/strings.h"

namespace infer::metal {
namespace {

// Two segments of a call are never in flight at once; a long segment is split into several buffers,
// one of which is encoded while another runs.
constexpr NS::UInteger kCommandBuffersInFlight = 4;

// Queries residency sets only on usable devices: others may not support the call.
DeviceFacts FactsOf(MTL::Device* device) {
  const bool apple7 = device->supportsFamily(MTL::GPUFamilyApple7);
  return {.name = device->name()->utf8String(),
          .unified_memory = device->hasUnifiedMemory(),
          .apple7 = apple7,
          .residency_sets = apple7 && HasResidencySets(device),
          .max_buffer = device->maxBufferLength(),
          .working_set = device->recommendedMaxWorkingSetSize()};
}

}  // namespace

std::string ToText(const DeviceFacts& facts) {
  return absl::StrFormat("device=%s unified_memory=%s max_buffer=%.1fGiB working_set=%.1fGiB%s",
                         facts.name, facts.unified_memory ? "yes" : "no",
                         facts.max_buffer / kGibibyte, facts.working_set / kGibibyte,
                         facts.residency_sets || !facts.apple7 ? "" : " residency_sets=no");
}

std::string WhyUnsuitable(const DeviceFacts& facts) {
  if (!facts.apple7) {
    return StrCat(facts.name, " is not of the family Apple7 (M1 and later), whose simdgroup ",
                  "matrices the kernels use");
  }
  if (!facts.unified_memory) {
    return StrCat(facts.name, " has its own memory; the kernels need memory shared with the cpu");
  }
  return {};
}

std::shared_ptr<MetalDevice> MetalDevice::Open(const std::optional<DeviceClass>& device_class) {
  Pool pool;
  Ref<MTL::Device> device = Own(MTL::CreateSystemDefaultDevice());
  if (!device) return nullptr;
  return std::make_shared<MetalDevice>(std::move(device), device_class);
}

MetalDevice::MetalDevice(Ref<MTL::Device> device, const std::optional<DeviceClass>& device_class)
    : device_(std::move(device)),
      queue_(Own(device_->newCommandQueue(kCommandBuffersInFlight))),
      facts_(FactsOf(device_.get())),
      device_class_(device_class.value_or(FindDeviceClass(facts_.name))),
      residency_(std::make_unique<ResidencySets>(device_.get(), queue_.get(), facts_.residency_sets,
                                                 ResidencySetBytes(facts_.working_set))) {
  queue_->setLabel(MTLSTR("infer"));
}

MetalDevice::~MetalDevice() {
  Pool pool;
  residency_.reset();
  queue_.reset();
  device_.reset();
}

}  // namespace infer::metal
