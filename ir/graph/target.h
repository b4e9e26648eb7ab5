// SPDX-License-Identifier: Apache-2.0
//
// Devices and their targets, as data: code that loops over them reads these tables instead of
// naming them. backends/README.md lists the places that a new target touches.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace infer {

// Memory and command stream that steps share. Programs store these numbers plus one.
enum class Device : uint8_t { kCpu, kMetal, kTest, kRanks, kCuda };
// What runs a step. Policies and Programs store these numbers plus one.
enum class Target : uint8_t { kScalar, kSimd, kParallel, kMetal, kTest, kRanks, kCuda };

struct DeviceRecord {
  Device device;
  std::string_view name;
  bool is_gpu = false;
};

struct TargetRecord {
  Target target;
  std::string_view name;
  Device device;
  // Whether its steps are cut into units that threads share.
  bool is_sliced = false;
  // Whether no policy has to consider it, because it exists only for tests or only for collectives:
  // reports and lists of rejected targets mention it only where it is used.
  bool is_special = false;
  // Whether collectives run there and nothing else, views included.
  bool runs_only_collectives = false;
};

inline constexpr DeviceRecord kDevices[] = {
    {Device::kCpu, "cpu"},     {Device::kMetal, "metal", /*is_gpu=*/true}, {Device::kTest, "test"},
    {Device::kRanks, "ranks"}, {Device::kCuda, "cuda", /*is_gpu=*/true},
};

// In the order of reports; within a device, slower targets first.
inline constexpr TargetRecord kTargets[] = {
    {.target = Target::kScalar, .name = "scalar", .device = Device::kCpu},
    {.target = Target::kSimd, .name = "simd", .device = Device::kCpu},
    {.target = Target::kParallel, .name = "parallel", .device = Device::kCpu, .is_sliced = true},
    {.target = Target::kMetal, .name = "metal", .device = Device::kMetal},
    {.target = Target::kTest, .name = "test", .device = Device::kTest, .is_special = true},
    // The other processes that run the Program.
    {.target = Target::kRanks,
     .name = "ranks",
     .device = Device::kRanks,
     .is_special = true,
     .runs_only_collectives = true},
    {.target = Target::kCuda, .name = "cuda", .device = Device::kCuda},
};

inline constexpr int kNumDevices = static_cast<int>(std::size(kDevices));
inline constexpr int kNumTargets = static_cast<int>(std::size(kTargets));

namespace internal {
constexpr bool AreInOrder() {
  for (int i = 0; i < kNumDevices; ++i) {
    if (static_cast<int>(kDevices[i].device) != i) return false;
  }
  for (int i = 0; i < kNumTargets; ++i) {
    if (static_cast<int>(kTargets[i].target) != i) return false;
  }
  return true;
}
static_assert(AreInOrder(), "records must be in the order of their enumerators");

inline constexpr size_t kNumUserTargets =
    static_cast<size_t>(std::ranges::count(kTargets, false, &TargetRecord::is_special));

constexpr std::array<Target, kNumUserTargets> UserTargets() {
  std::array<Target, kNumUserTargets> targets = {};
  size_t at = 0;
  for (const TargetRecord& record : kTargets) {
    if (!record.is_special) targets[at++] = record.target;
  }
  return targets;
}
}  // namespace internal

inline constexpr auto kAllDevices = [] {
  std::array<Device, kNumDevices> devices = {};
  for (int i = 0; i < kNumDevices; ++i) devices[i] = kDevices[i].device;
  return devices;
}();
// Every target that users choose from.
inline constexpr auto kUserTargets = internal::UserTargets();

constexpr const DeviceRecord& RecordOf(Device device) {
  return kDevices[static_cast<size_t>(device)];
}
constexpr const TargetRecord& RecordOf(Target target) {
  return kTargets[static_cast<size_t>(target)];
}

constexpr Device DeviceOf(Target target) { return RecordOf(target).device; }
// Returns whether steps on the target are cut into units that threads share.
constexpr bool IsSliced(Target target) { return RecordOf(target).is_sliced; }

std::string_view Name(Target target);  // "scalar", ...
std::optional<Target> FindTarget(std::string_view name);
std::string_view Name(Device device);
std::optional<Device> FindDevice(std::string_view name);

// "unknown target 'simt' (did you mean simd?); known targets: scalar, simd, parallel, metal,
// cuda".
std::string UnknownTarget(std::string_view name);

// Returns the targets of a device from the fastest to the slowest.
std::vector<Target> TargetsOn(Device device);
// Returns the targets of every GPU, then those of the cpu: a preference order that covers almost
// every op.
std::vector<Target> GpuBeforeCpu();

}  // namespace infer
