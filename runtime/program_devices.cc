// SPDX-License-Identifier: Apache-2.0
#include "runtime/program_devices.h"

#include <algorithm>
#include <string>

#include "ir/base/advice.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/plan.h"

namespace infer {
namespace {

// For questions whose answer is the same for all targets of the device.
Target AnyTargetOn(Device device) { return TargetsOn(device).front(); }

uint64_t ArenaBytes(const Program& program, Device space) {
  uint64_t most = 0;
  for (const Regime& regime : program.regimes) {
    for (const Arena& arena : regime.graph.plan()->arenas) {
      if (arena.space == space) most = std::max(most, arena.bytes);
    }
  }
  return most;
}

// Returns the fraction of the whole cache that is in `space`.
double ShareOf(const Program& program, Device space) {
  double all = 0, there = 0;
  for (const State& state : program.states) {
    const double width = static_cast<double>(state.kv_heads) * static_cast<double>(state.head_dim);
    all += width;
    if (state.home_space == space) there += width;
  }
  return all == 0 ? 0 : there / all;
}

absl::Status CheckDevice(const Segment& segment, const KernelRegistry& registry) {
  const Backend* backend = registry.backend(segment.device);
  std::string why;
  if (backend == nullptr) {
    const std::string reason = registry.WhyUnavailable(AnyTargetOn(segment.device));
    if (!reason.empty()) why = StrCat("which this machine does not have: ", reason);
  } else if (segment.device != Device::kCpu && backend->space() != segment.space()) {
    why = StrCat("which was planned to work in the memory of ", Name(segment.space()),
                 "; here it works in the memory of ", Name(backend->space()));
  }
  if (why.empty()) return absl::OkStatus();
  return WithAdvice(
      absl::UnavailableError(StrCat("the program uses the device ", Name(segment.device), ", ", why,
                                    "; compile it again on this machine")),
      {Advice::kCompile});
}

}  // namespace

std::map<Device, std::vector<RegimeNode>> NodesByDevice(const Program& program) {
  std::map<Device, std::vector<RegimeNode>> nodes;
  for (const Regime& regime : program.regimes) {
    for (const Node* node : regime.graph.nodes()) {
      if (!node->placement() || node->placement()->kernel == kViewKernel) continue;
      const Device device = DeviceOf(node->placement()->target);
      if (device != Device::kCpu) nodes[device].push_back({node, regime.graph.symbols()});
    }
  }
  return nodes;
}

absl::Status LoadDevices(const Program& program, const KernelRegistry& registry) {
  for (const Regime& regime : program.regimes) {
    for (const Segment& segment : regime.graph.plan()->segments) {
      RETURN_IF_ERROR(CheckDevice(segment, registry));
    }
  }
  for (const auto& [device, nodes] : NodesByDevice(program)) {
    RETURN_IF_ERROR(registry.backend(device)->Load(nodes));
  }
  return absl::OkStatus();
}

uint64_t CacheBytesIn(const Program& program, Device space, uint64_t cache_bytes) {
  return static_cast<uint64_t>(ShareOf(program, space) * static_cast<double>(cache_bytes));
}

uint64_t DeviceBytes(const Program& program, Device space, uint64_t cache_bytes) {
  uint64_t bytes = CacheBytesIn(program, space, cache_bytes) + ArenaBytes(program, space);
  for (const Weight& weight : program.weights) {
    if (std::ranges::find(weight.spaces, space) != weight.spaces.end()) bytes += weight.bytes;
  }
  return bytes;
}

absl::Status CheckDeviceMemory(const Program& program, const KernelRegistry& registry,
                               uint64_t cache_bytes) {
  for (const auto& [device, nodes] : NodesByDevice(program)) {
    const uint64_t bytes = DeviceBytes(program, registry.SpaceOf(device), cache_bytes);
    std::string why = registry.WhyTooLarge(AnyTargetOn(device), bytes);
    if (!why.empty()) return absl::ResourceExhaustedError(StrCat(Name(device), ": ", why));
  }
  return absl::OkStatus();
}

}  // namespace infer
