// SPDX-License-Identifier: Apache-2.0
//
// Tests that encode copies of numbers from buffer to buffer.
#pragma once

#include <gtest/gtest.h>

#include "tests/metal_emulation/tests/metal_harness.h"

namespace infer::emulation {

inline const MTL::Size kOne(1, 1, 1);

class Commands : public ::testing::Test {
 protected:
  void Copy(MTL::ComputeCommandEncoder* encoder, const Ref<MTL::Buffer>& from,
            const Ref<MTL::Buffer>& to, NS::UInteger to_offset = 0, NS::UInteger from_offset = 0,
            NS::UInteger count = 1) {
    encoder->setComputePipelineState(copy.get());
    encoder->setBuffer(to.get(), to_offset, 0);
    encoder->setBuffer(from.get(), from_offset, 1);
    encoder->dispatchThreadgroups(MTL::Size(count, 1, 1), kOne);
  }
  static MTL::ComputeCommandEncoder* Concurrent(MTL::CommandBuffer* commands) {
    return commands->computeCommandEncoder(MTL::DispatchTypeConcurrent);
  }

  MetalHarness metal;
  Ref<MTL::ComputePipelineState> copy =
      metal.Pipeline("tests/metal_emulation/bugs/run/host.metal", "copy");
  Ref<MTL::Buffer> a = metal.BufferOf(std::vector<float>(64, 1.0f));
  Ref<MTL::Buffer> b = metal.Buffer(256);
  Ref<MTL::Buffer> c = metal.Buffer(256);
};

}  // namespace infer::emulation
