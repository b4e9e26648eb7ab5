// SPDX-License-Identifier: Apache-2.0
#include "runtime/precise_sleep.h"

#include <gtest/gtest.h>

#include <thread>

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace infer {
namespace {

#ifdef __linux__
TEST(PreciseSleep, IsOfTheCallingThreadAlone) {
  const int before = prctl(PR_GET_TIMERSLACK);
  if (before <= 1000) GTEST_SKIP() << "all sleeps are precise here";
  std::thread([] {
    SleepPrecisely();
    EXPECT_LE(prctl(PR_GET_TIMERSLACK), 1000);
  }).join();
  EXPECT_EQ(prctl(PR_GET_TIMERSLACK), before);
}
#endif

}  // namespace
}  // namespace infer
