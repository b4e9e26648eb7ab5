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

// Returns the file of a shader that compile_metallib.cmake compiled ahead of time. Its name
// contains the hash of the source, so a file compiled from a different source is never used.
std::string MetallibPath(std::string_view metallibs, const EmbeddedShader& shader);

// The compute pipelines of a device, each created once. Each shader file is a separate library, so
// a file that does not compile affects nothing else.
class MetalPipelines {
 public:
  // `metallibs` is a folder of shaders compiled ahead of time, or empty.
  MetalPipelines(std::shared_ptr<MetalDevice> device, std::string metallibs)
      : device_(std::move(device)), metallibs_(std::move(metallibs)) {}
  ~MetalPipelines();

  // Returns kUnavailable with the compiler's message if the pipeline cannot be created, or with the
  // numbers if the device supports only smaller groups than its dispatches use. Repeated calls
  // return the same result.
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
