// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_emulation/emulated_kernels.h"

#include <map>

namespace infer::cuda_emulation {
namespace {

constexpr emulation::Parameter kParameters[] = {
    {emulation::ParameterKind::kBuffer, 0, "args"},
    {emulation::ParameterKind::kThreadgroup, 0, "shared memory"}};

std::map<std::string, EmulatedKernel, std::less<>>& Kernels() {
  static std::map<std::string, EmulatedKernel, std::less<>> kernels;
  return kernels;
}

}  // namespace

const EmulatedKernel* FindKernel(std::string_view name) {
  auto found = Kernels().find(name);
  return found == Kernels().end() ? nullptr : &found->second;
}

RegisterKernel::RegisterKernel(const char* name, void (*call)(const emulation::Parameter*),
                               size_t argument_bytes, int line) {
  Kernels()[name] = {{.name = name,
                      .call = call,
                      .parameters = kParameters,
                      .types = {},
                      .constants = {},
                      .max_threads = 1024,
                      .line = line},
                     argument_bytes};
}

}  // namespace infer::cuda_emulation
