// SPDX-License-Identifier: Apache-2.0
//
// Sizes and values of metal-cpp, those that the Metal back end uses.
#pragma once

#include <Foundation/Foundation.hpp>

namespace MTL {

struct Size {
  Size() = default;
  Size(NS::UInteger w, NS::UInteger h, NS::UInteger d) : width(w), height(h), depth(d) {}
  static Size Make(NS::UInteger w, NS::UInteger h, NS::UInteger d) { return Size(w, h, d); }

  NS::UInteger width;
  NS::UInteger height;
  NS::UInteger depth;
};

enum GPUFamily : NS::Integer {
  GPUFamilyApple7 = 1007,
  GPUFamilyApple8 = 1008,
  GPUFamilyApple9 = 1009,
  GPUFamilyMac2 = 2002,
  GPUFamilyCommon3 = 3003,
  GPUFamilyMetal3 = 5001,
};

enum LanguageVersion : NS::UInteger {
  LanguageVersion2_4 = 131076,
  LanguageVersion3_0 = 196608,
  LanguageVersion3_1 = 196609,
  LanguageVersion3_2 = 196610,
};

enum MathMode : NS::Integer { MathModeSafe = 0, MathModeRelaxed = 1, MathModeFast = 2 };
enum MathFloatingPointFunctions : NS::Integer {
  MathFloatingPointFunctionsFast = 0,
  MathFloatingPointFunctionsPrecise = 1,
};

enum DataType : NS::UInteger {
  DataTypeNone = 0,
  DataTypeFloat = 3,
  DataTypeHalf = 16,
  DataTypeInt = 29,
  DataTypeUInt = 33,
  DataTypeShort = 37,
  DataTypeUShort = 41,
  DataTypeChar = 45,
  DataTypeUChar = 49,
  DataTypeBool = 53,
  DataTypeLong = 81,
  DataTypeULong = 85,
};

enum DispatchType : NS::UInteger { DispatchTypeSerial = 0, DispatchTypeConcurrent = 1 };

enum CommandBufferStatus : NS::UInteger {
  CommandBufferStatusNotEnqueued = 0,
  CommandBufferStatusEnqueued = 1,
  CommandBufferStatusCommitted = 2,
  CommandBufferStatusScheduled = 3,
  CommandBufferStatusCompleted = 4,
  CommandBufferStatusError = 5,
};

enum CommandBufferError : NS::UInteger {
  CommandBufferErrorNone = 0,
  CommandBufferErrorInternal = 1,
  CommandBufferErrorTimeout = 2,
  CommandBufferErrorPageFault = 3,
  CommandBufferErrorOutOfMemory = 8,
  CommandBufferErrorInvalidResource = 9,
};

enum StorageMode : NS::UInteger {
  StorageModeShared = 0,
  StorageModeManaged = 1,
  StorageModePrivate = 2,
};

using ResourceOptions = NS::UInteger;
enum : ResourceOptions {
  ResourceCPUCacheModeDefaultCache = 0,
  ResourceCPUCacheModeWriteCombined = 1,
  ResourceStorageModeShared = 0,
  ResourceStorageModeManaged = 16,
  ResourceStorageModePrivate = 32,
  ResourceHazardTrackingModeDefault = 0,
  ResourceHazardTrackingModeUntracked = 256,
  ResourceHazardTrackingModeTracked = 512,
};

using ResourceUsage = NS::UInteger;
enum : ResourceUsage { ResourceUsageRead = 1, ResourceUsageWrite = 2 };

using BarrierScope = NS::UInteger;
enum : BarrierScope { BarrierScopeBuffers = 1 };

using PipelineOption = NS::UInteger;
enum : PipelineOption { PipelineOptionNone = 0 };

}  // namespace MTL
