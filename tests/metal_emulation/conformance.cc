// SPDX-License-Identifier: Apache-2.0
//
// Every call of metal-cpp that the back end makes, with its exact signature, and every value. It is
// compiled against the stand-in headers in each build, and against Apple's where METAL_CPP_DIR is
// given: what compiles here means the same on both. conformance_test.cc looks for calls that are
// missing here.
#include <Foundation/Foundation.hpp>
#include <Metal/Metal.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace infer::emulation {
namespace {

using NS::Error;
using NS::Integer;
using NS::String;
using NS::UInteger;

#define METHOD(Class, method, ...) \
  static_assert(static_cast<__VA_ARGS__>(&Class::method) != nullptr, #Class "::" #method)
#define FUNCTION(function, ...) \
  static_assert(static_cast<__VA_ARGS__>(&function) != nullptr, #function)

// Foundation
METHOD(NS::Object, retain, NS::Object* (NS::Object::*)());
METHOD(NS::Object, release, void (NS::Object::*)());
METHOD(NS::AutoreleasePool, init, NS::AutoreleasePool* (NS::AutoreleasePool::*)());
FUNCTION(NS::AutoreleasePool::alloc, NS::AutoreleasePool* (*)());
FUNCTION(NS::String::string, String* (*)(const char*, NS::StringEncoding));
METHOD(String, init, String* (String::*)(const char*, NS::StringEncoding));
METHOD(String, length, UInteger (String::*)() const);
METHOD(String, utf8String, const char* (String::*)() const);
FUNCTION(NS::URL::fileURLWithPath, NS::URL* (*)(const String*));
METHOD(Error, code, Integer (Error::*)() const);
METHOD(Error, domain, NS::ErrorDomain (Error::*)() const);
METHOD(Error, localizedDescription, String* (Error::*)() const);
METHOD(NS::Array, count, UInteger (NS::Array::*)() const);
static_assert(std::is_same_v<decltype(std::declval<NS::Array&>().object<NS::String>(0)), String*>);
static_assert(std::is_same_v<decltype(NS::TransferPtr(std::declval<MTL::Device*>())),
                             NS::SharedPtr<MTL::Device>>);
static_assert(std::is_same_v<decltype(NS::RetainPtr(std::declval<MTL::Device*>())),
                             NS::SharedPtr<MTL::Device>>);
METHOD(NS::SharedPtr<MTL::Device>, get, MTL::Device* (NS::SharedPtr<MTL::Device>::*)() const);
METHOD(NS::SharedPtr<MTL::Device>, reset, void (NS::SharedPtr<MTL::Device>::*)());
static_assert(NS::UTF8StringEncoding == 4);
static_assert(std::is_same_v<decltype(MTLSTR("text")), String*>);

// Device
FUNCTION(MTL::CreateSystemDefaultDevice, MTL::Device* (*)());
METHOD(MTL::Device, name, String* (MTL::Device::*)() const);
METHOD(MTL::Device, hasUnifiedMemory, bool (MTL::Device::*)() const);
METHOD(MTL::Device, supportsFamily, bool (MTL::Device::*)(MTL::GPUFamily));
METHOD(MTL::Device, maxBufferLength, UInteger (MTL::Device::*)() const);
METHOD(MTL::Device, maxThreadgroupMemoryLength, UInteger (MTL::Device::*)() const);
METHOD(MTL::Device, recommendedMaxWorkingSetSize, uint64_t (MTL::Device::*)() const);
METHOD(MTL::Device, currentAllocatedSize, UInteger (MTL::Device::*)() const);
METHOD(MTL::Device, newCommandQueue, MTL::CommandQueue* (MTL::Device::*)());
METHOD(MTL::Device, newCommandQueue, MTL::CommandQueue* (MTL::Device::*)(UInteger));
METHOD(MTL::Device, newSharedEvent, MTL::SharedEvent* (MTL::Device::*)());
METHOD(MTL::Device, newBuffer, MTL::Buffer* (MTL::Device::*)(UInteger, MTL::ResourceOptions));
METHOD(MTL::Device, newBuffer,
       MTL::Buffer* (MTL::Device::*)(const void*, UInteger, MTL::ResourceOptions));
// The last parameter is a block, which this compiler may not know.
static_assert(
    std::is_same_v<decltype(std::declval<MTL::Device&>().newBuffer(
                       std::declval<const void*>(), UInteger{1}, MTL::ResourceOptions{0}, nullptr)),
                   MTL::Buffer*>);
METHOD(MTL::Device, newLibrary,
       MTL::Library* (MTL::Device::*)(const String*, const MTL::CompileOptions*, Error**));
METHOD(MTL::Device, newLibrary, MTL::Library* (MTL::Device::*)(const NS::URL*, Error**));
METHOD(MTL::Device, newComputePipelineState,
       MTL::ComputePipelineState* (MTL::Device::*)(const MTL::Function*, Error**));
METHOD(MTL::Device, newComputePipelineState,
       MTL::ComputePipelineState* (
           MTL::Device::*)(const MTL::ComputePipelineDescriptor*, MTL::PipelineOption,
                           const MTL::AutoreleasedComputePipelineReflection*, Error**));
METHOD(MTL::Device, newResidencySet,
       MTL::ResidencySet* (MTL::Device::*)(const MTL::ResidencySetDescriptor*, Error**));
static_assert(MTL::GPUFamilyApple7 == 1007 && MTL::GPUFamilyApple8 == 1008 &&
              MTL::GPUFamilyApple9 == 1009 && MTL::GPUFamilyMac2 == 2002 &&
              MTL::GPUFamilyCommon3 == 3003 && MTL::GPUFamilyMetal3 == 5001);

// Buffers and residency sets
METHOD(MTL::Buffer, contents, void* (MTL::Buffer::*)());
METHOD(MTL::Buffer, length, UInteger (MTL::Buffer::*)() const);
METHOD(MTL::Resource, setLabel, void (MTL::Resource::*)(const String*));
METHOD(MTL::Resource, storageMode, MTL::StorageMode (MTL::Resource::*)() const);
METHOD(MTL::Allocation, allocatedSize, UInteger (MTL::Allocation::*)() const);
static_assert(MTL::ResourceStorageModeShared == 0 && MTL::ResourceStorageModePrivate == 32 &&
              MTL::ResourceHazardTrackingModeUntracked == 256 &&
              MTL::ResourceHazardTrackingModeTracked == 512);
static_assert(MTL::ResourceUsageRead == 1 && MTL::ResourceUsageWrite == 2);
FUNCTION(MTL::ResidencySetDescriptor::alloc, MTL::ResidencySetDescriptor* (*)());
METHOD(MTL::ResidencySetDescriptor, init,
       MTL::ResidencySetDescriptor* (MTL::ResidencySetDescriptor::*)());
METHOD(MTL::ResidencySetDescriptor, setLabel, void (MTL::ResidencySetDescriptor::*)(const String*));
METHOD(MTL::ResidencySetDescriptor, setInitialCapacity,
       void (MTL::ResidencySetDescriptor::*)(UInteger));
METHOD(MTL::ResidencySet, addAllocation, void (MTL::ResidencySet::*)(const MTL::Allocation*));
METHOD(MTL::ResidencySet, removeAllocation, void (MTL::ResidencySet::*)(const MTL::Allocation*));
METHOD(MTL::ResidencySet, removeAllAllocations, void (MTL::ResidencySet::*)());
METHOD(MTL::ResidencySet, commit, void (MTL::ResidencySet::*)());
METHOD(MTL::ResidencySet, requestResidency, void (MTL::ResidencySet::*)());
METHOD(MTL::ResidencySet, endResidency, void (MTL::ResidencySet::*)());
METHOD(MTL::ResidencySet, allocatedSize, uint64_t (MTL::ResidencySet::*)() const);

// Libraries and pipelines
FUNCTION(MTL::CompileOptions::alloc, MTL::CompileOptions* (*)());
METHOD(MTL::CompileOptions, init, MTL::CompileOptions* (MTL::CompileOptions::*)());
METHOD(MTL::CompileOptions, setLanguageVersion,
       void (MTL::CompileOptions::*)(MTL::LanguageVersion));
METHOD(MTL::CompileOptions, setMathMode, void (MTL::CompileOptions::*)(MTL::MathMode));
METHOD(MTL::CompileOptions, setMathFloatingPointFunctions,
       void (MTL::CompileOptions::*)(MTL::MathFloatingPointFunctions));
METHOD(MTL::CompileOptions, setFastMathEnabled, void (MTL::CompileOptions::*)(bool));
static_assert(MTL::LanguageVersion3_0 == 196608 && MTL::LanguageVersion3_1 == 196609 &&
              MTL::LanguageVersion3_2 == 196610);
static_assert(MTL::MathModeSafe == 0 && MTL::MathModeRelaxed == 1 && MTL::MathModeFast == 2);
FUNCTION(MTL::FunctionConstantValues::alloc, MTL::FunctionConstantValues* (*)());
METHOD(MTL::FunctionConstantValues, init,
       MTL::FunctionConstantValues* (MTL::FunctionConstantValues::*)());
METHOD(MTL::FunctionConstantValues, setConstantValue,
       void (MTL::FunctionConstantValues::*)(const void*, MTL::DataType, UInteger));
METHOD(MTL::FunctionConstantValues, setConstantValue,
       void (MTL::FunctionConstantValues::*)(const void*, MTL::DataType, const String*));
static_assert(MTL::DataTypeFloat == 3 && MTL::DataTypeHalf == 16 && MTL::DataTypeInt == 29 &&
              MTL::DataTypeUInt == 33 && MTL::DataTypeShort == 37 && MTL::DataTypeUShort == 41 &&
              MTL::DataTypeChar == 45 && MTL::DataTypeUChar == 49 && MTL::DataTypeBool == 53 &&
              MTL::DataTypeLong == 81 && MTL::DataTypeULong == 85);
METHOD(MTL::FunctionConstantValues, reset, void (MTL::FunctionConstantValues::*)());
METHOD(MTL::Function, name, String* (MTL::Function::*)() const);
METHOD(MTL::Function, setLabel, void (MTL::Function::*)(const String*));
METHOD(MTL::Library, setLabel, void (MTL::Library::*)(const String*));
METHOD(MTL::Library, functionNames, NS::Array* (MTL::Library::*)() const);
METHOD(MTL::Library, newFunction, MTL::Function* (MTL::Library::*)(const String*));
METHOD(MTL::Library, newFunction,
       MTL::Function* (MTL::Library::*)(const String*, const MTL::FunctionConstantValues*,
                                        Error**));
FUNCTION(MTL::ComputePipelineDescriptor::alloc, MTL::ComputePipelineDescriptor* (*)());
METHOD(MTL::ComputePipelineDescriptor, init,
       MTL::ComputePipelineDescriptor* (MTL::ComputePipelineDescriptor::*)());
METHOD(MTL::ComputePipelineDescriptor, setComputeFunction,
       void (MTL::ComputePipelineDescriptor::*)(const MTL::Function*));
METHOD(MTL::ComputePipelineDescriptor, setLabel,
       void (MTL::ComputePipelineDescriptor::*)(const String*));
METHOD(MTL::ComputePipelineDescriptor, setThreadGroupSizeIsMultipleOfThreadExecutionWidth,
       void (MTL::ComputePipelineDescriptor::*)(bool));
METHOD(MTL::ComputePipelineDescriptor, setMaxTotalThreadsPerThreadgroup,
       void (MTL::ComputePipelineDescriptor::*)(UInteger));
METHOD(MTL::ComputePipelineState, threadExecutionWidth,
       UInteger (MTL::ComputePipelineState::*)() const);
METHOD(MTL::ComputePipelineState, maxTotalThreadsPerThreadgroup,
       UInteger (MTL::ComputePipelineState::*)() const);
METHOD(MTL::ComputePipelineState, staticThreadgroupMemoryLength,
       UInteger (MTL::ComputePipelineState::*)() const);
static_assert(MTL::PipelineOptionNone == 0);

// Commands
METHOD(MTL::CommandQueue, commandBuffer, MTL::CommandBuffer* (MTL::CommandQueue::*)());
METHOD(MTL::CommandQueue, commandBufferWithUnretainedReferences,
       MTL::CommandBuffer* (MTL::CommandQueue::*)());
METHOD(MTL::CommandQueue, addResidencySet, void (MTL::CommandQueue::*)(const MTL::ResidencySet*));
METHOD(MTL::CommandQueue, removeResidencySet,
       void (MTL::CommandQueue::*)(const MTL::ResidencySet*));
METHOD(MTL::CommandQueue, setLabel, void (MTL::CommandQueue::*)(const String*));
METHOD(MTL::CommandBuffer, computeCommandEncoder,
       MTL::ComputeCommandEncoder* (MTL::CommandBuffer::*)(MTL::DispatchType));
METHOD(MTL::CommandBuffer, blitCommandEncoder, MTL::BlitCommandEncoder* (MTL::CommandBuffer::*)());
METHOD(MTL::CommandBuffer, encodeSignalEvent,
       void (MTL::CommandBuffer::*)(const MTL::Event*, uint64_t));
METHOD(MTL::CommandBuffer, encodeWait, void (MTL::CommandBuffer::*)(const MTL::Event*, uint64_t));
METHOD(MTL::CommandBuffer, addCompletedHandler,
       void (MTL::CommandBuffer::*)(const MTL::HandlerFunction&));
METHOD(MTL::CommandBuffer, useResidencySet, void (MTL::CommandBuffer::*)(const MTL::ResidencySet*));
METHOD(MTL::CommandBuffer, enqueue, void (MTL::CommandBuffer::*)());
METHOD(MTL::CommandBuffer, commit, void (MTL::CommandBuffer::*)());
METHOD(MTL::CommandBuffer, waitUntilCompleted, void (MTL::CommandBuffer::*)());
METHOD(MTL::CommandBuffer, status, MTL::CommandBufferStatus (MTL::CommandBuffer::*)() const);
METHOD(MTL::CommandBuffer, error, Error* (MTL::CommandBuffer::*)() const);
METHOD(MTL::CommandBuffer, GPUStartTime, double (MTL::CommandBuffer::*)() const);
METHOD(MTL::CommandBuffer, GPUEndTime, double (MTL::CommandBuffer::*)() const);
METHOD(MTL::CommandBuffer, setLabel, void (MTL::CommandBuffer::*)(const String*));
static_assert(MTL::DispatchTypeSerial == 0 && MTL::DispatchTypeConcurrent == 1);
static_assert(MTL::CommandBufferStatusNotEnqueued == 0 && MTL::CommandBufferStatusCommitted == 2 &&
              MTL::CommandBufferStatusCompleted == 4 && MTL::CommandBufferStatusError == 5);
static_assert(MTL::CommandBufferErrorInternal == 1 && MTL::CommandBufferErrorTimeout == 2 &&
              MTL::CommandBufferErrorPageFault == 3 && MTL::CommandBufferErrorOutOfMemory == 8);
METHOD(MTL::CommandEncoder, endEncoding, void (MTL::CommandEncoder::*)());
METHOD(MTL::CommandEncoder, setLabel, void (MTL::CommandEncoder::*)(const String*));

using Encoder = MTL::ComputeCommandEncoder;
METHOD(Encoder, setComputePipelineState, void (Encoder::*)(const MTL::ComputePipelineState*));
METHOD(Encoder, setBuffer, void (Encoder::*)(const MTL::Buffer*, UInteger, UInteger));
METHOD(Encoder, setBufferOffset, void (Encoder::*)(UInteger, UInteger));
METHOD(Encoder, setBuffers,
       void (Encoder::*)(const MTL::Buffer* const[], const UInteger[], NS::Range));
METHOD(Encoder, setBytes, void (Encoder::*)(const void*, UInteger, UInteger));
METHOD(Encoder, setThreadgroupMemoryLength, void (Encoder::*)(UInteger, UInteger));
METHOD(Encoder, dispatchThreadgroups, void (Encoder::*)(MTL::Size, MTL::Size));
METHOD(Encoder, dispatchThreads, void (Encoder::*)(MTL::Size, MTL::Size));
METHOD(Encoder, memoryBarrier, void (Encoder::*)(MTL::BarrierScope));
METHOD(Encoder, useResource, void (Encoder::*)(const MTL::Resource*, MTL::ResourceUsage));
METHOD(MTL::BlitCommandEncoder, copyFromBuffer,
       void (MTL::BlitCommandEncoder::*)(const MTL::Buffer*, UInteger, const MTL::Buffer*, UInteger,
                                         UInteger));
METHOD(MTL::BlitCommandEncoder, fillBuffer,
       void (MTL::BlitCommandEncoder::*)(const MTL::Buffer*, NS::Range, uint8_t));
METHOD(MTL::SharedEvent, signaledValue, uint64_t (MTL::SharedEvent::*)() const);
static_assert(MTL::BarrierScopeBuffers == 1);
static_assert(sizeof(MTL::Size) == 24 && sizeof(NS::Range) == 16);
static_assert(std::is_constructible_v<MTL::Size, UInteger, UInteger, UInteger>);

}  // namespace
}  // namespace infer::emulation
