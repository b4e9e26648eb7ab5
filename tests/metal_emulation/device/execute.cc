// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/device/execute.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>
#include <utility>

#include "ir/base/strings.h"
#include "tests/metal_emulation/device/hazards.h"
#include "tests/metal_emulation/device/problems.h"

namespace infer::emulation {
namespace {

// Of the queues that have run something. With all that follows, used under DeviceMutex().
std::map<const MTL::CommandQueue*, HazardTracker>& Trackers() {
  static auto* const trackers = new std::map<const MTL::CommandQueue*, HazardTracker>;
  return *trackers;
}

// They are variables of the shader's file. All commands run one after another, so setting them for
// each dispatch is enough.
void SetConstants(const ShaderFile& file, const ConstantValues& values) {
  for (const FunctionConstant& constant : file.constants) {
    const auto value = values.find(constant.index);
    *constant.defined = value != values.end();
    std::memset(constant.value, 0, constant.bytes);
    if (*constant.defined) {
      std::memcpy(constant.value, value->second.bytes.data(), constant.bytes);
    }
  }
}

int Workers() {
  if (settings().workers > 0) return settings().workers;
  const unsigned cores = std::thread::hardware_concurrency();
  return static_cast<int>(std::clamp(cores, 1u, 4u));
}

// A dispatch that has run.
struct Finished {
  std::vector<Region> regions;
  DispatchResult result;
};

Finished RunOne(const Command& command) {
  const MTL::ComputePipelineState::State& pipeline = *command.pipeline->state;
  DispatchRequest request;
  request.file = pipeline.file;
  request.kernel = pipeline.kernel;
  for (size_t i = 0; i < command.bindings.size(); ++i) {
    const Binding& binding = command.bindings[i];
    if (binding.bytes != nullptr) {
      request.buffers[i] = reinterpret_cast<std::byte*>(binding.bytes->data());
    } else if (binding.buffer != nullptr && IsLive(binding.buffer)) {
      request.buffers[i] =
          static_cast<std::byte*>(binding.buffer->state->contents) + binding.offset;
    }
  }
  if (settings().trace) request.regions = RegionsOf(command);
  request.threadgroup_bytes = command.threadgroup_bytes;
  request.groups = command.groups;
  request.threads_per_group = command.threads_per_group;
  request.threads_per_grid = command.threads_per_grid;
  request.order = settings().order;
  request.seed = settings().seed;
  request.workers = Workers();
  SetConstants(*pipeline.file, pipeline.constants);
  Count(&Counters::dispatches);
  DispatchResult result = RunDispatch(request);
  return {std::move(request.regions), std::move(result)};
}

// Positions 0 .. count-1 in the order that the settings ask for.
std::vector<size_t> DispatchOrder(size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  if (settings().dispatch_order == Order::kReverse) std::ranges::reverse(order);
  if (settings().dispatch_order == Order::kShuffled) {
    std::ranges::shuffle(order, std::minstd_rand(settings().seed));
  }
  return order;
}

// Dispatches that no barrier separates. What they touch is compared when all have run, in the order
// of their encoding: the message does not depend on the settings.
std::string RunConcurrent(std::vector<const Command*>& batch, HazardTracker& tracker) {
  const std::vector<const Command*> commands = std::exchange(batch, {});
  std::vector<Finished> finished(commands.size());
  for (const size_t i : DispatchOrder(commands.size())) {
    finished[i] = RunOne(*commands[i]);
    if (!finished[i].result.fault.empty()) return finished[i].result.fault;
  }
  for (size_t i = 0; i < commands.size(); ++i) {
    std::string conflict =
        tracker.AddDispatch(*commands[i], finished[i].regions, finished[i].result.accesses);
    if (!conflict.empty()) return conflict;
  }
  return "";
}

void RunBlit(const Command& command) {
  auto* const target =
      static_cast<std::byte*>(command.target->state->contents) + command.target_offset;
  if (command.kind == Command::kFill) {
    std::memset(target, command.value, command.bytes);
  } else {
    const auto* const source =
        static_cast<const std::byte*>(command.source->state->contents) + command.source_offset;
    std::memmove(target, source, command.bytes);
  }
}

std::string RunEvent(const Command& command, HazardTracker& tracker) {
  auto& event = static_cast<MTL::SharedEvent&>(const_cast<MTL::Event&>(*command.event));
  tracker.Clear();
  if (command.kind == Command::kSignal) {
    event.setSignaledValue(command.event_value);
  } else if (event.signaledValue() < command.event_value) {
    return StrCat("waits for event value ", command.event_value, ", which nothing signals");
  }
  return "";
}

}  // namespace

std::string Execute(const MTL::CommandBuffer& command_buffer) {
  HazardTracker& tracker = Trackers()[command_buffer.state->queue];
  std::vector<const Command*> batch;
  std::string problem;
  for (const Command& command : command_buffer.state->commands) {
    if (command.kind == Command::kDispatch) {
      problem = ResidencyProblem(command, command_buffer);
      if (!problem.empty()) return problem;
      batch.push_back(&command);
      continue;
    }
    problem = RunConcurrent(batch, tracker);
    if (!problem.empty()) return problem;
    switch (command.kind) {
      case Command::kBarrier:
        Count(&Counters::barriers);
        tracker.Barrier(command.encoder);
        break;
      case Command::kEndEncoder:
        tracker.Barrier(command.encoder);
        break;
      case Command::kCopy:
      case Command::kFill:
        problem = tracker.AddBlit(command);
        if (problem.empty()) RunBlit(command);
        tracker.Barrier(command.encoder);
        break;
      default:
        problem = RunEvent(command, tracker);
    }
    if (!problem.empty()) return problem;
  }
  return RunConcurrent(batch, tracker);
}

void HostWaited(const MTL::CommandQueue& queue) {
  const std::lock_guard lock(DeviceMutex());
  Trackers()[&queue].Clear();
}

void ForgetQueue(const MTL::CommandQueue& queue) {
  const std::lock_guard lock(DeviceMutex());
  Trackers().erase(&queue);
}

}  // namespace infer::emulation
