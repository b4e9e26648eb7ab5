// SPDX-License-Identifier: Apache-2.0
//
// Stand-in for the part of metal-cpp's Metal.hpp that the Metal back end uses, at the level of
// macOS 15. Names, signatures and values are metal-cpp's; conformance.cc pins them. The objects are
// those of the software device; what they hold is in device/state.h.
#pragma once

#include <Foundation/Foundation.hpp>
#include <Metal/MTLTypes.hpp>

namespace MTL {

class Buffer;
class CommandBuffer;
class CommandQueue;
class ComputePipelineState;
class Device;
class Function;
class Library;

// A member `state` is the emulation's own; metal-cpp's objects have no members.
#define METAL_EMULATION_STATE(Class) \
  Class();                           \
  ~Class() override;                 \
  struct State;                      \
  std::unique_ptr<State> state

class Allocation : public NS::Referencing<Allocation> {
 public:
  NS::UInteger allocatedSize() const;
};

class Resource : public NS::Referencing<Resource, Allocation> {
 public:
  NS::String* label() const;
  void setLabel(const NS::String* label);
  StorageMode storageMode() const;
};

class Buffer : public NS::Referencing<Buffer, Resource> {
 public:
  void* contents();
  NS::UInteger length() const;

  METAL_EMULATION_STATE(Buffer);
};

class CompileOptions : public NS::Copying<CompileOptions> {
 public:
  static CompileOptions* alloc();
  CompileOptions* init();
  LanguageVersion languageVersion() const;
  void setLanguageVersion(LanguageVersion version);
  void setMathMode(MathMode mode);
  void setMathFloatingPointFunctions(MathFloatingPointFunctions functions);
  void setFastMathEnabled(bool enabled);
  void setPreprocessorMacros(const NS::Dictionary* macros);

  METAL_EMULATION_STATE(CompileOptions);
};

class FunctionConstantValues : public NS::Copying<FunctionConstantValues> {
 public:
  static FunctionConstantValues* alloc();
  FunctionConstantValues* init();
  void setConstantValue(const void* value, DataType type, NS::UInteger index);
  void setConstantValue(const void* value, DataType type, const NS::String* name);
  void setConstantValues(const void* values, DataType type, NS::Range range);
  void reset();

  METAL_EMULATION_STATE(FunctionConstantValues);
};

class Function : public NS::Referencing<Function> {
 public:
  NS::String* name() const;
  NS::String* label() const;
  void setLabel(const NS::String* label);

  METAL_EMULATION_STATE(Function);
};

class Library : public NS::Referencing<Library> {
 public:
  NS::Array* functionNames() const;
  Function* newFunction(const NS::String* name);
  Function* newFunction(const NS::String* name, const FunctionConstantValues* values,
                        NS::Error** error);
  NS::String* label() const;
  void setLabel(const NS::String* label);

  METAL_EMULATION_STATE(Library);
};

class ComputePipelineDescriptor : public NS::Copying<ComputePipelineDescriptor> {
 public:
  static ComputePipelineDescriptor* alloc();
  ComputePipelineDescriptor* init();
  Function* computeFunction() const;
  void setComputeFunction(const Function* function);
  NS::String* label() const;
  void setLabel(const NS::String* label);
  void setThreadGroupSizeIsMultipleOfThreadExecutionWidth(bool multiple);
  void setMaxTotalThreadsPerThreadgroup(NS::UInteger threads);

  METAL_EMULATION_STATE(ComputePipelineDescriptor);
};

class ComputePipelineReflection : public NS::Referencing<ComputePipelineReflection> {};
using AutoreleasedComputePipelineReflection = ComputePipelineReflection*;

class ComputePipelineState : public NS::Referencing<ComputePipelineState, Allocation> {
 public:
  NS::String* label() const;
  NS::UInteger threadExecutionWidth() const;
  NS::UInteger maxTotalThreadsPerThreadgroup() const;
  NS::UInteger staticThreadgroupMemoryLength() const;

  METAL_EMULATION_STATE(ComputePipelineState);
};

class ResidencySetDescriptor : public NS::Copying<ResidencySetDescriptor> {
 public:
  static ResidencySetDescriptor* alloc();
  ResidencySetDescriptor* init();
  void setLabel(const NS::String* label);
  void setInitialCapacity(NS::UInteger capacity);

  METAL_EMULATION_STATE(ResidencySetDescriptor);
};

class ResidencySet : public NS::Referencing<ResidencySet> {
 public:
  void addAllocation(const Allocation* allocation);
  void addAllocations(const Allocation* const allocations[], NS::UInteger count);
  void removeAllocation(const Allocation* allocation);
  void removeAllocations(const Allocation* const allocations[], NS::UInteger count);
  void removeAllAllocations();
  bool containsAllocation(const Allocation* allocation);
  NS::UInteger allocationCount() const;
  uint64_t allocatedSize() const;
  void commit();
  void requestResidency();
  void endResidency();
  NS::String* label() const;

  METAL_EMULATION_STATE(ResidencySet);
};

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

class Device : public NS::Referencing<Device> {
 public:
  NS::String* name() const;
  uint64_t registryID() const;
  bool hasUnifiedMemory() const;
  bool supportsFamily(GPUFamily family);
  uint64_t recommendedMaxWorkingSetSize() const;
  NS::UInteger maxBufferLength() const;
  NS::UInteger maxThreadgroupMemoryLength() const;
  Size maxThreadsPerThreadgroup() const;
  NS::UInteger currentAllocatedSize() const;

  Library* newLibrary(const NS::String* source, const CompileOptions* options, NS::Error** error);
  Library* newLibrary(const NS::URL* url, NS::Error** error);
  ComputePipelineState* newComputePipelineState(const Function* function, NS::Error** error);
  ComputePipelineState* newComputePipelineState(
      const ComputePipelineDescriptor* descriptor, PipelineOption options,
      const AutoreleasedComputePipelineReflection* reflection, NS::Error** error);
  Buffer* newBuffer(NS::UInteger length, ResourceOptions options);
  Buffer* newBuffer(const void* bytes, NS::UInteger length, ResourceOptions options);
  // metal-cpp's last parameter is a block; nullptr is the only one that can be written here.
  Buffer* newBuffer(const void* memory, NS::UInteger length, ResourceOptions options,
                    std::nullptr_t deallocator);
  CommandQueue* newCommandQueue();
  CommandQueue* newCommandQueue(NS::UInteger max_command_buffers);
  ResidencySet* newResidencySet(const ResidencySetDescriptor* descriptor, NS::Error** error);
  SharedEvent* newSharedEvent();

  METAL_EMULATION_STATE(Device);
};

Device* CreateSystemDefaultDevice();
NS::Array* CopyAllDevices();

}  // namespace MTL
