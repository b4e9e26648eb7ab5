// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
enum class Speculation { kOff, kNgram, kDraft };

// Of --verify-invariance: the prompt's and those beside it.
inline constexpr int32_t kInvarianceSequences = 4;
// Of a prompt, and of a message of a chat.
inline constexpr uint64_t kMaxPromptBytes = uint64_t{64} << 20;

// The command line of infer-run.
struct RunOptions {
  ModelFlags model;
  std::string graph;  // a stored Program
  std::optional<std::string> prompt;
  std::string prompt_file;
  bool keep_newline = false;  // of stdin or the file, at its end
  std::vector<int32_t> ids;
  bool chat = false;
  std::string system;
  std::string chat_template;  // file, instead of the model's own
  std::string tools;          // file
  std::string tool_choice;    // auto, none, required or the name of a tool
  bool bind_tools = true;     // arguments of calls keep to the schemas of the tools
  ThinkMode think = ThinkMode::kAuto;
  int64_t think_budget = -1;  // tokens of a thought; -1: no bound
  bool echo = false;
  bool plain = false;   // no line editing, no escape sequences
  bool history = true;  // keep what is entered for later runs

  int64_t max_tokens = 256;  // -1: until the end
  bool ignore_eos = false;
  std::string json_schema;  // file
  std::string grammar;      // file
  bool json = false;
  std::vector<std::string> stop;
  // If not given, what the model's authors recommend for the mode.
  std::optional<double> temperature;
  std::optional<int32_t> top_k;
  std::optional<double> top_p;
  std::optional<double> min_p;
  double repeat_penalty = 1.0;
  double presence_penalty = 0.0;
  int32_t repeat_last_n = SamplerOptions().repeat_last_n;
  std::string seed_text;
  std::optional<uint64_t> seed;  // from seed_text

  Speculation spec = Speculation::kOff;
  std::string draft_model;  // file
  KvLayout kv = KvLayout::kContiguous;
  bool verify_weights = false;

  EmitForm emit = EmitForm::kText;
  StatsForm stats = StatsForm::kText;
  bool stats_given = false;  // requested statistics are shown with -q too

  std::string profile;  // output file
  bool dump_profile = false;
  std::string trace;           // output file
  std::string verify_against;  // POLICY[:TOL]; empty means generate text
  bool verify_invariance = false;
  ReportForm format = ReportForm::kText;
};

void RegisterFlags(Flags& flags, RunOptions* options);

// Checks what no single flag can: contradictory combinations, and values that the sampler, the stop
// strings or the list of passes refuse. Returns usage errors before anything is loaded.
absl::Status CompleteOptions(const Flags& flags, RunOptions* options);

// Returns the seed that the text stands for; nullopt for -1, a random one.
absl::StatusOr<std::optional<uint64_t>> ParseSeed(std::string_view text);

// Returns sampling parameters, with the family's recommendation where nothing was given; without
// a seed each call draws a new one.
SamplerOptions SamplerFor(const RunOptions& options, const ModelFamily& family);

}  // namespace infer
