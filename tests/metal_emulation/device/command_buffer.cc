// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "ir/base/strings.h"
#include "tests/metal_emulation/device/execute.h"
#include "tests/metal_emulation/device/problems.h"
#include "tests/metal_emulation/device/state.h"

namespace infer::emulation {
namespace {

double Now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

void Run(MTL::CommandBuffer& command_buffer) {
  MTL::CommandBuffer::State& state = *command_buffer.state;
  state.start_time = Now();
  if (state.problem.empty()) AddProblem(&command_buffer, Execute(command_buffer));
  state.end_time = Now();
  --*std::exchange(state.unfinished, nullptr);
  Count(&Counters::command_buffers);
  if (state.problem.empty()) {
    state.status = MTL::CommandBufferStatusCompleted;
  } else {
    state.error =
        NS::TransferPtr(NS::Error::Make(state.problem, "MTLCommandBufferErrorDomain", state.code));
    state.status = MTL::CommandBufferStatusError;
  }
  for (const MTL::HandlerFunction& handler : state.handlers) handler(&command_buffer);
  for (NS::Object* const object : std::exchange(state.retained, {})) object->release();
}

// Runs what was committed to the queue, in order.
void Drain(MTL::CommandQueue& queue) {
  const std::lock_guard lock(DeviceMutex());
  MTL::CommandQueue::State& state = *queue.state;
  if (state.running) return;  // called by a handler
  state.running = true;
  while (!state.committed.empty()) {
    MTL::CommandBuffer* const next = state.committed.front();
    state.committed.erase(state.committed.begin());
    Run(*next);
    next->release();
  }
  state.running = false;
}

void AppendEvent(MTL::CommandBuffer& command_buffer, Command::Kind kind, const MTL::Event* event,
                 uint64_t value) {
  Command command(kind);
  command.event = event;
  command.event_value = value;
  command_buffer.state->commands.push_back(std::move(command));
}

template <class Encoder>
Encoder* NewEncoder(MTL::CommandBuffer& command_buffer, bool concurrent) {
  MTL::CommandBuffer::State& state = *command_buffer.state;
  if (state.encoder_open) {
    AddProblem(&command_buffer, "a second encoder before endEncoding of the first");
  }
  if (state.status != MTL::CommandBufferStatusNotEnqueued &&
      state.status != MTL::CommandBufferStatusEnqueued) {
    ReportProblem("an encoder for a command buffer that is committed");
  }
  state.encoder_open = true;
  auto* const encoder = new Encoder;
  encoder->state->command_buffer = &command_buffer;
  encoder->state->concurrent = concurrent;
  return encoder->autorelease();
}

}  // namespace
}  // namespace infer::emulation

