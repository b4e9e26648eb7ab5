// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/call_cost.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>

#include "tests/model/loaded_model.h"

namespace infer {
namespace {

TEST(MeasureCallNs, IsAPartOfTheCall) {
  const testing::LoadedModel model("");
  const int threads = model.registry().backend(Device::kCpu)->threads();
  const std::unique_ptr<Session> loaded =
      model.NewSession({.policy = "scalar", .context = 16, .chunk = 1});
  Session& session = *loaded;
  const absl::StatusOr<double> call_ns = MeasureCallNs(session, threads, nullptr);
  ASSERT_TRUE(call_ns.ok()) << call_ns.status();
  EXPECT_GT(*call_ns, 0);

  session.Clear();
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(session.Decode(1).ok());
  const std::chrono::duration<double, std::nano> whole = std::chrono::steady_clock::now() - start;
  EXPECT_LT(*call_ns, whole.count() / 2) << "the steps of a scalar call take nearly all of it";

  const std::atomic<bool> stop = true;
  EXPECT_TRUE(absl::IsCancelled(MeasureCallNs(session, threads, &stop).status()));
}

}  // namespace
}  // namespace infer
