// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/metal_pipelines.h"

#include <filesystem>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::metal {
namespace {

constexpr NS::UInteger kSimdWidth = 32;  // every shader is written for this width

absl::StatusOr<Ref<MTL::Library>> CompileSource(MTL::Device* device, const EmbeddedShader& shader) {
  Ref<MTL::CompileOptions> options = Own(MTL::CompileOptions::alloc()->init());
  // By default the version follows the SDK that the program was built with.
  options->setLanguageVersion(MTL::LanguageVersion3_1);
  // Masks are infinities, and results are compared with those of other targets.
  options->setFastMathEnabled(false);
  NS::Error* error = nullptr;
  Ref<MTL::Library> library =
      Own(device->newLibrary(MakeString(std::string(shader.source)), options.get(), &error));
  if (library) return library;
  return absl::UnavailableError(StrCat(shader.library, ".metal does not compile: ", TextOf(error)));
}

// Returns nullptr if there is no such file or the device does not accept it.
Ref<MTL::Library> LoadCompiled(MTL::Device* device, std::string_view metallibs,
                               const EmbeddedShader& shader) {
  if (metallibs.empty()) return {};
  const std::string path = MetallibPath(metallibs, shader);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  NS::Error* error = nullptr;
  return Own(device->newLibrary(NS::URL::fileURLWithPath(MakeString(path)), &error));
}

absl::StatusOr<Ref<MTL::Library>> MakeLibrary(MTL::Device* device, std::string_view metallibs,
                                              std::string_view name) {
  const EmbeddedShader* const shader = FindShader(name);
  if (shader == nullptr) return absl::UnavailableError(StrCat("this build has no shader ", name));
  if (Ref<MTL::Library> library = LoadCompiled(device, metallibs, *shader)) return library;
  return CompileSource(device, *shader);
}

}  // namespace

std::string MetallibPath(std::string_view metallibs, const EmbeddedShader& shader) {
  return StrCat(metallibs, "/", shader.library, "-", shader.hash, ".metallib");
}

MetalPipelines::~MetalPipelines() {
  Pool pool;
  pipelines_.clear();
  libraries_.clear();
}

absl::StatusOr<MTL::ComputePipelineState*> MetalPipelines::Get(const PipelineKey& key) {
  const std::lock_guard lock(mutex_);
  auto found = pipelines_.find(key);
  if (found == pipelines_.end()) found = pipelines_.emplace(key, Make(key)).first;
  if (!found->second.ok()) return found->second.status();
  return found->second->get();
}

absl::StatusOr<MTL::Library*> MetalPipelines::Library(std::string_view name) {
  auto found = libraries_.find(std::string(name));
  if (found == libraries_.end()) {
    found = libraries_.emplace(name, MakeLibrary(device_->get(), metallibs_, name)).first;
  }
  if (!found->second.ok()) return found->second.status();
  return found->second->get();
}

absl::StatusOr<Ref<MTL::ComputePipelineState>> MetalPipelines::Make(const PipelineKey& key) {
  Pool pool;
  ASSIGN_OR_RETURN(MTL::Library * library, Library(key.library));
  Ref<MTL::FunctionConstantValues> constants = Own(MTL::FunctionConstantValues::alloc()->init());
  for (size_t i = 0; i < key.constants.size(); ++i) {
    constants->setConstantValue(&key.constants[i], MTL::DataTypeInt, NS::UInteger{i});
  }
  const std::string name(key.function);
  NS::Error* error = nullptr;
  Ref<MTL::Function> function =
      Own(library->newFunction(MakeString(name), constants.get(), &error));
  if (!function) {
    return absl::UnavailableError(
        StrCat(key.library, ".metal has no usable function ", name, ": ", TextOf(error)));
  }
  Ref<MTL::ComputePipelineState> pipeline =
      Own(device_->get()->newComputePipelineState(function.get(), &error));
  if (!pipeline) {
    return absl::UnavailableError(
        StrCat(name, " could not be made into a pipeline: ", TextOf(error)));
  }
  if (pipeline->threadExecutionWidth() != kSimdWidth) {
    return absl::UnavailableError(StrCat(name, " runs in simdgroups of ",
                                         pipeline->threadExecutionWidth(), ", but is written for ",
                                         kSimdWidth));
  }
  // The more registers a function needs, the fewer threads its groups may have.
  if (key.threads > pipeline->maxTotalThreadsPerThreadgroup()) {
    return absl::UnavailableError(StrCat(name, " needs groups of ", key.threads,
                                         " threads, the device runs it with up to ",
                                         pipeline->maxTotalThreadsPerThreadgroup()));
  }
  return pipeline;
}

}  // namespace infer::metal
