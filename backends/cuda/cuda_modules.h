// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "backends/cuda/cuda_device.h"
#include "backends/cuda/launch.h"

namespace infer::cuda {

// A file of kernels as the driver takes it: PTX for the cards of one capability and later.
struct PtxModule {
  std::string_view name;
  int capability;    // 80, 90
  const char* text;  // ends with a zero
};

// The modules of this build; none where it has no compiler for them.
std::span<const PtxModule> EmbeddedModules();

// Loads modules, each once, and finds their functions. Thread-safe.
class CudaModules {
 public:
  CudaModules(std::shared_ptr<CudaDevice> device, std::span<const PtxModule> modules)
      : device_(std::move(device)), modules_(modules) {}
  ~CudaModules();
  CudaModules(const CudaModules&) = delete;
  CudaModules& operator=(const CudaModules&) = delete;

  // Compiles the module, or takes it from the driver's cache; an error has the driver's message.
  absl::Status Load(std::string_view module);
  // The function, prepared for that much shared memory.
  absl::StatusOr<FunctionHandle*> Get(const Launch& launch);

 private:
  struct Loaded {
    absl::Status status;
    ModuleHandle* handle = nullptr;
  };
  struct Function {
    FunctionHandle* handle = nullptr;
    uint32_t shared_bytes = 48 * 1024;  // allowed without asking
  };

  const Loaded& LoadLocked(std::string_view module);
  // The newest that the card runs; nullptr if there is none.
  const PtxModule* Choose(std::string_view module) const;

  std::shared_ptr<CudaDevice> device_;
  std::span<const PtxModule> modules_;
  std::mutex mutex_;
  std::map<std::string, Loaded, std::less<>> loaded_;
  absl::flat_hash_map<std::string, Function> functions_;
};

}  // namespace infer::cuda
