// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/request_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/serve/api/fake_runner.h"

namespace infer::serve {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(RequestGroup, TellsTheRunnerOfAllItsRequests) {
  FakeRunner runner;
  RequestGroup group(&runner);
  group.Add(1);
  group.Add(2);
  EXPECT_THAT(runner.paused, IsEmpty());
  group.SetPaused(true);
  group.SetPaused(false);
  EXPECT_THAT(runner.paused,
              ElementsAre(Pair(1, true), Pair(2, true), Pair(1, false), Pair(2, false)));
  group.CancelAll();
  EXPECT_THAT(runner.cancelled, ElementsAre(1, 2));
}

TEST(RequestGroup, LateRequestsAreTreatedAlike) {
  FakeRunner runner;
  RequestGroup group(&runner);
  group.SetPaused(true);
  group.Add(1);
  group.CancelAll();
  group.Add(2);
  EXPECT_THAT(runner.paused, ElementsAre(Pair(1, true), Pair(2, true)));
  EXPECT_THAT(runner.cancelled, ElementsAre(1, 2));
}

}  // namespace
}  // namespace infer::serve
