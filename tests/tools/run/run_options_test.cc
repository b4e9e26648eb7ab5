// SPDX-License-Identifier: Apache-2.0
#include "tools/run/run_options.h"

#include <gtest/gtest.h>

#include "frontends/qwen3/family.h"

namespace infer {
namespace {

TEST(SamplerFor, TakesTheModelsRecommendationForTheMode) {
  RunOptions options;
  options.seed = 1;
  EXPECT_EQ(SamplerFor(options, kQwen3Family).temperature, 0.6);
  EXPECT_EQ(SamplerFor(options, kQwen3Family).top_p, 0.95);
  options.chat = true;
  EXPECT_EQ(SamplerFor(options, kQwen3Family).temperature, 0.6);
  options.think = ThinkMode::kOff;
  EXPECT_EQ(SamplerFor(options, kQwen3Family).temperature, 0.7);
  EXPECT_EQ(SamplerFor(options, kQwen3Family).top_p, 0.8);
  EXPECT_EQ(SamplerFor(options, kQwen3Family).top_k, 20);
}

TEST(SamplerFor, WhatWasGivenWins) {
  RunOptions options;
  options.chat = true;
  options.think = ThinkMode::kOff;
  options.temperature = 0;
  options.top_k = 3;
  options.top_p = 0.5;
  options.min_p = 0.1;
  options.repeat_penalty = 1.2;
  options.presence_penalty = 0.3;
  options.repeat_last_n = 9;
  options.seed = 5;
  SamplerOptions sampler = SamplerFor(options, kQwen3Family);
  EXPECT_EQ(sampler.temperature, 0);
  EXPECT_EQ(sampler.top_k, 3);
  EXPECT_EQ(sampler.top_p, 0.5);
  EXPECT_EQ(sampler.min_p, 0.1);
  EXPECT_EQ(sampler.repeat_penalty, 1.2);
  EXPECT_EQ(sampler.presence_penalty, 0.3);
  EXPECT_EQ(sampler.repeat_last_n, 9);
  EXPECT_EQ(sampler.seed, 5u);
}

}  // namespace
}  // namespace infer
