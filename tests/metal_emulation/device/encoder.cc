// SPDX-License-Identifier: Apache-2.0
//
// Encoders write commands into their command buffer, after checking what can be checked then.
#include <atomic>

#include "ir/base/strings.h"
#include "tests/metal_emulation/device/problems.h"
#include "tests/metal_emulation/device/state.h"

namespace infer::emulation {
namespace {

// Metal's limit for setBytes.
constexpr NS::UInteger kMaxBytes = 4096;

Dim3 ToDim3(const MTL::Size& size) {
  return {static_cast<uint32_t>(size.width), static_cast<uint32_t>(size.height),
          static_cast<uint32_t>(size.depth)};
}

// False, and reported, if the encoder takes no more commands.
bool Open(const MTL::CommandEncoder& encoder, std::string_view call) {
  if (!encoder.state->ended) return true;
  AddProblem(encoder.state->command_buffer, StrCat(call, " after endEncoding"));
  return false;
}

void Keep(const MTL::CommandEncoder& encoder, const NS::Object* object) {
  MTL::CommandBuffer::State& buffer = *encoder.state->command_buffer->state;
  if (object == nullptr || !buffer.retains) return;
  buffer.retained.push_back(const_cast<NS::Object*>(object)->retain());
}

Command NewCommand(const MTL::CommandEncoder& encoder, Command::Kind kind) {
  return Command(kind, encoder.state->number);
}

void Append(const MTL::CommandEncoder& encoder, Command command) {
  encoder.state->command_buffer->state->commands.push_back(std::move(command));
}

bool ValidIndex(const MTL::CommandEncoder& encoder, std::string_view call, NS::UInteger index,
                NS::UInteger count) {
  if (index < count) return true;
  AddProblem(encoder.state->command_buffer,
             StrCat(call, ": index ", index, " is beyond ", count - 1));
  return false;
}

void AppendDispatch(const MTL::CommandEncoder& encoder, const Dim3& groups, const Dim3& threads,
                    const Dim3& grid) {
  const MTL::CommandEncoder::State& state = *encoder.state;
  Command command = NewCommand(encoder, Command::kDispatch);
  command.pipeline = state.pipeline;
  command.bindings = state.bindings;
  command.threadgroup_bytes = state.threadgroup_bytes;
  command.groups = groups;
  command.threads_per_group = threads;
  command.threads_per_grid = grid;
  command.concurrent = state.concurrent;
  const std::string problem = DispatchProblem(command);
  if (!problem.empty()) return AddProblem(state.command_buffer, problem);
  Append(encoder, std::move(command));
  if (!state.concurrent) Append(encoder, NewCommand(encoder, Command::kBarrier));
}

}  // namespace
}  // namespace infer::emulation

