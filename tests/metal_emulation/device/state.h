// SPDX-License-Identifier: Apache-2.0
//
// What the objects of the software device hold.
#pragma once

#include <Metal/Metal.hpp>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tests/metal_emulation/emulation.h"
#include "tests/metal_emulation/runtime/buffer_memory.h"
#include "tests/metal_emulation/runtime/dispatch.h"
#include "tests/metal_emulation/runtime/registry.h"

namespace infer::emulation {

// On a queue, and in a command buffer, by Apple's documentation of addResidencySet.
inline constexpr size_t kMaxResidencySets = 32;

// A value given for a function constant.
struct ConstantValue {
  MTL::DataType type;
  std::string bytes;
};
using ConstantValues = std::map<int, ConstantValue>;

struct Binding {
  const MTL::Buffer* buffer = nullptr;
  NS::UInteger offset = 0;
  std::shared_ptr<std::string> bytes;  // of setBytes
  bool bound() const { return buffer != nullptr || bytes != nullptr; }
};

struct Command {
  enum Kind { kDispatch, kBarrier, kEndEncoder, kCopy, kFill, kSignal, kWait };
  explicit Command(Kind k, int number = 0) : kind(k), encoder(number) {}

  Kind kind;
  int encoder;

  // kDispatch
  const MTL::ComputePipelineState* pipeline = nullptr;
  std::array<Binding, kMaxBuffers> bindings{};
  std::array<size_t, kMaxThreadgroupArguments> threadgroup_bytes{};
  Dim3 groups, threads_per_group, threads_per_grid;
  bool concurrent = false;

  // kCopy, kFill
  const MTL::Buffer* source = nullptr;
  const MTL::Buffer* target = nullptr;
  NS::UInteger source_offset = 0, target_offset = 0, bytes = 0;
  uint8_t value = 0;

  // kSignal, kWait
  const MTL::Event* event = nullptr;
  uint64_t event_value = 0;
};

const std::string& LabelOf(const NS::Object* object);
NS::String* AutoreleasedString(const std::string& text);
void SetError(NS::Error** error, const std::string& text);

// Whether the object still exists. Its memory may be looked at only then.
bool IsLive(const NS::Object* object);

// Keeps what no command buffer can report, and prints it.
void ReportProblem(const std::string& text);

// Guards what threads share: queues and what runs on them, residency sets, events, counters. Metal
// lets each thread encode a command buffer of its own; that needs no lock. Held while commands run
// and while their handlers are called, so a handler must not wait for another thread.
std::recursive_mutex& DeviceMutex();

void Count(uint64_t Counters::* counter);

}  // namespace infer::emulation

struct MTL::Buffer::State {
  std::unique_ptr<infer::emulation::BufferMemory> memory;  // none: the host's, not copied
  void* contents = nullptr;
  NS::UInteger length = 0;
  MTL::ResourceOptions options = 0;
  MTL::Device* device = nullptr;
};

struct MTL::CompileOptions::State {
  bool version_set = false;
  MTL::LanguageVersion version = MTL::LanguageVersion3_1;
};

struct MTL::FunctionConstantValues::State {
  infer::emulation::ConstantValues by_index;
  std::map<std::string, infer::emulation::ConstantValue> by_name;
};

struct MTL::Function::State {
  const infer::emulation::ShaderFile* file = nullptr;
  const infer::emulation::Kernel* kernel = nullptr;
  infer::emulation::ConstantValues constants;
};

struct MTL::Library::State {
  const infer::emulation::ShaderFile* file = nullptr;
};

struct MTL::ComputePipelineDescriptor::State {
  NS::SharedPtr<MTL::Function> function;
  bool multiple_of_width = false;
  NS::UInteger max_threads = 0;
};

struct MTL::ComputePipelineState::State {
  const infer::emulation::ShaderFile* file = nullptr;
  const infer::emulation::Kernel* kernel = nullptr;
  infer::emulation::ConstantValues constants;
  bool multiple_of_width = false;
  NS::UInteger max_threads = 1024;
};

struct MTL::ResidencySetDescriptor::State {};

struct MTL::ResidencySet::State {
  std::set<const MTL::Allocation*> pending, committed;  // retained, as on a Mac
  bool on_queue = false;                                // at any time
  bool requested = false;                               // now
  bool ever_requested = false;
};

struct MTL::SharedEvent::State {
  uint64_t value = 0;
};

struct MTL::CommandEncoder::State {
  MTL::CommandBuffer* command_buffer = nullptr;
  int number = 0;  // of all encoders of the process
  bool ended = false;
  bool concurrent = false;
  const MTL::ComputePipelineState* pipeline = nullptr;
  std::array<infer::emulation::Binding, infer::emulation::kMaxBuffers> bindings{};
  std::array<size_t, infer::emulation::kMaxThreadgroupArguments> threadgroup_bytes{};
};

struct MTL::CommandBuffer::State {
  MTL::CommandQueue* queue = nullptr;
  std::shared_ptr<NS::UInteger> unfinished;  // the queue's count; the queue may die first
  bool retains = true;
  MTL::CommandBufferStatus status = MTL::CommandBufferStatusNotEnqueued;
  std::vector<infer::emulation::Command> commands;
  std::vector<MTL::HandlerFunction> handlers;
  std::vector<NS::Object*> retained;
  std::set<const MTL::ResidencySet*> residency_sets;
  std::set<const NS::Object*> used;  // useResource
  bool encoder_open = false;
  std::string problem;  // the first thing that was wrong
  NS::Integer code = MTL::CommandBufferErrorInternal;
  NS::SharedPtr<NS::Error> error;
  double start_time = 0, end_time = 0;
};

struct MTL::CommandQueue::State {
  std::set<const MTL::ResidencySet*> residency_sets;
  std::vector<MTL::CommandBuffer*> committed;  // retained until they have run
  bool running = false;
  NS::UInteger max_command_buffers = 64;  // of newCommandQueue(), by Apple's documentation
  // Command buffers that have been made, and neither run nor destroyed.
  std::shared_ptr<NS::UInteger> unfinished = std::make_shared<NS::UInteger>(0);
};

struct MTL::Device::State {};
