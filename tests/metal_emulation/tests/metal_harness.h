// SPDX-License-Identifier: Apache-2.0
//
// The calls that a host makes, in a few words, for tests of the software device.
#pragma once

#include <Metal/Metal.hpp>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/metal_emulation/emulation.h"

namespace infer::emulation {

template <class T>
using Ref = NS::SharedPtr<T>;

// Bytes or a buffer for one index.
struct BindingArgument {
  int index;
  const MTL::Buffer* buffer = nullptr;
  NS::UInteger offset = 0;
  std::string bytes = {};
};

// A device, a queue with a residency set, and an autorelease pool that lives as long.
class MetalHarness {
 public:
  MetalHarness();
  ~MetalHarness();

  MTL::Device* device() const { return device_.get(); }
  MTL::CommandQueue* queue() const { return queue_.get(); }
  MTL::ResidencySet* residency() const { return residency_.get(); }

  // Not on the queue; nullptr on a device that has none.
  Ref<MTL::ResidencySet> NewResidencySet(std::string* error = nullptr);

  // Reads `path` under the project's root, with its includes put in place.
  Ref<MTL::Library> Library(const std::string& path, std::string* error = nullptr);
  Ref<MTL::Library> LibraryFromText(const std::string& text, std::string* error = nullptr);
  Ref<MTL::ComputePipelineState> Pipeline(const std::string& path, const std::string& function);

  // In the residency set.
  Ref<MTL::Buffer> Buffer(size_t bytes);
  template <class T>
  Ref<MTL::Buffer> BufferOf(const std::vector<T>& values) {
    Ref<MTL::Buffer> buffer = Buffer(values.size() * sizeof(T));
    std::copy(values.begin(), values.end(), static_cast<T*>(buffer->contents()));
    return buffer;
  }

  // The text of the error that the command buffer ended with, or empty.
  std::string Run(MTL::ComputePipelineState* pipeline,
                  std::initializer_list<BindingArgument> arguments, MTL::Size groups,
                  MTL::Size threads, size_t threadgroup_bytes = 0);
  // Commits, waits, and gives the error's text.
  static std::string Finish(MTL::CommandBuffer* commands);

 private:
  NS::AutoreleasePool* pool_;
  Ref<MTL::Device> device_;
  Ref<MTL::CommandQueue> queue_;
  Ref<MTL::ResidencySet> residency_;
};

template <class T>
std::string BytesOf(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
std::vector<T> Contents(const Ref<MTL::Buffer>& buffer) {
  const auto* const first = static_cast<const T*>(buffer->contents());
  return std::vector<T>(first, first + buffer->length() / sizeof(T));
}

// What runs first, last and in between must not matter: settings for every order.
std::vector<Settings> AllOrders();

}  // namespace infer::emulation