namespace MTL {

using infer::StrCat;

namespace emulation = infer::emulation;
using emulation::Command;

CommandEncoder::CommandEncoder() : state(new State) {
  static std::atomic<int> number{0};
  state->number = ++number;
}
CommandEncoder::~CommandEncoder() = default;

void CommandEncoder::endEncoding() {
  if (!emulation::Open(*this, "endEncoding")) return;
  state->ended = true;
  state->command_buffer->state->encoder_open = false;
  emulation::Append(*this, emulation::NewCommand(*this, Command::kEndEncoder));
}
NS::String* CommandEncoder::label() const { return emulation::AutoreleasedString(emulated_label); }
void CommandEncoder::setLabel(const NS::String* label) { emulated_label = label->emulated_text; }
void CommandEncoder::pushDebugGroup(const NS::String*) {}
void CommandEncoder::popDebugGroup() {}

void ComputeCommandEncoder::setComputePipelineState(const ComputePipelineState* pipeline) {
  if (!emulation::Open(*this, "setComputePipelineState")) return;
  state->pipeline = pipeline;
  emulation::Keep(*this, pipeline);
}

void ComputeCommandEncoder::setBuffer(const Buffer* buffer, NS::UInteger offset,
                                      NS::UInteger index) {
  if (!emulation::Open(*this, "setBuffer")) return;
  if (!emulation::ValidIndex(*this, "setBuffer", index, emulation::kMaxBuffers)) return;
  if (buffer != nullptr && offset >= buffer->length()) {
    return emulation::AddProblem(
        state->command_buffer, StrCat("setBuffer: offset ", offset, " is beyond buffer '",
                                      buffer->emulated_label, "' of ", buffer->length(), " bytes"));
  }
  state->bindings[index] = {.buffer = buffer, .offset = offset, .bytes = nullptr};
  emulation::Keep(*this, buffer);
}

void ComputeCommandEncoder::setBufferOffset(NS::UInteger offset, NS::UInteger index) {
  if (!emulation::ValidIndex(*this, "setBufferOffset", index, emulation::kMaxBuffers)) return;
  const Buffer* const buffer = state->bindings[index].buffer;
  if (buffer == nullptr) {
    return emulation::AddProblem(state->command_buffer,
                                 StrCat("setBufferOffset: no buffer is bound at ", index));
  }
  setBuffer(buffer, offset, index);
}

void ComputeCommandEncoder::setBuffers(const Buffer* const buffers[], const NS::UInteger offsets[],
                                       NS::Range range) {
  for (NS::UInteger i = 0; i < range.length; ++i) {
    setBuffer(buffers[i], offsets[i], range.location + i);
  }
}

void ComputeCommandEncoder::setBytes(const void* bytes, NS::UInteger length, NS::UInteger index) {
  if (!emulation::Open(*this, "setBytes")) return;
  if (!emulation::ValidIndex(*this, "setBytes", index, emulation::kMaxBuffers)) return;
  if (length == 0 || length > emulation::kMaxBytes) {
    return emulation::AddProblem(
        state->command_buffer,
        StrCat("setBytes: ", length, " bytes; it takes 1 to ", emulation::kMaxBytes));
  }
  state->bindings[index] = {
      .buffer = nullptr,
      .offset = 0,
      .bytes = std::make_shared<std::string>(static_cast<const char*>(bytes), length)};
}

void ComputeCommandEncoder::setThreadgroupMemoryLength(NS::UInteger length, NS::UInteger index) {
  if (!emulation::Open(*this, "setThreadgroupMemoryLength")) return;
  if (!emulation::ValidIndex(*this, "setThreadgroupMemoryLength", index,
                             emulation::kMaxThreadgroupArguments)) {
    return;
  }
  if (length % 16 != 0 || length > emulation::kMaxThreadgroupBytes) {
    return emulation::AddProblem(state->command_buffer,
                                 StrCat("setThreadgroupMemoryLength: ", length,
                                        " bytes; it must be a multiple of 16 and at most ",
                                        emulation::kMaxThreadgroupBytes));
  }
  state->threadgroup_bytes[index] = length;
}

void ComputeCommandEncoder::dispatchThreadgroups(Size groups, Size threads_per_group) {
  if (!emulation::Open(*this, "dispatchThreadgroups")) return;
  emulation::AppendDispatch(*this, emulation::ToDim3(groups), emulation::ToDim3(threads_per_group),
                            {});
}

void ComputeCommandEncoder::dispatchThreads(Size threads, Size threads_per_group) {
  if (!emulation::Open(*this, "dispatchThreads")) return;
  const auto groups = [](NS::UInteger count, NS::UInteger unit) {
    return unit == 0 ? 0 : (count + unit - 1) / unit;
  };
  const Size all(groups(threads.width, threads_per_group.width),
                 groups(threads.height, threads_per_group.height),
                 groups(threads.depth, threads_per_group.depth));
  emulation::AppendDispatch(*this, emulation::ToDim3(all), emulation::ToDim3(threads_per_group),
                            emulation::ToDim3(threads));
}

void ComputeCommandEncoder::memoryBarrier(BarrierScope) {
  if (!emulation::Open(*this, "memoryBarrier")) return;
  emulation::Append(*this, emulation::NewCommand(*this, Command::kBarrier));
}

void ComputeCommandEncoder::memoryBarrier(const Resource* const[], NS::UInteger) {
  // Taken as one for all buffers: fewer conflicts are found, none is invented.
  memoryBarrier(BarrierScopeBuffers);
}

void ComputeCommandEncoder::useResource(const Resource* resource, ResourceUsage) {
  if (!emulation::Open(*this, "useResource")) return;
  state->command_buffer->state->used.insert(resource);
  emulation::Keep(*this, resource);
}

void ComputeCommandEncoder::useResources(const Resource* const resources[], NS::UInteger count,
                                         ResourceUsage usage) {
  for (NS::UInteger i = 0; i < count; ++i) useResource(resources[i], usage);
}

void BlitCommandEncoder::copyFromBuffer(const Buffer* source, NS::UInteger source_offset,
                                        const Buffer* target, NS::UInteger target_offset,
                                        NS::UInteger bytes) {
  if (!emulation::Open(*this, "copyFromBuffer")) return;
  if (source_offset + bytes > source->length() || target_offset + bytes > target->length()) {
    return emulation::AddProblem(state->command_buffer, "copyFromBuffer: beyond a buffer's end");
  }
  Command command = emulation::NewCommand(*this, Command::kCopy);
  command.source = source;
  command.source_offset = source_offset;
  command.target = target;
  command.target_offset = target_offset;
  command.bytes = bytes;
  emulation::Keep(*this, source);
  emulation::Keep(*this, target);
  emulation::Append(*this, std::move(command));
}

void BlitCommandEncoder::fillBuffer(const Buffer* buffer, NS::Range range, uint8_t value) {
  if (!emulation::Open(*this, "fillBuffer")) return;
  if (range.location + range.length > buffer->length()) {
    return emulation::AddProblem(state->command_buffer, "fillBuffer: beyond the buffer's end");
  }
  Command command = emulation::NewCommand(*this, Command::kFill);
  command.target = buffer;
  command.target_offset = range.location;
  command.bytes = range.length;
  command.value = value;
  emulation::Keep(*this, buffer);
  emulation::Append(*this, std::move(command));
}

}  // namespace MTL
