// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_emulation/stand_in_card.h"

#include <utility>

namespace infer::cuda_emulation {

using namespace cuda;  // NOLINT: all names of the driver

StandInCard& TheCard() {
  static StandInCard card;
  return card;
}

Result Health() { return TheCard().lost ? kLaunchFailed : TheCard().sticky; }

bool Contains(DevicePtr address, size_t bytes) {
  auto after = TheCard().memory.upper_bound(address);
  if (after == TheCard().memory.begin()) return false;
  const auto& [begin, memory] = *std::prev(after);
  return address + bytes <= begin + memory->bytes();
}

Result RunLaunch(const RecordedLaunch& launch) {
  StandInCard& card = TheCard();
  ++card.launches;
  if (card.settings.lost_after_launches == 0) card.lost = true;
  if (card.settings.lost_after_launches > 0) --card.settings.lost_after_launches;
  if (Health() != kSuccess) return Health();
  static const emulation::ShaderFile file = {"backends/cuda/kernels", 0, {}, {}};
  std::vector<std::byte> arguments = launch.arguments;
  emulation::DispatchRequest request;
  request.file = &file;
  request.kernel = &launch.function->kernel->kernel;
  request.buffers[0] = arguments.data();
  request.threadgroup_bytes[0] = launch.shared_bytes;
  request.max_threadgroup_bytes = kMaxSharedBytes;
  request.groups = launch.blocks;
  request.threads_per_group = launch.threads;
  request.order = card.settings.order;
  request.workers = card.settings.workers;
  for (const auto& [address, memory] : card.memory) {
    request.regions.push_back({memory->data(), memory->bytes(), true});
  }
  const emulation::DispatchResult result = emulation::RunDispatch(request);
  if (result.fault.empty()) return kSuccess;
  card.faults.push_back(result.fault);
  card.sticky = kIllegalAddress;
  return kSuccess;  // found when somebody waits
}

Result Submit(StreamHandle* stream, FunctionHandle* function, const LaunchConfig& config,
              void** parameters) {
  StandInCard& card = TheCard();
  if (Health() != kSuccess) return Health();
  if (card.settings.failing_launch >= 0 && card.settings.failing_launch-- == 0) {
    return kLaunchFailed;
  }
  const uint64_t threads = uint64_t{config.block_x} * config.block_y * config.block_z;
  if (threads == 0 || threads > 1024 || config.grid_x == 0 || config.grid_y == 0 ||
      config.grid_z == 0 || config.grid_y > 65535 || config.grid_z > 65535 ||
      config.shared_bytes > function->shared_bytes) {
    return kInvalidValue;
  }
  RecordedLaunch launch;
  launch.function = function;
  const auto* bytes = static_cast<const std::byte*>(parameters[0]);
  launch.arguments.assign(bytes, bytes + function->kernel->argument_bytes);
  launch.blocks = {config.grid_x, config.grid_y, config.grid_z};
  launch.threads = {config.block_x, config.block_y, config.block_z};
  launch.shared_bytes = config.shared_bytes;
  if (stream->recording != nullptr) {
    stream->recording->launches.push_back(std::move(launch));
    return kSuccess;
  }
  return RunLaunch(launch);
}

void SetSettings(const Settings& settings) {
  TheCard().settings = settings;
  TheCard().lost = false;
  TheCard().sticky = kSuccess;
}

std::vector<std::string> TakeFaults() { return std::exchange(TheCard().faults, {}); }
uint64_t AllocatedBytes() {
  uint64_t bytes = 0;
  for (const auto& [address, memory] : TheCard().memory) bytes += memory->bytes();
  return bytes;
}
int64_t LiveObjects() { return TheCard().objects; }
int64_t Launches() { return TheCard().launches; }
int64_t GraphReplays() { return TheCard().replays; }
int64_t Allocations() { return TheCard().allocations; }

}  // namespace infer::cuda_emulation
