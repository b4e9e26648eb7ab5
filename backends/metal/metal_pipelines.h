// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "backends/metal/dispatch.h"
#include "backends/metal/metal_device.h"
#include "shaders/embedded_shaders.h"

namespace infer::metal {

// The file of a shader that compile_metallib.cmake compiled ahead of time. Its name holds the hash
// of the source, so that one of another source is never taken for it.
std::string MetallibPath(std::string_view metallibs, const EmbeddedShader& shader);

// The compute pipelines of a device, each made once. One library for each shader file, so that a
// file that does not compile takes nothing else with it.
class MetalPipelines {
 public:
  // `metallibs` is a folder of shaders that were compiled ahead of time, or empty.
  MetalPipelines(std::shared_ptr<MetalDevice> device, std::string metallibs)
      : device_(std::move(device)), metallibs_(std::move(metallibs)) {}
  ~MetalPipelines();

  // kUnavailable with the compiler's text if the pipeline cannot be made, or with the numbers if
  // the device runs it in smaller groups than it is dispatched with; asked again, the same.
  absl::StatusOr<MTL::ComputePipelineState*> Get(const PipelineKey& key);

 private:
  absl::StatusOr<MTL::Library*> Library(std::string_view name);
  absl::StatusOr<Ref<MTL::ComputePipelineState>> Make(const PipelineKey& key);

  std::shared_ptr<MetalDevice> device_;
  std::string metallibs_;
  std::mutex mutex_;
  absl::flat_hash_map<std::string, absl::StatusOr<Ref<MTL::Library>>> libraries_;
  absl::flat_hash_map<PipelineKey, absl::StatusOr<Ref<MTL::ComputePipelineState>>> pipelines_;
};

}  // namespace infer::metal
