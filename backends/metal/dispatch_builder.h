// SPDX-License-Identifier: Apache-2.0
//
// Builds a Dispatch. Bindings are numbered in the order of the calls, from 1 on, which is the order
// of the buffers in every shader.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include "backends/metal/dispatch.h"
#include "ir/graph/dtype.h"

namespace infer::metal {

inline uint32_t CeilDiv(int64_t value, int64_t by) {
  return static_cast<uint32_t>((value + by - 1) / by);
}

inline uint64_t BytesOf(const TensorView& view) {
  return static_cast<uint64_t>(view.elements()) / Info(view.dtype).block_elements *
         Info(view.dtype).block_bytes;
}

class DispatchBuilder {
 public:
  template <class Args>
  DispatchBuilder(PipelineKey pipeline, const Args& args) {
    static_assert(std::is_trivially_copyable_v<Args>);
    dispatch_.pipeline = std::move(pipeline);
    Append(&args, sizeof args);
  }

  // Appends floats after the argument struct.
  DispatchBuilder& Behind(std::span<const float> floats) {
    Append(floats.data(), floats.size_bytes());
    return *this;
  }
  DispatchBuilder& Reads(const std::byte* data, uint64_t bytes) { return Bind(data, bytes, false); }
  DispatchBuilder& Reads(const TensorView& view) { return Reads(view.data, BytesOf(view)); }
  DispatchBuilder& Writes(const std::byte* data, uint64_t bytes) { return Bind(data, bytes, true); }
  DispatchBuilder& Writes(const TensorView& view) { return Writes(view.data, BytesOf(view)); }
  DispatchBuilder& Threadgroup(uint64_t bytes) {
    dispatch_.threadgroup_bytes = static_cast<uint32_t>((bytes + 15) / 16 * 16);  // Metal's granule
    return *this;
  }
  DispatchBuilder& Flops(int64_t flops) {
    dispatch_.flops = static_cast<uint64_t>(flops);
    return *this;
  }

  // Finishes the dispatch. A grid without groups runs nothing and is left out.
  void Over(Grid groups, Grid threads, std::vector<Dispatch>& out) {
    if (groups.x == 0 || groups.y == 0 || groups.z == 0) return;
    dispatch_.groups = groups;
    dispatch_.threads = threads;
    out.push_back(std::move(dispatch_));
  }

 private:
  void Append(const void* data, size_t bytes) {
    const auto* from = static_cast<const std::byte*>(data);
    dispatch_.arguments.insert(dispatch_.arguments.end(), from, from + bytes);
  }
  DispatchBuilder& Bind(const std::byte* data, uint64_t bytes, bool writes) {
    const int index = static_cast<int>(dispatch_.bindings.size()) + 1;
    dispatch_.bindings.push_back({index, data, bytes, writes});
    return *this;
  }

  Dispatch dispatch_;
};

}  // namespace infer::metal
