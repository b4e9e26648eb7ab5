// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/target.h"

#include <string>

#include "ir/base/nearest.h"
#include "ir/base/strings.h"

namespace infer {

std::string_view Name(Target target) { return RecordOf(target).name; }

std::optional<Target> FindTarget(std::string_view name) {
  const TargetRecord* found = std::ranges::find(kTargets, name, &TargetRecord::name);
  if (found == std::end(kTargets)) return std::nullopt;
  return found->target;
}

std::string_view Name(Device device) { return RecordOf(device).name; }

std::optional<Device> FindDevice(std::string_view name) {
  const DeviceRecord* found = std::ranges::find(kDevices, name, &DeviceRecord::name);
  if (found == std::end(kDevices)) return std::nullopt;
  return found->device;
}

std::string UnknownTarget(std::string_view name) {
  std::vector<std::string_view> known;
  std::string list;
  for (Target target : kUserTargets) {
    known.push_back(Name(target));
    StrAppend(&list, list.empty() ? "" : ", ", Name(target));
  }
  return StrCat("unknown target '", name, "'", DidYouMean(name, known), "; known targets: ", list);
}

std::vector<Target> TargetsOn(Device device) {
  std::vector<Target> targets;
  for (const TargetRecord& record : kTargets) {
    if (record.device == device) targets.insert(targets.begin(), record.target);
  }
  return targets;
}

std::vector<Target> GpuBeforeCpu() {
  std::vector<Target> targets;
  for (const DeviceRecord& record : kDevices) {
    if (!record.is_gpu) continue;
    const std::vector<Target> there = TargetsOn(record.device);
    targets.insert(targets.end(), there.begin(), there.end());
  }
  const std::vector<Target> cpu = TargetsOn(Device::kCpu);
  targets.insert(targets.end(), cpu.begin(), cpu.end());
  return targets;
}

}  // namespace infer
