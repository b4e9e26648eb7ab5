// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/bench/batch_bench.h"
#include "tools/bench/bench_format.h"
#include "tools/bench/estimate_bench.h"
#include "tools/bench/op_options.h"
#include "tools/bench/race_bench.h"
#include "tools/bench/spec_bench.h"
#include "tools/cli/flags.h"
#include "tools/flags/model_flags.h"

namespace infer {

// One measurement: `prompt` tokens in chunks, then `generated` tokens one at a time, after `depth`
// tokens that are already in the cache.
struct BenchTest {
  int64_t prompt = 0;
  int64_t generated = 0;
  int64_t depth = 0;
  int64_t tokens() const { return prompt + generated; }
};

// The command line of infer-bench, all modes. Lists are texts until Complete parses them.
struct BenchOptions {
  BenchFormat format = BenchFormat::kMd;
  int64_t repetitions = 5;
  bool peaks = true;

  ModelFlags model;  // its policy and sizes are ignored: they come from the grid
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
  SpecOptions spec;
  BatchOptions batch;

  // Filled in by Complete.
  std::vector<BenchTest> tests;
  std::vector<int64_t> chunks;
  std::vector<int64_t> threads;  // with 0 replaced by the number it stands for
  std::vector<std::string> policies;
  double threshold = 0;  // a fraction of the base
};

void RegisterFlags(Flags& flags, BenchOptions* options);

// Parses the lists of the chosen mode and builds the grid. Returns usage errors before anything is
// loaded.
absl::Status Complete(const Flags& flags, BenchOptions* options);

}  // namespace infer