namespace MTL {

namespace emulation = infer::emulation;
using emulation::Command;

SharedEvent::SharedEvent() : state(new State) {}
SharedEvent::~SharedEvent() = default;
uint64_t SharedEvent::signaledValue() const {
  const std::lock_guard lock(emulation::DeviceMutex());
  return state->value;
}
void SharedEvent::setSignaledValue(uint64_t value) {
  const std::lock_guard lock(emulation::DeviceMutex());
  state->value = value;
}
bool SharedEvent::waitUntilSignaledValue(uint64_t value, uint64_t) {
  return signaledValue() >= value;
}

CommandBuffer::CommandBuffer() : state(new State) {}
CommandBuffer::~CommandBuffer() {
  const std::lock_guard lock(emulation::DeviceMutex());
  if (state->unfinished != nullptr) --*state->unfinished;
  if (state->encoder_open && state->status == CommandBufferStatusNotEnqueued) {
    emulation::ReportProblem("a command buffer ended with an encoder that is still open");
  }
  for (NS::Object* const object : state->retained) object->release();
}

ComputeCommandEncoder* CommandBuffer::computeCommandEncoder() {
  return computeCommandEncoder(DispatchTypeSerial);
}
ComputeCommandEncoder* CommandBuffer::computeCommandEncoder(DispatchType type) {
  return emulation::NewEncoder<ComputeCommandEncoder>(*this, type == DispatchTypeConcurrent);
}
BlitCommandEncoder* CommandBuffer::blitCommandEncoder() {
  return emulation::NewEncoder<BlitCommandEncoder>(*this, false);
}

void CommandBuffer::encodeSignalEvent(const Event* event, uint64_t value) {
  emulation::AppendEvent(*this, Command::kSignal, event, value);
}
void CommandBuffer::encodeWait(const Event* event, uint64_t value) {
  emulation::AppendEvent(*this, Command::kWait, event, value);
}
void CommandBuffer::addCompletedHandler(const HandlerFunction& handler) {
  state->handlers.push_back(handler);
}
void CommandBuffer::useResidencySet(const ResidencySet* set) {
  state->residency_sets.insert(set);
  if (state->residency_sets.size() > emulation::kMaxResidencySets) {
    emulation::AddProblem(this, "useResidencySet: a command buffer takes at most 32 sets");
  }
}
void CommandBuffer::enqueue() { state->status = CommandBufferStatusEnqueued; }

void CommandBuffer::commit() {
  const std::lock_guard lock(emulation::DeviceMutex());
  if (state->status != CommandBufferStatusNotEnqueued &&
      state->status != CommandBufferStatusEnqueued) {
    return emulation::ReportProblem("commit of a command buffer that is committed already");
  }
  if (state->encoder_open) {
    emulation::AddProblem(this, "commit without endEncoding of the last encoder");
  }
  emulation::Settings& settings = emulation::settings();
  if (settings.failing_commit > 0 && --settings.failing_commit == 0) {
    state->code = settings.failing_commit_code;
    emulation::AddProblem(this, settings.failing_commit_text);
  }
  state->status = CommandBufferStatusCommitted;
  state->queue->state->committed.push_back(retain());
  if (settings.run_at_commit) emulation::Drain(*state->queue);
}

void CommandBuffer::waitUntilScheduled() {}

void CommandBuffer::waitUntilCompleted() {
  const std::lock_guard lock(emulation::DeviceMutex());
  if (state->status == CommandBufferStatusNotEnqueued ||
      state->status == CommandBufferStatusEnqueued) {
    return emulation::ReportProblem("waitUntilCompleted before commit: it would wait for ever");
  }
  emulation::Drain(*state->queue);
  emulation::HostWaited(*state->queue);
}

// A host that asks again and again until the work is done must see it done.
CommandBufferStatus CommandBuffer::status() const {
  const std::lock_guard lock(emulation::DeviceMutex());
  if (state->status == CommandBufferStatusCommitted) emulation::Drain(*state->queue);
  return state->status;
}
NS::Error* CommandBuffer::error() const {
  const std::lock_guard lock(emulation::DeviceMutex());
  return state->error.get();
}
NS::TimeInterval CommandBuffer::GPUStartTime() const { return state->start_time; }
NS::TimeInterval CommandBuffer::GPUEndTime() const { return state->end_time; }
NS::String* CommandBuffer::label() const { return emulation::AutoreleasedString(emulated_label); }
void CommandBuffer::setLabel(const NS::String* label) { emulated_label = label->emulated_text; }

CommandQueue::CommandQueue() : state(new State) {}
CommandQueue::~CommandQueue() {
  const std::lock_guard lock(emulation::DeviceMutex());
  for (CommandBuffer* const left : std::exchange(state->committed, {})) left->release();
  for (const ResidencySet* const set : state->residency_sets) {
    const_cast<ResidencySet*>(set)->release();
  }
  emulation::ForgetQueue(*this);
}

CommandBuffer* CommandQueue::commandBuffer() {
  const std::lock_guard lock(emulation::DeviceMutex());
  if (*state->unfinished >= state->max_command_buffers) {
    emulation::ReportProblem(
        infer::StrCat("commandBuffer: ", *state->unfinished,
                      " command buffers of the queue are not completed, as many as it may have: a "
                      "Mac would wait here, maybe for ever"));
  }
  ++*state->unfinished;
  auto* const buffer = new CommandBuffer;
  buffer->state->queue = this;
  buffer->state->unfinished = state->unfinished;
  return buffer->autorelease();
}
CommandBuffer* CommandQueue::commandBufferWithUnretainedReferences() {
  CommandBuffer* const buffer = commandBuffer();
  buffer->state->retains = false;
  return buffer;
}
void CommandQueue::addResidencySet(const ResidencySet* set) {
  const std::lock_guard lock(emulation::DeviceMutex());
  if (!state->residency_sets.insert(set).second) return;
  const_cast<ResidencySet*>(set)->retain();
  set->state->on_queue = true;
  if (state->residency_sets.size() > emulation::kMaxResidencySets) {
    emulation::ReportProblem("addResidencySet: a queue takes at most 32 sets");
  }
}
void CommandQueue::addResidencySets(const ResidencySet* const sets[], NS::UInteger count) {
  for (NS::UInteger i = 0; i < count; ++i) addResidencySet(sets[i]);
}
void CommandQueue::removeResidencySet(const ResidencySet* set) {
  const std::lock_guard lock(emulation::DeviceMutex());
  if (state->residency_sets.erase(set) > 0) const_cast<ResidencySet*>(set)->release();
}
void CommandQueue::removeResidencySets(const ResidencySet* const sets[], NS::UInteger count) {
  for (NS::UInteger i = 0; i < count; ++i) removeResidencySet(sets[i]);
}
NS::String* CommandQueue::label() const { return emulation::AutoreleasedString(emulated_label); }
void CommandQueue::setLabel(const NS::String* label) { emulated_label = label->emulated_text; }

}  // namespace MTL
