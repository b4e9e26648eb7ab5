// SPDX-License-Identifier: Apache-2.0
//
// Stand-in for the part of metal-cpp's Metal.hpp that the Metal back end uses, at the level of
// macOS 15. Names, signatures and values are metal-cpp's; conformance.cc pins them. The objects are
// those of the software device; what they hold is in device/state.h.
#pragma once

#include <Foundation/Foundation.hpp>
#include <Metal/MTLCommands.hpp>
#include <Metal/MTLResources.hpp>
#include <Metal/MTLTypes.hpp>

namespace MTL {

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
