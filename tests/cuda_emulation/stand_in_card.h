// SPDX-License-Identifier: Apache-2.0
//
// The card behind the stand-in for the driver: its handles, its memory, and kernels that run as
// soon as they are launched.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/driver.h"
#include "tests/cuda_emulation/emulated_kernels.h"
#include "tests/cuda_emulation/stand_in_driver.h"
#include "tests/metal_emulation/runtime/buffer_memory.h"
#include "tests/metal_emulation/runtime/dispatch.h"

// The driver's handles are ours to define here.
namespace infer::cuda {
struct ContextHandle {};
struct ModuleHandle {
  std::string name;
};
struct FunctionHandle {
  const cuda_emulation::EmulatedKernel* kernel = nullptr;
  uint32_t shared_bytes = 48 * 1024;
};
struct RecordedLaunch {
  const FunctionHandle* function = nullptr;
  std::vector<std::byte> arguments;
  emulation::Dim3 blocks, threads;
  uint32_t shared_bytes = 0;
};
struct GraphHandle {
  std::vector<RecordedLaunch> launches;
};
struct GraphExecHandle {
  std::vector<RecordedLaunch> launches;
};
struct StreamHandle {
  std::unique_ptr<GraphHandle> recording;
};
struct EventHandle {};
}  // namespace infer::cuda

namespace infer::cuda_emulation {

inline constexpr cuda::Result kInvalidValue = 1;
inline constexpr cuda::Result kNotFound = 500;
inline constexpr cuda::Result kIllegalAddress = 700;
inline constexpr cuda::Result kLaunchFailed = 719;
inline constexpr cuda::Result kInvalidPtx = 218;

struct StandInCard {
  Settings settings;
  int64_t allocations = 0, launches = 0, replays = 0, objects = 0;
  bool lost = false;
  cuda::Result sticky = cuda::kSuccess;
  std::map<cuda::DevicePtr, std::unique_ptr<emulation::BufferMemory>> memory;
  std::map<std::string, std::unique_ptr<cuda::FunctionHandle>> functions;
  std::vector<std::string> faults;
  cuda::ContextHandle context;
};

// The one of the process.
StandInCard& TheCard();

// Returns the error of every call from now on, if there is one.
cuda::Result Health();
// Returns whether these bytes lie in one allocation.
bool Contains(cuda::DevicePtr address, size_t bytes);
// Runs a launch. What goes wrong in the kernel is found by Health.
cuda::Result RunLaunch(const cuda::RecordedLaunch& launch);
// Runs a launch or adds it to the graph that is being recorded, unless a card would refuse it.
cuda::Result Submit(cuda::StreamHandle* stream, cuda::FunctionHandle* function,
                    const cuda::LaunchConfig& config, void** parameters);

}  // namespace infer::cuda_emulation
