// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/metal_emulation/tests/metal_harness.h"

namespace infer::emulation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kResidencyShader[] = "tests/metal_emulation/bugs/run/host.metal";

TEST(Residency, AQueueTakes32Sets) {
  MetalHarness metal;  // whose queue has one
  std::vector<Ref<MTL::ResidencySet>> sets;
  for (int i = 0; i < 31; ++i) {
    sets.push_back(metal.NewResidencySet());
    metal.queue()->addResidencySet(sets.back().get());
    metal.queue()->addResidencySet(sets.back().get());  // twice is once
  }
  EXPECT_THAT(TakeProblems(), IsEmpty());
  sets.push_back(metal.NewResidencySet());
  metal.queue()->addResidencySet(sets.back().get());
  EXPECT_THAT(TakeProblems(), ElementsAre("addResidencySet: a queue takes at most 32 sets"));
}

TEST(Residency, ASetMustNotDieWhileItIsRequested) {
  MetalHarness metal;
  for (const bool ends : {true, false}) {
    Ref<MTL::ResidencySet> set = metal.NewResidencySet();
    set->requestResidency();
    set->requestResidency();
    if (ends) set->endResidency();
    set.reset();
    if (ends) {
      EXPECT_THAT(TakeProblems(), IsEmpty());
    } else {
      EXPECT_THAT(TakeProblems(), ElementsAre(HasSubstr("without endResidency")));
    }
  }
}

TEST(Residency, RequestsAreCounted) {
  MetalHarness metal;
  for (const bool requests : {true, false}) {
    const Counters before = counters();
    Ref<MTL::ResidencySet> set = metal.NewResidencySet();
    metal.queue()->addResidencySet(set.get());
    if (requests) set->requestResidency();
    set->endResidency();
    metal.queue()->removeResidencySet(set.get());
    set.reset();
    EXPECT_EQ(counters().residency_requests - before.residency_requests, requests ? 1u : 0u);
    EXPECT_EQ(counters().sets_never_requested - before.sets_never_requested, requests ? 0u : 1u);
  }
}

TEST(Residency, OlderSystemsHaveNoSetsAndAskForNone) {
  Settings settings;
  settings.has_residency_sets = false;
  const ScopedSettings scoped(settings);
  MetalHarness metal;
  std::string error;
  EXPECT_FALSE(metal.NewResidencySet(&error));
  EXPECT_EQ(error, "residency sets need macOS 15");
  const auto in = metal.BufferOf(std::vector<float>{3});
  const auto out = metal.Buffer(4);
  EXPECT_EQ(metal.Run(metal.Pipeline(kResidencyShader, "copy").get(),
                      {{0, out.get()}, {1, in.get()}}, MTL::Size(1, 1, 1), MTL::Size(1, 1, 1)),
            "");
  EXPECT_EQ(Contents<float>(out)[0], 3.0f);
}

}  // namespace
}  // namespace infer::emulation
