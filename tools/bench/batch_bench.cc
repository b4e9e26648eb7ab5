// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/batch_bench.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/device_lines.h"
#include "tools/bench/csv_line.h"
#include "tools/bench/number_list.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/progress.h"
#include "tools/flags/console_load.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kMaxBatch = 256;

// The median of the repetitions with a number of sequences.
struct BatchRecord {
  int64_t sequences = 0;
  int64_t depth = 0;
  double call_seconds = 0;
  double times_first = 0;  // tokens/s, as a multiple of those of the first row

  double tokens_per_s() const { return static_cast<double>(sequences) / call_seconds; }
  Json ToJson() const {
    return {{"schema_version", 1},
            {"sequences", sequences},
            {"n_depth", depth},
            {"call_ms", call_seconds * 1e3},
            {"tokens_per_s", tokens_per_s()},
            {"times_first", times_first}};
  }
};

std::string RowText(const BatchRecord& record, BenchFormat format, bool first) {
  const Json json = record.ToJson();
  if (format == BenchFormat::kJsonl) return JsonText(json) + "\n";
  if (format == BenchFormat::kJson) return StrCat(first ? "[\n" : ",\n", JsonText(json, 2));
  if (format == BenchFormat::kCsv) {
    return StrCat(first ? CsvLine(json, /*names=*/true) : "", CsvLine(json, /*names=*/false));
  }
  return StrCat(
      first ? "| sequences | depth | ms a call | tokens/s | times the first row |\n"
              "| ---: | ---: | ---: | ---: | ---: |\n"
            : "",
      absl::StrFormat("| %d | %d | %.2f | %.1f | %.2f |\n", record.sequences, record.depth,
                      record.call_seconds * 1e3, record.tokens_per_s(), record.times_first));
}

class BatchBench {
 public:
  BatchBench(const BatchOptions& options, ToolContext& context)
      : options_(options), context_(context) {}

  absl::Status Load() {
    ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options_.model.model));
    model_ = std::make_unique<ModelFile>(std::move(model));
    ASSIGN_OR_RETURN(registry_,
                     MakeKernelRegistry(ChooseThreads(options_.model.threads, ReadThreadLimits())));
    const int64_t most = std::ranges::max(options_.sequences);
    const int64_t length = options_.depth + options_.generated;
    CompileModelOptions compile = options_.model.compile;
    compile.context = length;
    compile.sequences = most;
    compile.logit_rows = most;
    compile.candidates = 0;  // all logits are copied
    ASSIGN_OR_RETURN(Program program, CompileWithConsole(*model_, *registry_, compile, &context_));
    RETURN_IF_ERROR(CheckMeasurable(program, *registry_));
    ASSIGN_OR_RETURN(
        engine_, LoadEngineWithConsole(std::move(program), *model_, *registry_,
                                       {.context = length, .sequences = static_cast<int32_t>(most)},
                                       options_.model.pack_cache, &context_));
    for (int64_t i = 0; i < most; ++i) {
      ASSIGN_OR_RETURN(sequences_.emplace_back(), engine_->NewSequence());
      RETURN_IF_ERROR(Fill(sequences_.back()));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<double> CallSeconds(int64_t sequences, int64_t repetitions) {
    std::vector<double> seconds;
    RETURN_IF_ERROR(Decode(sequences).status());  // meets cold code and pages
    for (int64_t i = 0; i < repetitions; ++i) {
      ASSIGN_OR_RETURN(seconds.emplace_back(), Decode(sequences));
    }
    std::ranges::sort(seconds);
    return seconds[seconds.size() / 2];
  }

 private:
  int32_t RandomToken() { return static_cast<int32_t>(random_() % engine_->vocabulary()); }

  // The tokens before the clock starts.
  absl::Status Fill(SequenceId sequence) {
    for (int64_t done = 0; done < options_.depth;) {
      std::vector<int32_t> tokens(std::min(options_.depth - done, engine_->max_step_tokens()));
      for (int32_t& token : tokens) token = RandomToken();
      const StepRequest request = {sequence, tokens, 0};
      RETURN_IF_ERROR(engine_->Step({&request, 1}, {.stop = &context_.interrupt().stop_flag()}));
      done += std::ssize(tokens);
    }
    return absl::OkStatus();
  }

  // Returns the mean time of a call.
  absl::StatusOr<double> Decode(int64_t sequences) {
    std::vector<int32_t> tokens(static_cast<size_t>(sequences));
    std::vector<StepRequest> requests;
    for (size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = RandomToken();
      requests.push_back({sequences_[i], {&tokens[i], 1}, 1});
    }
    const Clock::time_point start = Clock::now();
    for (int64_t i = 0; i < options_.generated; ++i) {
      RETURN_IF_ERROR(engine_->Step(requests, {.stop = &context_.interrupt().stop_flag()}));
    }
    const std::chrono::duration<double> took = Clock::now() - start;
    for (const StepRequest& request : requests) engine_->Rewind(request.sequence, options_.depth);
    return took.count() / static_cast<double>(options_.generated);
  }

  const BatchOptions& options_;
  ToolContext& context_;
  std::unique_ptr<KernelRegistry> registry_;
  std::unique_ptr<ModelFile> model_;
  std::unique_ptr<Engine> engine_;
  std::vector<SequenceId> sequences_;
  std::mt19937 random_{1};
};

}  // namespace

void RegisterBatchFlags(Flags& flags, BatchOptions* options) {
  RegisterModelFlags(flags, &options->model);
  RegisterPolicy(flags, &options->model);
  RegisterPackCache(flags, &options->model);
  RegisterThreads(flags, &options->model.threads);
  flags.Section("Batches");
  flags.TextList("--sequences", &options->sequence_texts, "N,N",
                 "sequences that share each call, one token and its logits each");
  flags.Int("-n,--n-gen", &options->generated, "N", "tokens of each sequence that are timed")
      .Min(1);
  flags.Int("-d,--n-depth", &options->depth, "N", "tokens of each before the clock starts").Min(0);
}

absl::Status CompleteBatch(BatchOptions* options) {
  RETURN_IF_ERROR(CompleteModelFlags(&options->model));
  ASSIGN_OR_RETURN(options->sequences, ParseNumberList("--sequences", options->sequence_texts, 1));
  for (int64_t count : options->sequences) {
    if (count <= kMaxBatch) continue;
    return UsageError(StrCat("--sequences ", count, ": at most ", kMaxBatch));
  }
  return absl::OkStatus();
}

absl::Status BatchMain(const BatchOptions& options, BenchFormat format, int64_t repetitions,
                       ToolContext& context) {
  BatchBench bench(options, context);
  RETURN_IF_ERROR(bench.Load());
  auto progress =
      std::make_unique<Progress>(&context.console(), "batch", options.sequences.size(), "rows");
  double first_tokens_per_s = 0;
  for (size_t i = 0; i < options.sequences.size(); ++i) {
    BatchRecord record = {.sequences = options.sequences[i], .depth = options.depth};
    ASSIGN_OR_RETURN(record.call_seconds, bench.CallSeconds(record.sequences, repetitions));
    if (i == 0) first_tokens_per_s = record.tokens_per_s();
    record.times_first = record.tokens_per_s() / first_tokens_per_s;
    RETURN_IF_ERROR(context.out().Stream(RowText(record, format, i == 0)));
    progress->Update(i + 1);
  }
  progress.reset();
  return format == BenchFormat::kJson ? context.out().Stream("\n]\n") : absl::OkStatus();
}

}  // namespace infer
