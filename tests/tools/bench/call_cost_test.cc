// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/call_cost.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "tools/api/compile_model.h"
#include "tools/api/thread_choice.h"
#include "tools/bench/race_bench.h"
#include "tools/cli/console.h"

namespace infer {
namespace {

TEST(MeasureCallNs, IsAPartOfTheCall) {
  absl::StatusOr<ModelFile> model = ModelFile::Open("");
  ASSERT_TRUE(model.ok()) << model.status();
  absl::StatusOr<std::unique_ptr<KernelRegistry>> registry =
      MakeKernelRegistry(ChooseThreads({.count = 1}, ReadThreadLimits()));
  ASSERT_TRUE(registry.ok()) << registry.status();
  Console console(2);
  absl::StatusOr<std::vector<Racer>> racers =
      MakeRacers(*model, **registry, CompileModelOptions(), {"scalar"}, /*most_tokens=*/1,
                 /*pack_cache=*/false, &console);
  ASSERT_TRUE(racers.ok()) << racers.status();
  Session& session = *(*racers)[0].session;
  const absl::StatusOr<double> call_ns = MeasureCallNs(session, 1, nullptr);
  ASSERT_TRUE(call_ns.ok()) << call_ns.status();
  EXPECT_GT(*call_ns, 0);

  session.Clear();
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(session.Decode(1).ok());
  const std::chrono::duration<double, std::nano> whole = std::chrono::steady_clock::now() - start;
  EXPECT_LT(*call_ns, whole.count() / 2) << "the steps of a scalar call take nearly all of it";

  const std::atomic<bool> stop = true;
  EXPECT_TRUE(absl::IsCancelled(MeasureCallNs(session, 1, &stop).status()));
}

}  // namespace
}  // namespace infer
