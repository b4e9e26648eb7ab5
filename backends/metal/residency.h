// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "backends/metal/metal_device.h"

namespace infer::metal {

// Keeps buffers wired while nothing runs: without it, macOS unwires what a queue has not used for a
// second, and the next token of a 7B model in F16 took 320 ms instead of 56 (M4 Pro,
// llama.cpp#10119). Several sets, because a set is wired as a whole when one of its buffers is used
// (mlx#4211). Does nothing before macOS 15, which has no sets.
class Residency {
 public:
  explicit Residency(std::shared_ptr<MetalDevice> device) : device_(std::move(device)) {}
  Residency(const Residency&) = delete;
  Residency& operator=(const Residency&) = delete;
  ~Residency();

  // Wires the buffers from now on until the object dies. The caller keeps them alive.
  absl::Status Add(std::span<MTL::Buffer* const> buffers);

 private:
  absl::Status AddSet(std::span<MTL::Buffer* const> buffers);

  std::shared_ptr<MetalDevice> device_;
  std::vector<Ref<MTL::ResidencySet>> sets_;
};

}  // namespace infer::metal
