// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/bench_options.h"

#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/bench/number_list.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/flag_text.h"

namespace infer {
namespace {

void RegisterGridFlags(Flags& flags, BenchOptions* options) {
  flags.Section("Grid: lists and ranges multiply");
  flags.TextList("-p,--n-prompt", &options->prompt_texts, "N,N",
                 "prompts of this many tokens, run in chunks; 0 skips them");
  flags.TextList("-n,--n-gen", &options->generate_texts, "N,N",
                 "this many tokens one at a time; 0 skips them");
  flags.TextList("-pg,--prompt-gen", &options->pair_texts, "N,N",
                 "a prompt and then a generation, timed together");
  flags.TextList("-d,--n-depth", &options->depth_texts, "N,N",
                 "tokens in the cache before the clock starts");
  flags.TextList("-ub,--ubatch-size", &options->chunk_texts, "N,N",
                 "largest number of tokens in one call");
  flags.TextList("-t,--threads", &options->thread_texts, "N,N",
                 "threads that run what is placed on parallel; 0 chooses as infer-run does");
  flags.TextList("--policy", &options->policy_texts, "NAME,NAME", "placement policies or files");
}

void RegisterModelMode(Flags& flags, BenchOptions* options) {
  RegisterModelFlags(flags, &options->model);
  RegisterPackCache(flags, &options->model);
  RegisterGridFlags(flags, options);
  flags.Section("Placement, with each of the policies");
  RegisterOverrides(flags, &options->model);
  flags.Section("Measuring");
  RegisterThreadKind(flags, &options->model.threads);
  flags.Bool("--warmup", &options->warmup, "an untimed run before each test");
  flags.Int("-s,--seed", &options->seed, "N", "seed of the random token ids");
  flags.Text("--compare", &options->compare, "FILE",
             "JSON of an earlier run; exit code 6 if a test became slower");
  flags.Text("--threshold", &options->threshold_text, "X%", "slowdown that --compare tolerates");
}

// Parses one pair such as "512,128".
absl::StatusOr<BenchTest> ParsePair(const std::string& text) {
  ASSIGN_OR_RETURN(std::vector<int64_t> numbers, ParseNumberList("-pg", {text}, 1));
  if (numbers.size() != 2) {
    return UsageError(StrCat("-pg '", text, "' holds ", numbers.size(),
                             " numbers; expected two, such as 512,128"));
  }
  return BenchTest{.prompt = numbers[0], .generated = numbers[1]};
}

absl::Status MakeTests(BenchOptions* options) {
  ASSIGN_OR_RETURN(std::vector<int64_t> prompts, ParseNumberList("-p", options->prompt_texts, 0));
  ASSIGN_OR_RETURN(std::vector<int64_t> generated,
                   ParseNumberList("-n", options->generate_texts, 0));
  ASSIGN_OR_RETURN(std::vector<int64_t> depths, ParseNumberList("-d", options->depth_texts, 0));
  std::vector<BenchTest> tests;
  for (int64_t count : prompts) tests.push_back({.prompt = count});
  for (int64_t count : generated) tests.push_back({.generated = count});
  for (const std::string& text : options->pair_texts) {
    ASSIGN_OR_RETURN(BenchTest pair, ParsePair(text));
    tests.push_back(pair);
  }
  for (int64_t depth : depths) {
    for (BenchTest test : tests) {
      test.depth = depth;
      if (test.tokens() > 0) options->tests.push_back(test);
    }
  }
  if (options->tests.empty()) return UsageError("nothing to measure: give -p, -n or -pg tokens");
  return absl::OkStatus();
}

absl::Status CompleteModel(BenchOptions* options) {
  RETURN_IF_ERROR(CompleteModelFlags(&options->model));
  RETURN_IF_ERROR(MakeTests(options));
  ASSIGN_OR_RETURN(options->chunks, ParseNumberList("-ub", options->chunk_texts, 1));
  ASSIGN_OR_RETURN(options->threads, ParseNumberList("-t", options->thread_texts, 0));
  for (int64_t& count : options->threads) {
    if (count == 0) count = ReadThreadLimits().Count();
    if (count <= ThreadTeam::kMaxThreads) continue;
    return UsageError(
        StrCat("-t ", count, ": a team has at most ", ThreadTeam::kMaxThreads, " threads"));
  }
  for (const std::string& text : options->policy_texts) {
    for (std::string& name : SplitWords(text, ',')) options->policies.push_back(std::move(name));
  }
  std::string_view percent = options->threshold_text;
  if (percent.ends_with('%')) percent.remove_suffix(1);
  absl::StatusOr<double> number = ParseFloat(percent);
  if (!number.ok() || *number < 0 || *number >= 100) {
    return UsageError(StrCat("--threshold '", options->threshold_text,
                             "' is not a percentage from 0 to below 100, such as 5%"));
  }
  options->threshold = *number / 100;
  return absl::OkStatus();
}

}  // namespace

void RegisterFlags(Flags& flags, BenchOptions* options) {
  flags.Section("Output");
  flags.Enum("-o,--output", &options->format,
             {{"md", BenchFormat::kMd},
              {"csv", BenchFormat::kCsv},
              {"json", BenchFormat::kJson},
              {"jsonl", BenchFormat::kJsonl}},
             "format of the result");
  flags.Int("-r,--repetitions", &options->repetitions, "N", "runs of each test").Range(1, 10000);
  flags.Bool("--peaks", &options->peaks,
             "measure the peaks of this machine first; takes one to three seconds");
  RegisterModelMode(flags.Mode("model", "Measure a model, as llama-bench does (the default)."),
                    options);
  RegisterOpFlags(flags.Mode("op", "Measure single kernels."), &options->op);
  RegisterEstimateFlags(flags.Mode("estimate", "Compare estimated and measured times of calls."),
                        &options->estimate);
  RegisterRaceFlags(flags.Mode("policies", "Compare policies, run in turn."), &options->race);
  RegisterSpecFlags(flags.Mode("spec", "Measure what drafts gain on a text."), &options->spec);
  RegisterBatchFlags(flags.Mode("batch", "Measure sequences that decode together."),
                     &options->batch);
  flags.Mode("peaks",
             "Measure read bandwidth of 1 to all threads, and the instructions of one core.");
  flags.SetDefaultMode("model");
  flags.Note(
      "infer-bench --calibrate measures this machine for estimates and for a policy of its own; "
      "see "
      "infer-bench --calibrate --help.");
  flags.Note(
      "-p and -n are counts here, as in llama-bench, not texts. Token ids are random, but for "
      "spec; "
      "tokenizing and sampling are not part of the time.");
  flags.Example("infer-bench -m model.gguf -p 512 -n 128 -d 0,4096", "Prompt and generation.");
  flags.Example("infer-bench -m model.gguf -p 1-64*2 -n 0 -o csv", "Small batches.");
  flags.Example("infer-bench -m model.gguf -o json > base.json", "Keep a baseline.");
  flags.Example("infer-bench -m model.gguf --compare base.json --threshold 5%", "Compare.");
  flags.Example("infer-bench --policy simd,auto --place 'op=attention=simd'", "Move a node.");
  flags.Example("infer-bench op --op linear --m 1,512 --n 3072 --k 1024 --type q8_0",
                "One kernel.");
  flags.Example("infer-bench spec -m model.gguf --text story.txt --sequences 1,2,4",
                "Drafts from the text itself.");
  flags.Example("infer-bench batch -m model.gguf --sequences 1,2,4,8", "Users of one model.");
}

absl::Status Complete(const Flags& flags, BenchOptions* options) {
  if (flags.mode() == "op") return CompleteOp(&options->op);
  if (flags.mode() == "estimate") return CompleteEstimate(&options->estimate);
  if (flags.mode() == "policies") return CompleteRace(&options->race);
  if (flags.mode() == "spec") return CompleteSpec(&options->spec);
  if (flags.mode() == "batch") return CompleteBatch(&options->batch);
  if (flags.mode() == "model") return CompleteModel(options);
  return absl::OkStatus();
}

}  // namespace infer
