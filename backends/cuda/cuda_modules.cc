// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_modules.h"

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::cuda {
namespace {

constexpr uint32_t kLogBytes = 4096;
// Percent of the fast memory of a multiprocessor that is shared memory. The same for all functions:
// a launch that wants another division waits until the multiprocessor is empty.
constexpr int kSharedPercent = 100;

}  // namespace

CudaModules::~CudaModules() {
  if (loaded_.empty()) return;
  device_->MakeCurrent().IgnoreError();
  for (const auto& [name, module] : loaded_) {
    if (module.handle != nullptr) device_->driver().cuModuleUnload(module.handle);
  }
}

const PtxModule* CudaModules::Choose(std::string_view module) const {
  const int capability = device_->facts().major * 10 + device_->facts().minor;
  const PtxModule* best = nullptr;
  for (const PtxModule& candidate : modules_) {
    if (candidate.name != module || candidate.capability > capability) continue;
    if (best == nullptr || candidate.capability > best->capability) best = &candidate;
  }
  return best;
}

const CudaModules::Loaded& CudaModules::LoadLocked(std::string_view module) {
  auto found = loaded_.find(module);
  if (found != loaded_.end()) return found->second;
  Loaded& loaded = loaded_[std::string(module)];
  const PtxModule* ptx = Choose(module);
  if (ptx == nullptr) {
    loaded.status = absl::UnavailableError(
        StrCat("this build has no kernels of ", module, " for ", device_->facts().name));
    return loaded;
  }
  std::string log(kLogBytes, '\0');
  int options[] = {kJitErrorLog, kJitErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(uintptr_t{kLogBytes})};
  const Result result =
      device_->driver().cuModuleLoadDataEx(&loaded.handle, ptx->text, 2, options, values);
  if (result != kSuccess) {
    log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
    loaded.status = absl::UnavailableError(StrCat("the driver refuses the kernels of ", module,
                                                  ": ", TextOf(device_->driver(), result),
                                                  log.empty() ? "" : "; ", log));
  }
  return loaded;
}

absl::Status CudaModules::Load(std::string_view module) {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(device_->MakeCurrent());
  return LoadLocked(module).status;
}

absl::StatusOr<FunctionHandle*> CudaModules::Get(const Launch& launch) {
  const std::lock_guard lock(mutex_);
  Function& function = functions_[launch.function];
  if (function.handle == nullptr) {
    const Loaded& module = LoadLocked(launch.module);
    RETURN_IF_ERROR(module.status);
    RETURN_IF_ERROR(device_->Check(device_->driver().cuModuleGetFunction(
                                       &function.handle, module.handle, launch.function.c_str()),
                                   StrCat("looking for ", launch.function)));
    RETURN_IF_ERROR(device_->Check(
        device_->driver().cuFuncSetAttribute(function.handle, kPreferredShared, kSharedPercent),
        StrCat("preparing ", launch.function)));
  }
  if (launch.shared_bytes > function.shared_bytes) {
    RETURN_IF_ERROR(
        device_->Check(device_->driver().cuFuncSetAttribute(function.handle, kMaxDynamicShared,
                                                            static_cast<int>(launch.shared_bytes)),
                       StrCat("reserving ", launch.shared_bytes, " bytes of shared memory for ",
                              launch.function)));
    function.shared_bytes = launch.shared_bytes;
  }
  return function.handle;
}

}  // namespace infer::cuda
