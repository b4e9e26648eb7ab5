// SPDX-License-Identifier: Apache-2.0
//
// A binary of its own: it counts every allocation of the process.
#include <gtest/gtest.h>

#include <vector>

#include "tests/model/loaded_model.h"
#include "tests/runtime/counting_new.h"

namespace infer {
namespace {

TEST(SessionAllocation, CallsAllocateNothing) {
  testing::LoadedModel model("random_untied.gguf");
  for (const char* policy : {"reference", "scalar"}) {
    for (int32_t block_positions : {0, 16}) {
      auto session = model.NewSession({.policy = policy, .context = 128, .chunk = 8},
                                      {.block_positions = block_positions});
      const std::vector<int32_t> prompt(20, 5);
      bool ok = true;
      const int64_t before = AllocationCount();
      ok = ok && session->Prefill(prompt).ok();
      for (int32_t i = 0; i < 40; ++i) ok = ok && session->Decode(i).ok();
      ok = ok && session->Prefill(prompt).ok();  // rewinds
      session->Clear();
      ok = ok && session->Prefill(prompt).ok();
      EXPECT_EQ(AllocationCount(), before) << policy << ", blocks of " << block_positions;
      EXPECT_TRUE(ok);
    }
  }
}

}  // namespace
}  // namespace infer
