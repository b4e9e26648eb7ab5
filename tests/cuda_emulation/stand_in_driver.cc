// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_emulation/stand_in_driver.h"

#include <cstdlib>
#include <cstring>

#include "tests/cuda_emulation/stand_in_card.h"

namespace infer::cuda_emulation {
namespace {

using namespace cuda;  // NOLINT: all names of the driver

Result Init(unsigned) { return kSuccess; }
Result DriverVersion(int* version) {
  *version = 13000;
  return kSuccess;
}
Result DeviceCount(int* count) {
  *count = TheCard().settings.count;
  return kSuccess;
}
Result DeviceGet(DeviceNumber* device, int index) {
  *device = index;
  return kSuccess;
}
Result DeviceName(char* name, int bytes, DeviceNumber) {
  std::strncpy(name, "CPU emulation, not a GPU", static_cast<size_t>(bytes));
  return kSuccess;
}
Result GetAttribute(int* value, int attribute, DeviceNumber) {
  const Settings& settings = TheCard().settings;
  *value = attribute == kComputeMajor      ? settings.major
           : attribute == kComputeMinor    ? settings.minor
           : attribute == kMultiprocessors ? 2
                                           : static_cast<int>(kMaxSharedBytes);
  return kSuccess;
}
Result Retain(ContextHandle** context, DeviceNumber) {
  *context = &TheCard().context;
  return kSuccess;
}
Result Release(DeviceNumber) { return kSuccess; }
Result SetCurrent(ContextHandle*) { return kSuccess; }
Result MemInfo(size_t* free, size_t* total) {
  *total = TheCard().settings.total_bytes;
  *free = *total - AllocatedBytes();
  return kSuccess;
}
Result Alloc(DevicePtr* address, size_t bytes) {
  StandInCard& card = TheCard();
  ++card.allocations;
  if (Health() != kSuccess) return Health();
  if (card.settings.failing_allocation >= 0 && card.settings.failing_allocation-- == 0) {
    return kOutOfMemory;
  }
  auto memory = std::make_unique<emulation::BufferMemory>(bytes);
  *address = reinterpret_cast<DevicePtr>(memory->data());
  card.memory[*address] = std::move(memory);
  return kSuccess;
}
Result Free(DevicePtr address) {
  return TheCard().memory.erase(address) == 1 ? kSuccess : kInvalidValue;
}
Result Memset(DevicePtr address, unsigned char value, size_t bytes) {
  if (!Contains(address, bytes)) return kInvalidValue;
  std::memset(reinterpret_cast<void*>(address), value, bytes);
  return Health();
}
Result MemsetRows(DevicePtr address, size_t stride, unsigned char value, size_t bytes,
                  size_t rows) {
  Result result = kSuccess;
  for (size_t row = 0; row < rows && result == kSuccess; ++row) {
    result = Memset(address + row * stride, value, bytes);
  }
  return result;
}
Result CopyIn(DevicePtr to, const void* from, size_t bytes) {
  if (!Contains(to, bytes)) return kInvalidValue;
  if (bytes > 0) std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return Health();
}
Result CopyOut(void* to, DevicePtr from, size_t bytes) {
  if (!Contains(from, bytes)) return kInvalidValue;
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return Health();
}
Result CopyWithin(DevicePtr to, DevicePtr from, size_t bytes) {
  if (!Contains(from, bytes)) return kInvalidValue;
  return CopyIn(to, reinterpret_cast<const void*>(from), bytes);
}
Result CopyInAsync(DevicePtr to, const void* from, size_t bytes, StreamHandle*) {
  return CopyIn(to, from, bytes);
}
Result CopyOutAsync(void* to, DevicePtr from, size_t bytes, StreamHandle*) {
  return CopyOut(to, from, bytes);
}
Result HostAlloc(void** data, size_t bytes, unsigned) {
  StandInCard& card = TheCard();
  ++card.allocations;
  if (card.settings.failing_allocation >= 0 && card.settings.failing_allocation-- == 0) {
    return kOutOfMemory;
  }
  *data = std::malloc(bytes);
  ++card.objects;
  return kSuccess;
}
Result HostFree(void* data) {
  std::free(data);
  --TheCard().objects;
  return kSuccess;
}
Result HostRegister(void*, size_t, unsigned) {
  ++TheCard().objects;
  return kSuccess;
}
Result HostUnregister(void*) {
  --TheCard().objects;
  return kSuccess;
}

template <class Handle>
Result Make(Handle** handle) {
  *handle = new Handle();
  ++TheCard().objects;
  return Health();
}
template <class Handle>
Result Destroy(Handle* handle) {
  delete handle;
  --TheCard().objects;
  return kSuccess;
}
Result StreamCreate(StreamHandle** stream, unsigned) { return Make(stream); }
Result StreamSynchronize(StreamHandle*) { return Health(); }
Result EventCreate(EventHandle** event, unsigned) { return Make(event); }
Result EventRecord(EventHandle*, StreamHandle*) { return Health(); }
Result Elapsed(float* milliseconds, EventHandle*, EventHandle*) {
  *milliseconds = 0.001F;
  return Health();
}
Result LoadModule(ModuleHandle** module, const void* image, unsigned, int*, void** values) {
  const std::string name = static_cast<const char*>(image);
  if (name == TheCard().settings.refused_module) {
    std::strcpy(static_cast<char*>(values[0]), "ptxas fatal: as the test asks");
    return kInvalidPtx;
  }
  const Result result = Make(module);
  (*module)->name = name;
  return result;
}
Result GetFunction(FunctionHandle** function, ModuleHandle*, const char* name) {
  std::unique_ptr<FunctionHandle>& found = TheCard().functions[name];
  if (found == nullptr) found = std::make_unique<FunctionHandle>();
  found->kernel = FindKernel(name);
  *function = found.get();
  return found->kernel == nullptr ? kNotFound : kSuccess;
}
Result SetAttribute(FunctionHandle* function, int attribute, int value) {
  if (attribute == kPreferredShared) return value <= 100 ? kSuccess : kInvalidValue;
  if (attribute != kMaxDynamicShared || value > static_cast<int>(kMaxSharedBytes)) {
    return kInvalidValue;
  }
  function->shared_bytes = static_cast<uint32_t>(value);
  return kSuccess;
}
Result LaunchOld(FunctionHandle* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                 unsigned by, unsigned bz, unsigned shared, StreamHandle* stream, void** parameters,
                 void**) {
  return Submit(stream, function,
                {.grid_x = gx,
                 .grid_y = gy,
                 .grid_z = gz,
                 .block_x = bx,
                 .block_y = by,
                 .block_z = bz,
                 .shared_bytes = shared},
                parameters);
}
Result LaunchNew(const LaunchConfig* config, FunctionHandle* function, void** parameters, void**) {
  return Submit(config->stream, function, *config, parameters);
}
Result BeginCapture(StreamHandle* stream, int) {
  stream->recording = std::make_unique<GraphHandle>();
  return Health();
}
Result EndCapture(StreamHandle* stream, GraphHandle** graph) {
  *graph = stream->recording.release();
  ++TheCard().objects;
  return Health();
}
Result Instantiate(GraphExecHandle** executable, GraphHandle* graph, unsigned long long) {
  const Result result = Make(executable);
  (*executable)->launches = graph->launches;
  return result;
}
Result GraphLaunch(GraphExecHandle* graph, StreamHandle*) {
  ++TheCard().replays;
  for (const RecordedLaunch& launch : graph->launches) {
    const Result result = RunLaunch(launch);
    if (result != kSuccess) return result;
  }
  return kSuccess;
}
Result ErrorName(Result result, const char** name) {
  *name = result == kOutOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : result == kLaunchFailed   ? "CUDA_ERROR_LAUNCH_FAILED"
          : result == kInvalidPtx     ? "CUDA_ERROR_INVALID_PTX"
                                      : "CUDA_ERROR_UNKNOWN";
  return kSuccess;
}

Driver MakeDriver() {
  Driver d;
  d.cuInit = Init;
  d.cuDriverGetVersion = DriverVersion;
  d.cuDeviceGetCount = DeviceCount;
  d.cuDeviceGet = DeviceGet;
  d.cuDeviceGetName = DeviceName;
  d.cuDeviceGetAttribute = GetAttribute;
  d.cuDevicePrimaryCtxRetain = Retain;
  d.cuDevicePrimaryCtxRelease_v2 = Release;
  d.cuCtxSetCurrent = SetCurrent;
  d.cuMemGetInfo_v2 = MemInfo;
  d.cuMemAlloc_v2 = Alloc;
  d.cuMemFree_v2 = Free;
  d.cuMemsetD8_v2 = Memset;
  d.cuMemsetD2D8_v2 = MemsetRows;
  d.cuMemcpyHtoD_v2 = CopyIn;
  d.cuMemcpyDtoH_v2 = CopyOut;
  d.cuMemcpyDtoD_v2 = CopyWithin;
  d.cuMemcpyHtoDAsync_v2 = CopyInAsync;
  d.cuMemcpyDtoHAsync_v2 = CopyOutAsync;
  d.cuMemHostAlloc = HostAlloc;
  d.cuMemFreeHost = HostFree;
  d.cuMemHostRegister_v2 = HostRegister;
  d.cuMemHostUnregister = HostUnregister;
  d.cuStreamCreate = StreamCreate;
  d.cuStreamDestroy_v2 = Destroy<StreamHandle>;
  d.cuStreamSynchronize = StreamSynchronize;
  d.cuEventCreate = EventCreate;
  d.cuEventDestroy_v2 = Destroy<EventHandle>;
  d.cuEventRecord = EventRecord;
  d.cuEventElapsedTime = Elapsed;
  d.cuModuleLoadDataEx = LoadModule;
  d.cuModuleUnload = Destroy<ModuleHandle>;
  d.cuModuleGetFunction = GetFunction;
  d.cuFuncSetAttribute = SetAttribute;
  d.cuLaunchKernel = LaunchOld;
  d.cuStreamBeginCapture_v2 = BeginCapture;
  d.cuStreamEndCapture = EndCapture;
  d.cuGraphLaunch = GraphLaunch;
  d.cuGraphDestroy = Destroy<GraphHandle>;
  d.cuGraphExecDestroy = Destroy<GraphExecHandle>;
  d.cuGetErrorName = ErrorName;
  d.cuGetErrorString = ErrorName;
  return d;
}

}  // namespace

const Driver& StandInDriver() {
  static Driver driver = MakeDriver();
  const bool newer = TheCard().settings.has_newer_functions;
  driver.cuLaunchKernelEx = newer ? LaunchNew : nullptr;
  driver.cuGraphInstantiateWithFlags = newer ? Instantiate : nullptr;
  return driver;
}

std::span<const PtxModule> StandInModules() {
  static constexpr PtxModule kModules[] = {
#define INFER_MODULE(name) {name, 80, name}
      INFER_MODULE("attention_tile"), INFER_MODULE("attention_vector"),
      INFER_MODULE("convert"),        INFER_MODULE("elementwise"),
      INFER_MODULE("embed"),          INFER_MODULE("heads"),
      INFER_MODULE("linear_bf16"),    INFER_MODULE("linear_f16"),
      INFER_MODULE("linear_f32"),     INFER_MODULE("linear_q4_0"),
      INFER_MODULE("linear_q4_k"),    INFER_MODULE("linear_q5_k"),
      INFER_MODULE("linear_q6_k"),    INFER_MODULE("linear_q8_0"),
      INFER_MODULE("rows"),           INFER_MODULE("self_attention"),
      INFER_MODULE("top_k")
#undef INFER_MODULE
  };
  return kModules;
}

}  // namespace infer::cuda_emulation
