// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/call_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "runtime/step_events.h"
#include "tests/model/loaded_model.h"
#include "tests/support/hang_limit.h"

namespace infer {
namespace {

TEST(MeasureCallNs, IsAPartOfTheCall) {
  const test::LoadedModel model("");
  const int threads = model.registry().backend(Device::kCpu)->threads();
  const std::unique_ptr<Session> loaded =
      model.NewSession({.policy = "scalar", .context = 16, .chunk = 1});
  Session& session = *loaded;
  // Once more if the machine made most calls wait outside their steps.
  EXPECT_TRUE(WaitUntil([&] {
    const absl::StatusOr<double> call_ns = MeasureCallNs(session, threads, nullptr);
    EXPECT_TRUE(call_ns.ok()) << call_ns.status();
    EXPECT_GT(call_ns.value_or(0), 0);
    int64_t least_ns = INT64_MAX;
    for (int i = 0; i < 5; ++i) {
      session.Clear();
      const int64_t start_ns = StepClockNs();
      EXPECT_TRUE(session.Decode(1).ok());
      least_ns = std::min(least_ns, StepClockNs() - start_ns);
    }
    return call_ns.value_or(0) < static_cast<double>(least_ns) / 2;
  })) << "the steps of a scalar call take nearly all of it";

  const std::atomic<bool> stop = true;
  EXPECT_TRUE(absl::IsCancelled(MeasureCallNs(session, threads, &stop).status()));
}

}  // namespace
}  // namespace infer
