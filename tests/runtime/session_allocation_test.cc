// SPDX-License-Identifier: Apache-2.0
//
// A binary of its own: it counts every allocation and every lock of the process.
#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "ir/base/lookup_count.h"
#include "runtime/profiler.h"
#include "runtime/step_recorder.h"
#include "tests/model/loaded_model.h"
#include "tests/runtime/counting_locks.h"
#include "tests/runtime/counting_new.h"

namespace infer {
namespace {

// What a call must not do: everything it needs was bound when the program was loaded.
struct Counts {
  int64_t allocations = AllocationCount();
  int64_t lookups = lookup_count;
  int64_t locks = LockCount();
};

TEST(SessionAllocation, CallsAllocateNothingLockNothingAndLookNothingUp) {
  test::LoadedModel model("random_untied.gguf");
  for (const char* policy : {"reference", "scalar", "simd", "auto"}) {
    for (int32_t block_positions : {0, 16}) {
      auto session = model.NewSession({.policy = policy, .context = 128, .chunk = 8},
                                      {.block_positions = block_positions});
      const std::vector<int32_t> prompt(20, 5);
      bool ok = true;
      int64_t calls = 0;
      const Counts before;
      ok = ok && session->Prefill(prompt).ok();
      for (int32_t i = 0; i < 40; ++i) ok = ok && session->Decode(i).ok();
      ok = ok && session->Prefill(prompt).ok();  // rewinds
      session->Clear();
      ok = ok && session->Prefill(prompt).ok();
      const Counts after;
      calls = 3 + 40 + 1 + 3;
      EXPECT_EQ(after.allocations, before.allocations) << policy << ", blocks " << block_positions;
      EXPECT_EQ(after.lookups, before.lookups) << policy << ", blocks " << block_positions;
      // Engines that share threads take turns: one lock around each call, none inside it.
      EXPECT_LE(after.locks, before.locks + calls) << policy << ", blocks " << block_positions;
      EXPECT_TRUE(ok);
    }
  }
}

TEST(SessionAllocation, TheHooksCount) {
  const Counts before;
  std::mutex mutex;
  {
    const std::lock_guard lock(mutex);
  }
  const std::vector<int> allocated(100);
  CountLookup();
  EXPECT_GT(AllocationCount(), before.allocations);
#if INFER_COUNTS_LOCKS
  EXPECT_GT(LockCount(), before.locks);
#endif
#ifndef NDEBUG
  EXPECT_GT(lookup_count, before.lookups);
#endif
}

TEST(SessionAllocation, RecordedCallsAllocateOnlyAtTheFirstOfEachSize) {
  test::LoadedModel model("random_untied.gguf");
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
