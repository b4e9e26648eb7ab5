// SPDX-License-Identifier: Apache-2.0
//
// A binary of its own: it counts every allocation of the process.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/profiler.h"
#include "runtime/step_recorder.h"
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

TEST(SessionAllocation, RecordedCallsAllocateOnlyAtTheFirstOfEachSize) {
  testing::LoadedModel model("random_untied.gguf");
  auto session = model.NewSession({.policy = "scalar", .context = 128, .chunk = 8});
  StepRecorder recorder(session->program(), 1);
  Profiler profiler(session->program(), 1);
  recorder.Add(&profiler);
  session->SetRecorder(&recorder);
  const std::vector<int32_t> prompt(8, 5);
  bool ok = session->Prefill(prompt).ok() && session->Decode(1).ok();
  const int64_t before = AllocationCount();
  for (int32_t i = 0; i < 40; ++i) ok = ok && session->Decode(i).ok();
  session->Clear();
  ok = ok && session->Prefill(prompt).ok();
  EXPECT_EQ(AllocationCount(), before);
  EXPECT_TRUE(ok);
  EXPECT_EQ(profiler.Finish().regimes[0].groups.size(), 2u);
}

}  // namespace
}  // namespace infer
