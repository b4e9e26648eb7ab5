// SPDX-License-Identifier: Apache-2.0
#include "tools/run/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace infer {
namespace {

TEST(StatsText, SaysInJsonWhichThreadsRanAndWhatTheyWaited) {
  ThreadChoice threads;
  threads.team.threads = 2;
  threads.derivation = "2 = min(affinity 2)";
  const uint64_t waits[] = {15, 7};
  const std::string text = StatsText(Metrics(), PackedWeights(), threads, waits, StatsForm::kJson);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["threads"], 2);
  EXPECT_EQ(json["threads_from"], "2 = min(affinity 2)");
  EXPECT_EQ(json["threads_by"], "team");
  EXPECT_EQ(json["thread_wait_ns"], nlohmann::json({15, 7}));
}

TEST(StatsText, IsEmptyIfNotWanted) {
  EXPECT_EQ(StatsText(Metrics(), PackedWeights(), ThreadChoice(), {}, StatsForm::kNone), "");
}

}  // namespace
}  // namespace infer
