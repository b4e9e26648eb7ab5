// SPDX-License-Identifier: Apache-2.0
//
// Queues, command buffers, encoders and events.
#pragma once

#include <Metal/MTLResources.hpp>

namespace MTL {

class CommandBuffer;
class ComputePipelineState;

class Event : public NS::Referencing<Event> {};

class SharedEvent : public NS::Referencing<SharedEvent, Event> {
 public:
  uint64_t signaledValue() const;
  void setSignaledValue(uint64_t value);
  bool waitUntilSignaledValue(uint64_t value, uint64_t milliseconds);

  METAL_EMULATION_STATE(SharedEvent);
};

class CommandEncoder : public NS::Referencing<CommandEncoder> {
 public:
  void endEncoding();
  NS::String* label() const;
  void setLabel(const NS::String* label);
  void pushDebugGroup(const NS::String* name);
  void popDebugGroup();

  METAL_EMULATION_STATE(CommandEncoder);
};

class ComputeCommandEncoder : public NS::Referencing<ComputeCommandEncoder, CommandEncoder> {
 public:
  void setComputePipelineState(const ComputePipelineState* pipeline);
  void setBuffer(const Buffer* buffer, NS::UInteger offset, NS::UInteger index);
  void setBufferOffset(NS::UInteger offset, NS::UInteger index);
  void setBuffers(const Buffer* const buffers[], const NS::UInteger offsets[], NS::Range range);
  void setBytes(const void* bytes, NS::UInteger length, NS::UInteger index);
  void setThreadgroupMemoryLength(NS::UInteger length, NS::UInteger index);
  void dispatchThreadgroups(Size groups, Size threads_per_group);
  void dispatchThreads(Size threads, Size threads_per_group);
  void memoryBarrier(BarrierScope scope);
  void memoryBarrier(const Resource* const resources[], NS::UInteger count);
  void useResource(const Resource* resource, ResourceUsage usage);
  void useResources(const Resource* const resources[], NS::UInteger count, ResourceUsage usage);
};

class BlitCommandEncoder : public NS::Referencing<BlitCommandEncoder, CommandEncoder> {
 public:
  void copyFromBuffer(const Buffer* source, NS::UInteger source_offset, const Buffer* target,
                      NS::UInteger target_offset, NS::UInteger bytes);
  void fillBuffer(const Buffer* buffer, NS::Range range, uint8_t value);
};

using HandlerFunction = std::function<void(CommandBuffer*)>;

class CommandBuffer : public NS::Referencing<CommandBuffer> {
 public:
  ComputeCommandEncoder* computeCommandEncoder();
  ComputeCommandEncoder* computeCommandEncoder(DispatchType type);
  BlitCommandEncoder* blitCommandEncoder();
  void encodeSignalEvent(const Event* event, uint64_t value);
  void encodeWait(const Event* event, uint64_t value);
  void addCompletedHandler(const HandlerFunction& handler);
  void useResidencySet(const ResidencySet* set);
  void enqueue();
  void commit();
  void waitUntilScheduled();
  void waitUntilCompleted();
  CommandBufferStatus status() const;
  NS::Error* error() const;
  NS::TimeInterval GPUStartTime() const;
  NS::TimeInterval GPUEndTime() const;
  NS::String* label() const;
  void setLabel(const NS::String* label);

  METAL_EMULATION_STATE(CommandBuffer);
};

class CommandQueue : public NS::Referencing<CommandQueue> {
 public:
  CommandBuffer* commandBuffer();
  CommandBuffer* commandBufferWithUnretainedReferences();
  void addResidencySet(const ResidencySet* set);
  void addResidencySets(const ResidencySet* const sets[], NS::UInteger count);
  void removeResidencySet(const ResidencySet* set);
  void removeResidencySets(const ResidencySet* const sets[], NS::UInteger count);
  NS::String* label() const;
  void setLabel(const NS::String* label);

  METAL_EMULATION_STATE(CommandQueue);
};

}  // namespace MTL
