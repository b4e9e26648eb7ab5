// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/kernel_timer.h"

#include <gtest/gtest.h>

#include "ir/base/strings.h"
#include "tools/flags/thread_flags.h"

namespace infer {
namespace {

// Whether times are right no test can say; that every op can be fed, and with which kernels, it
// can.
TEST(KernelTimer, TimesEveryOpAloneAndBetweenProducts) {
  ThreadRequest flags;
  flags.count = 2;
  absl::StatusOr<std::unique_ptr<KernelRegistry>> registry =
      MakeKernelRegistry(ChooseThreads(flags, ReadThreadLimits()));
  ASSERT_TRUE(registry.ok()) << registry.status();
  std::vector<std::string> timed;
  KernelTimer timer(**registry,
                    {.check = [] { return absl::OkStatus(); },
                     .on_kernel = [&](const std::string& note) { timed.push_back(note); }});
  for (const char* op : {"rms_norm", "add", "attention_inputs", "swiglu", "rope"}) {
    for (Target target : {Target::kSimd, Target::kParallel}) {
      TimedKernel kernel{.op = op,
                         .shape = {.rows = 1,
                                   .columns = 64,
                                   .heads = 2,
                                   .kv_heads = 1,
                                   .head_dim = 64,
                                   .type = DType::kF16},
                         .target = target,
                         .copies = 2,
                         .steps = 2};
      absl::StatusOr<std::optional<KernelTime>> alone = timer.Time(kernel);
      ASSERT_TRUE(alone.ok()) << alone.status();
      if (!*alone) GTEST_SKIP() << "no simd on this machine";
      kernel.fed = true;
      kernel.writers_on = Target::kParallel;
      absl::StatusOr<std::optional<KernelTime>> among = timer.Time(kernel);
      ASSERT_TRUE(among.ok() && *among) << among.status();
      EXPECT_GT((*among)->ns, 0);
      EXPECT_EQ((*among)->flops, (*alone)->flops);
      EXPECT_EQ((*among)->spread_ns, 0) << "there was one round";
    }
  }
  EXPECT_EQ(timed.size(), 20u) << "each of them is timed once a round";
}

}  // namespace
}  // namespace infer
