// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <utility>

#include "ir/base/strings.h"
#include "tests/metal_emulation/device/state.h"

namespace infer::emulation {

Settings& settings() {
  static Settings current;
  return current;
}

ScopedSettings::ScopedSettings(Settings changed)
    : before_(std::exchange(settings(), std::move(changed))) {}
ScopedSettings::~ScopedSettings() { settings() = std::move(before_); }

std::recursive_mutex& DeviceMutex() {
  static auto* const mutex = new std::recursive_mutex;
  return *mutex;
}

namespace {

bool LengthFits(NS::UInteger length, std::string_view what) {
  if (length == 0) {
    ReportProblem(StrCat(what, " with length 0"));
    return false;
  }
  if (length > settings().max_buffer_length) {
    ReportProblem(StrCat(what, " with length ", length, ", beyond maxBufferLength ",
                         settings().max_buffer_length));
    return false;
  }
  return true;
}

std::atomic<NS::UInteger> allocated_bytes{0};
Counters all_counters;

}  // namespace

void Count(uint64_t Counters::* counter) {
  const std::lock_guard lock(DeviceMutex());
  ++(all_counters.*counter);
}

Counters counters() {
  const std::lock_guard lock(DeviceMutex());
  return all_counters;
}

}  // namespace infer::emulation

namespace MTL {

using infer::StrCat;

using infer::emulation::settings;

Device::Device() : state(new State) {}
Device::~Device() = default;

Device* CreateSystemDefaultDevice() { return settings().has_device ? new Device : nullptr; }

NS::Array* CopyAllDevices() {
  Device* const device = CreateSystemDefaultDevice();
  auto* const all = new NS::Array;
  if (device != nullptr) all->emulated_objects.push_back(device);
  return all;
}

NS::String* Device::name() const {
  return infer::emulation::AutoreleasedString(infer::emulation::kDeviceName);
}
uint64_t Device::registryID() const { return 1; }
bool Device::hasUnifiedMemory() const { return true; }
bool Device::supportsFamily(GPUFamily family) {
  constexpr int kAppleFamilies = GPUFamilyApple7 - 7;
  if (family > kAppleFamilies && family < GPUFamilyMac2) {
    return family <= kAppleFamilies + settings().apple_family;
  }
  return family == GPUFamilyMac2 || family == GPUFamilyCommon3 || family == GPUFamilyMetal3;
}
uint64_t Device::recommendedMaxWorkingSetSize() const {
  return settings().recommended_max_working_set_size;
}
NS::UInteger Device::maxBufferLength() const { return settings().max_buffer_length; }
NS::UInteger Device::maxThreadgroupMemoryLength() const {
  return infer::emulation::kMaxThreadgroupBytes;
}
Size Device::maxThreadsPerThreadgroup() const { return Size(1024, 1024, 1024); }
NS::UInteger Device::currentAllocatedSize() const { return infer::emulation::allocated_bytes; }

Buffer::Buffer() : state(new State) {}
Buffer::~Buffer() { infer::emulation::allocated_bytes -= state->length; }
void* Buffer::contents() {
  const bool hidden = state->options & ResourceStorageModePrivate;
  return hidden ? nullptr : state->contents;
}
NS::UInteger Buffer::length() const { return state->length; }

NS::UInteger Allocation::allocatedSize() const {
  const auto* const buffer = dynamic_cast<const Buffer*>(this);
  return buffer == nullptr ? 0 : buffer->length();
}
NS::String* Resource::label() const { return infer::emulation::AutoreleasedString(emulated_label); }
void Resource::setLabel(const NS::String* label) { emulated_label = label->emulated_text; }
StorageMode Resource::storageMode() const {
  const auto* const buffer = dynamic_cast<const Buffer*>(this);
  return buffer == nullptr ? StorageModeShared
                           : static_cast<StorageMode>(buffer->state->options >> 4 & 3);
}

Buffer* Device::newBuffer(NS::UInteger length, ResourceOptions options) {
  if (!infer::emulation::LengthFits(length, "newBuffer")) return nullptr;
  auto memory = std::make_unique<infer::emulation::BufferMemory>(length);
  if (memory->data() == nullptr) return nullptr;
  auto* const buffer = new Buffer;
  buffer->state->contents = memory->data();
  buffer->state->memory = std::move(memory);
  buffer->state->length = length;
  buffer->state->options = options;
  infer::emulation::allocated_bytes += length;
  return buffer;
}

Buffer* Device::newBuffer(const void* bytes, NS::UInteger length, ResourceOptions options) {
  Buffer* const buffer = newBuffer(length, options);
  if (buffer != nullptr) std::memcpy(buffer->state->contents, bytes, length);
  return buffer;
}

Buffer* Device::newBuffer(const void* memory, NS::UInteger length, ResourceOptions options,
                          std::nullptr_t) {
  if (!infer::emulation::LengthFits(length, "newBuffer without a copy")) return nullptr;
  const auto page = static_cast<NS::UInteger>(sysconf(_SC_PAGESIZE));
  if (reinterpret_cast<uintptr_t>(memory) % page != 0 || length % page != 0) {
    infer::emulation::ReportProblem(StrCat(
        "newBuffer without a copy: address and length must be multiples of the page size ", page));
    return nullptr;
  }
  auto* const buffer = new Buffer;
  buffer->state->contents = const_cast<void*>(memory);
  buffer->state->length = length;
  buffer->state->options = options;
  infer::emulation::allocated_bytes += length;
  return buffer;
}

CommandQueue* Device::newCommandQueue() { return new CommandQueue; }
CommandQueue* Device::newCommandQueue(NS::UInteger max_command_buffers) {
  auto* const queue = new CommandQueue;
  queue->state->max_command_buffers = max_command_buffers;
  return queue;
}
SharedEvent* Device::newSharedEvent() { return new SharedEvent; }

}  // namespace MTL
