// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/family/model_family.h"
#include "runtime/sampler.h"
#include "tools/cli/flags.h"
#include "tools/flags/model_flags.h"

namespace infer {

enum class ThinkMode { kAuto, kOn, kOff };
enum class EmitForm { kText, kIds };
enum class StatsForm { kText, kJson, kNone };
enum class ReportForm { kText, kJson };
enum class KvLayout { kContiguous, kPaged };

// The command line of infer-run.
struct RunOptions {
  ModelFlags model;
  std::string graph;  // a stored Program
  std::optional<std::string> prompt;
  std::string prompt_file;
  std::vector<int32_t> ids;
  bool chat = false;
  std::string system;
  ThinkMode think = ThinkMode::kAuto;
  bool echo = false;

  int64_t max_tokens = 256;
  bool ignore_eos = false;
  std::vector<std::string> stop;
  // Not given: what the model's makers recommend for the mode.
  std::optional<double> temperature;
  std::optional<int32_t> top_k;
  std::optional<double> top_p;
  std::optional<double> min_p;
  double repeat_penalty = 1.0;
  double presence_penalty = 0.0;
  int32_t repeat_last_n = SamplerOptions().repeat_last_n;
  std::optional<uint64_t> seed;

  KvLayout kv = KvLayout::kContiguous;
  bool verify_weights = false;

  EmitForm emit = EmitForm::kText;
  StatsForm stats = StatsForm::kText;
  bool stats_given = false;  // figures that were asked for are shown with -q too

  std::string profile;  // the file that gets it
  bool dump_profile = false;
  std::string trace;           // the file that gets it
  std::string verify_against;  // POLICY[:TOL]; empty: generate text
  ReportForm format = ReportForm::kText;
};

void RegisterFlags(Flags& flags, RunOptions* options);

// What no single flag can know: combinations that contradict each other, and values that the
// sampler, the stop strings or the list of passes refuse. Usage errors, before anything is loaded.
absl::Status CompleteOptions(const Flags& flags, RunOptions* options);

// Sampling parameters with the family's recommendation filled in where nothing was given; without
// --seed a new one at each call.
SamplerOptions SamplerFor(const RunOptions& options, const ModelFamily& family);

}  // namespace infer
