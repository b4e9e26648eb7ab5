// SPDX-License-Identifier: Apache-2.0
//
// The part of NVIDIA's driver API that the back end uses, with our own declarations: the library is
// opened at run time, and a build needs nothing of NVIDIA's. Tests put a stand-in in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace infer::cuda {

using Result = int;  // CUresult
inline constexpr Result kSuccess = 0;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kNotReady = 600;
using DeviceNumber = int;
using DevicePtr = uint64_t;
struct ContextHandle;
struct ModuleHandle;
struct FunctionHandle;
struct StreamHandle;
struct EventHandle;
struct GraphHandle;
struct GraphExecHandle;

enum DeviceAttribute : int {
  kMultiprocessors = 16,
  kComputeMajor = 75,
  kComputeMinor = 76,
  kMaxSharedOptin = 97,
};
inline constexpr int kMaxDynamicShared = 8;           // CU_FUNC_ATTRIBUTE_...
inline constexpr int kPreferredShared = 9;            // ..._PREFERRED_SHARED_MEMORY_CARVEOUT
inline constexpr int kJitErrorLog = 5;                // CU_JIT_ERROR_LOG_BUFFER
inline constexpr int kJitErrorLogBytes = 6;           // CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
inline constexpr int kCaptureThreadLocal = 1;         // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
inline constexpr unsigned kStreamNonBlocking = 1;     // CU_STREAM_NON_BLOCKING
inline constexpr unsigned kHostPortable = 1;          // CU_MEMHOSTREGISTER_PORTABLE
inline constexpr int kProgrammaticSerialization = 6;  // CU_LAUNCH_ATTRIBUTE_...

struct LaunchAttribute {
  int id = 0;
  char padding[4] = {};
  union {
    char bytes[64];
    int allowed;
  } value = {};
};

struct LaunchConfig {
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;
  StreamHandle* stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned num_attributes = 0;
};

// name in the library, result and parameters of each function.
#define INFER_CUDA_FUNCTIONS(F)                                                                   \
  F(cuInit, (unsigned))                                                                           \
  F(cuDriverGetVersion, (int*))                                                                   \
  F(cuDeviceGetCount, (int*))                                                                     \
  F(cuDeviceGet, (DeviceNumber*, int))                                                            \
  F(cuDeviceGetName, (char*, int, DeviceNumber))                                                  \
  F(cuDeviceGetAttribute, (int*, int, DeviceNumber))                                              \
  F(cuDevicePrimaryCtxRetain, (ContextHandle**, DeviceNumber))                                    \
  F(cuDevicePrimaryCtxRelease_v2, (DeviceNumber))                                                 \
  F(cuCtxSetCurrent, (ContextHandle*))                                                            \
  F(cuMemGetInfo_v2, (size_t*, size_t*))                                                          \
  F(cuMemAlloc_v2, (DevicePtr*, size_t))                                                          \
  F(cuMemFree_v2, (DevicePtr))                                                                    \
  F(cuMemsetD8_v2, (DevicePtr, unsigned char, size_t))                                            \
  F(cuMemsetD2D8_v2, (DevicePtr, size_t, unsigned char, size_t, size_t))                          \
  F(cuMemcpyHtoD_v2, (DevicePtr, const void*, size_t))                                            \
  F(cuMemcpyDtoH_v2, (void*, DevicePtr, size_t))                                                  \
  F(cuMemcpyDtoD_v2, (DevicePtr, DevicePtr, size_t))                                              \
  F(cuMemcpyHtoDAsync_v2, (DevicePtr, const void*, size_t, StreamHandle*))                        \
  F(cuMemcpyDtoHAsync_v2, (void*, DevicePtr, size_t, StreamHandle*))                              \
  F(cuMemHostAlloc, (void**, size_t, unsigned))                                                   \
  F(cuMemFreeHost, (void*))                                                                       \
  F(cuMemHostRegister_v2, (void*, size_t, unsigned))                                              \
  F(cuMemHostUnregister, (void*))                                                                 \
  F(cuStreamCreate, (StreamHandle**, unsigned))                                                   \
  F(cuStreamDestroy_v2, (StreamHandle*))                                                          \
  F(cuStreamSynchronize, (StreamHandle*))                                                         \
  F(cuEventCreate, (EventHandle**, unsigned))                                                     \
  F(cuEventDestroy_v2, (EventHandle*))                                                            \
  F(cuEventRecord, (EventHandle*, StreamHandle*))                                                 \
  F(cuEventElapsedTime, (float*, EventHandle*, EventHandle*))                                     \
  F(cuModuleLoadDataEx, (ModuleHandle**, const void*, unsigned, int*, void**))                    \
  F(cuModuleUnload, (ModuleHandle*))                                                              \
  F(cuModuleGetFunction, (FunctionHandle**, ModuleHandle*, const char*))                          \
  F(cuFuncSetAttribute, (FunctionHandle*, int, int))                                              \
  F(cuLaunchKernel, (FunctionHandle*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
                     unsigned, StreamHandle*, void**, void**))                                    \
  F(cuStreamBeginCapture_v2, (StreamHandle*, int))                                                \
  F(cuStreamEndCapture, (StreamHandle*, GraphHandle**))                                           \
  F(cuGraphLaunch, (GraphExecHandle*, StreamHandle*))                                             \
  F(cuGraphDestroy, (GraphHandle*))                                                               \
  F(cuGraphExecDestroy, (GraphExecHandle*))                                                       \
  F(cuGetErrorName, (Result, const char**))                                                       \
  F(cuGetErrorString, (Result, const char**))

// Functions of newer drivers; null where the driver has none.
#define INFER_CUDA_NEWER_FUNCTIONS(F)                                         \
  F(cuLaunchKernelEx, (const LaunchConfig*, FunctionHandle*, void**, void**)) \
  F(cuGraphInstantiateWithFlags, (GraphExecHandle**, GraphHandle*, unsigned long long))

struct Driver {
#define INFER_DECLARE(name, parameters) Result(*name) parameters = nullptr;
  INFER_CUDA_FUNCTIONS(INFER_DECLARE)
  INFER_CUDA_NEWER_FUNCTIONS(INFER_DECLARE)
#undef INFER_DECLARE
};

// Returns the driver of this machine, opened once; kUnavailable with the reason if there is none.
absl::StatusOr<const Driver*> OpenDriver();

// "CUDA_ERROR_OUT_OF_MEMORY, out of memory".
std::string TextOf(const Driver& driver, Result result);

// A Status for a call that failed: "cuda: <what>: <text>". Lack of memory is kResourceExhausted.
absl::Status ToStatus(const Driver& driver, Result result, const std::string& what);

}  // namespace infer::cuda
