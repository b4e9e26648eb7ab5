// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver.h"

#include <dlfcn.h>

#include "ir/base/strings.h"

namespace infer::cuda {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

template <class Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

absl::StatusOr<Driver> LoadDriver() {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::UnavailableError(
        StrCat("the NVIDIA driver is not installed (", kLibrary, " was not found)"));
  }
  Driver driver;
  std::string missing;
#define INFER_FIND(name, parameters) \
  if (!Find(library, #name, &driver.name)) StrAppend(&missing, missing.empty() ? "" : ", ", #name);
  INFER_CUDA_FUNCTIONS(INFER_FIND)
#undef INFER_FIND
#define INFER_FIND(name, parameters) Find(library, #name, &driver.name);
  INFER_CUDA_NEWER_FUNCTIONS(INFER_FIND)
#undef INFER_FIND
  if (!missing.empty()) {
    return absl::UnavailableError(
        StrCat("the NVIDIA driver is too old: ", kLibrary, " has no ", missing));
  }
  const Result result = driver.cuInit(0);
  if (result != kSuccess) {
    return absl::UnavailableError(
        StrCat("the NVIDIA driver could not start: ", TextOf(driver, result)));
  }
  return driver;
}

}  // namespace

absl::StatusOr<const Driver*> OpenDriver() {
  // Never closed: contexts of the driver live until the process ends.
  static const absl::StatusOr<Driver> driver = LoadDriver();
  if (!driver.ok()) return driver.status();
  return &*driver;
}

std::string TextOf(const Driver& driver, Result result) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver.cuGetErrorName(result, &name);
  driver.cuGetErrorString(result, &text);
  if (name == nullptr) return StrCat("error ", result);
  return text == nullptr ? std::string(name) : StrCat(name, ", ", text);
}

absl::Status ToStatus(const Driver& driver, Result result, const std::string& what) {
  if (result == kSuccess) return absl::OkStatus();
  const std::string text = StrCat("cuda: ", what, ": ", TextOf(driver, result));
  if (result == kOutOfMemory) {
    return absl::ResourceExhaustedError(
        StrCat(text, "; place fewer layers on cuda or make the context shorter"));
  }
  return absl::InternalError(text);
}

}  // namespace infer::cuda
