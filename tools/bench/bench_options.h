// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/bench/estimate_bench.h"
#include "tools/bench/op_options.h"
#include "tools/bench/race_bench.h"
#include "tools/cli/flags.h"
#include "tools/flags/model_flags.h"

namespace infer {

enum class BenchFormat { kMd, kCsv, kJson, kJsonl };

// What is measured: `prompt` tokens in chunks, then `generated` tokens one at a time, behind
// `depth` tokens that are in the cache already.
struct BenchTest {
  int64_t prompt = 0;
  int64_t generated = 0;
  int64_t depth = 0;
  int64_t tokens() const { return prompt + generated; }
};

// The command line of infer-bench, all modes. Lists are texts until Complete has read them.
struct BenchOptions {
  BenchFormat format = BenchFormat::kMd;
  int64_t repetitions = 5;
  bool peaks = true;

  ModelFlags model;  // of what it compiles, the policy and sizes come from the grid
  std::vector<std::string> prompt_texts = {"512"};
  std::vector<std::string> generate_texts = {"128"};
  std::vector<std::string> pair_texts;
  std::vector<std::string> depth_texts = {"0"};
  std::vector<std::string> chunk_texts = {std::to_string(kDefaultChunk)};
  std::vector<std::string> thread_texts = {"0"};
  std::vector<std::string> policy_texts = {DefaultPolicy()};
  bool warmup = true;
  uint64_t seed = 1;
  std::string compare;
  std::string threshold_text = "5%";

  OpOptions op;
  EstimateOptions estimate;
  RaceFlags race;

  // Made by Complete.
  std::vector<BenchTest> tests;
  std::vector<int64_t> chunks;
  std::vector<int64_t> threads;  // 0 made the number that it stands for
  std::vector<std::string> policies;
  double threshold = 0;  // a share of the base
};

void RegisterFlags(Flags& flags, BenchOptions* options);

// Reads the lists of the chosen mode and makes the grid. Usage errors, before anything is loaded.
absl::Status Complete(const Flags& flags, BenchOptions* options);

}  // namespace infer
