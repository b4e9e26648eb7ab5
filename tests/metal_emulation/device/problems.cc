// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/device/problems.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"

namespace infer::emulation {
namespace {

uint64_t Volume(const Dim3& size) { return uint64_t{size.x} * size.y * size.z; }

std::string SizeProblem(const Command& command) {
  const MTL::ComputePipelineState::State& pipeline = *command.pipeline->state;
  const Dim3& size = command.threads_per_group;
  const uint64_t threads = Volume(size);
  if (threads == 0 || Volume(command.groups) == 0) return "a dispatch of no threads";
  if (threads > pipeline.max_threads) {
    return absl::StrFormat("a group of %d threads; the pipeline allows %d", threads,
                           pipeline.max_threads);
  }
  if (pipeline.multiple_of_width && threads % kSimdWidth != 0) {
    return absl::StrFormat(
        "a group of %d threads, no multiple of 32, which the pipeline's descriptor promises",
        threads);
  }
  return "";
}

std::string BufferProblem(const Parameter& parameter, const ParameterType& type,
                          const Binding& binding) {
  if (!binding.bound()) {
    return absl::StrFormat("buffer(%d) '%s' is not bound", parameter.index, parameter.name);
  }
  const size_t bytes =
      binding.bytes != nullptr ? binding.bytes->size() : binding.buffer->length() - binding.offset;
  if (bytes < type.element) {
    return absl::StrFormat("buffer(%d) '%s' has %d bytes, its type %d", parameter.index,
                           parameter.name, bytes, type.element);
  }
  const auto address =
      binding.buffer == nullptr
          ? 0
          : reinterpret_cast<uintptr_t>(binding.buffer->state->contents) + binding.offset;
  if (type.alignment > 1 && address % type.alignment != 0) {
    return absl::StrFormat("buffer(%d) '%s' is bound at offset %d, its type needs a multiple of %d",
                           parameter.index, parameter.name, binding.offset, type.alignment);
  }
  if (binding.bytes != nullptr && type.writes) {
    return absl::StrFormat("buffer(%d) '%s' is written, but bound by setBytes", parameter.index,
                           parameter.name);
  }
  return "";
}

std::string ThreadgroupMemoryProblem(const Command& command) {
  size_t total = 0;
  for (const Parameter& parameter : command.pipeline->state->kernel->parameters) {
    if (parameter.kind != ParameterKind::kThreadgroup) continue;
    const size_t bytes = command.threadgroup_bytes[static_cast<size_t>(parameter.index)];
    if (bytes == 0) {
      return absl::StrFormat("threadgroup(%d) '%s' has no length", parameter.index, parameter.name);
    }
    total += bytes;
  }
  if (total <= kMaxThreadgroupBytes) return "";
  return absl::StrFormat("%d bytes of threadgroup memory; a group has %d", total,
                         kMaxThreadgroupBytes);
}

std::string BindingsProblem(const Command& command) {
  const Kernel& kernel = *command.pipeline->state->kernel;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter& parameter = kernel.parameters[i];
    if (parameter.kind != ParameterKind::kBuffer) continue;
    const Binding& binding = command.bindings[static_cast<size_t>(parameter.index)];
    std::string problem = BufferProblem(parameter, kernel.types[i], binding);
    if (!problem.empty()) return problem;
  }
  return "";
}

bool Resident(const MTL::Buffer* buffer, const MTL::CommandBuffer& command_buffer) {
  if (!settings().has_residency_sets) return true;
  const MTL::CommandBuffer::State& state = *command_buffer.state;
  if (state.used.contains(buffer)) return true;
  const auto holds = [&](const MTL::ResidencySet* set) {
    return set->state->committed.contains(buffer);
  };
  return std::ranges::any_of(state.residency_sets, holds) ||
         std::ranges::any_of(state.queue->state->residency_sets, holds);
}

}  // namespace

void AddProblem(MTL::CommandBuffer* command_buffer, const std::string& text) {
  std::string& problem = command_buffer->state->problem;
  if (problem.empty()) problem = text;
}

std::string DispatchProblem(const Command& command) {
  if (command.pipeline == nullptr) return "a dispatch without a pipeline";
  std::string problem = SizeProblem(command);
  if (problem.empty()) problem = BindingsProblem(command);
  if (problem.empty()) problem = ThreadgroupMemoryProblem(command);
  if (problem.empty()) return "";
  return StrCat("kernel '", command.pipeline->state->kernel->name, "': ", problem);
}

std::string ResidencyProblem(const Command& command, const MTL::CommandBuffer& command_buffer) {
  if (!IsLive(command.pipeline)) return "a pipeline was released before its command buffer ran";
  const Kernel& kernel = *command.pipeline->state->kernel;
  for (const Parameter& parameter : kernel.parameters) {
    if (parameter.kind != ParameterKind::kBuffer) continue;
    const MTL::Buffer* const buffer = command.bindings[static_cast<size_t>(parameter.index)].buffer;
    if (buffer == nullptr) continue;
    if (!IsLive(buffer)) {
      return absl::StrFormat(
          "kernel '%s': buffer(%d) '%s' was released before the command buffer ran", kernel.name,
          parameter.index, parameter.name);
    }
    if (!Resident(buffer, command_buffer)) {
      return absl::StrFormat(
          "kernel '%s': buffer(%d) '%s' is in no committed residency set of the queue", kernel.name,
          parameter.index, parameter.name);
    }
  }
  return "";
}

}  // namespace infer::emulation
