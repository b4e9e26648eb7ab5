// SPDX-License-Identifier: Apache-2.0
#include "tools/api/device_lines.h"

#include "ir/base/strings.h"
#include "runtime/program_devices.h"

namespace infer {

std::string DeviceName(std::string_view device, bool emulated) {
  return StrCat(device, emulated ? " (CPU emulation, not a GPU)" : "");
}

std::string DeviceName(const Backend& backend) {
  return DeviceName(Name(backend.device()), backend.emulated());
}

bool RunsEmulated(const Program& program, const KernelRegistry& registry) {
  for (const auto& [device, nodes] : NodesByDevice(program)) {
    const Backend* backend = registry.backend(device);
    if (backend != nullptr && backend->emulated()) return true;
  }
  return false;
}

std::vector<std::string> DeviceLines(const Program& program, const KernelRegistry& registry) {
  std::vector<std::string> lines;
  for (const auto& [device, nodes] : NodesByDevice(program)) {
    const Backend* backend = registry.backend(device);
    if (backend == nullptr) continue;
    lines.push_back(StrCat(Name(device), ": ", backend->Description()));
  }
  return lines;
}

absl::Status CheckMeasurable(const Program& program, const KernelRegistry& registry) {
  for (const auto& [device, nodes] : NodesByDevice(program)) {
    const Backend* backend = registry.backend(device);
    if (backend == nullptr || !backend->emulated()) continue;
    return absl::UnavailableError(
        StrCat("the program has ", nodes.size(), " nodes on ", DeviceName(*backend),
               ", whose times say nothing about the device; choose another policy"));
  }
  return absl::OkStatus();
}

}  // namespace infer
