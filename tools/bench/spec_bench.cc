// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/spec_bench.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/model_drafter.h"
#include "runtime/ngram_drafter.h"
#include "tools/api/device_lines.h"
#include "tools/api/draft_model.h"
#include "tools/api/drafting.h"
#include "tools/api/input.h"
#include "tools/bench/csv_line.h"
#include "tools/bench/number_list.h"
#include "tools/bench/replay.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/progress.h"
#include "tools/flags/console_load.h"
#include "tools/report/machine_text.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kMaxTextBytes = uint64_t{64} << 20;
constexpr int64_t kMaxDraftedSequences = 64;

// What drafts gained for a number of sequences.
struct SpecRecord {
  int64_t sequences = 0;
  int64_t tokens = 0;
  double plain_seconds = 0;    // of the best run
  double drafted_seconds = 0;  // likewise
  ReplayResult replay;         // of the last run with drafts

  Json ToJson() const {
    const auto count = static_cast<double>(tokens);
    return {{"schema_version", 1},
            {"sequences", sequences},
            {"tokens", tokens},
            {"calls", replay.calls},
            {"drafted", replay.drafts.proposed},
            {"accepted", replay.drafts.accepted},
            {"plain_tokens_per_second", count / plain_seconds},
            {"drafted_tokens_per_second", count / drafted_seconds},
            {"gain", plain_seconds / drafted_seconds},
            {"expected_gain", replay.drafts.gain()}};
  }
};

std::string RowText(const SpecRecord& record, BenchFormat format, bool first) {
  const Json json = record.ToJson();
  if (format == BenchFormat::kJsonl) return JsonText(json) + "\n";
  if (format == BenchFormat::kJson) return StrCat(first ? "[\n" : ",\n", JsonText(json, 2));
  if (format == BenchFormat::kCsv) {
    return StrCat(first ? CsvLine(json, /*names=*/true) : "", CsvLine(json, /*names=*/false));
  }
  const DraftCounts& drafts = record.replay.drafts;
  const double share = drafts.proposed == 0 ? 0.0
                                            : 100 * static_cast<double>(drafts.accepted) /
                                                  static_cast<double>(drafts.proposed);
  return StrCat(
      first ? "| sequences | tokens | calls | drafted | accepted | off tokens/s | drafts tokens/s "
              "| gain | expected gain |\n"
              "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
            : "",
      absl::StrFormat("| %d | %d | %d | %d | %d (%.0f %%) | %.2f | %.2f | %.2f | %.2f |\n",
                      record.sequences, record.tokens, record.replay.calls, drafts.proposed,
                      drafts.accepted, share,
                      static_cast<double>(record.tokens) / record.plain_seconds,
                      static_cast<double>(record.tokens) / record.drafted_seconds,
                      record.plain_seconds / record.drafted_seconds, drafts.gain()));
}

class SpecBench {
 public:
  SpecBench(const SpecOptions& options, ToolContext& context)
      : options_(options), context_(context) {}

  absl::Status Open() {
    ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options_.model.model));
    model_ = std::make_unique<ModelFile>(std::move(model));
    const ThreadChoice threads =
        ChooseThreadsWithConsole(options_.model.threads, &context_.console());
    ASSIGN_OR_RETURN(registry_, MakeKernelRegistry(threads));
    ASSIGN_OR_RETURN(const std::string text, ReadInput(options_.text, kMaxTextBytes));
    ASSIGN_OR_RETURN(const Tokenizer tokenizer, model_->ReadTokenizer());
    ASSIGN_OR_RETURN(tokens_, tokenizer.Encode(text));
    if (!options_.draft_model.empty()) {
      ASSIGN_OR_RETURN(draft_model_, OpenDraftModel(options_.draft_model, *model_));
    }
    if (std::ssize(tokens_) >= length()) return absl::OkStatus();
    return absl::InvalidArgumentError(StrCat(options_.text, " has ", tokens_.size(), " tokens; -p ",
                                             options_.prompt, " and -n ", options_.generated,
                                             " need ", length()));
  }

  // Measures with and without drafts in turn.
  absl::StatusOr<SpecRecord> Measure(int64_t sequences, int64_t repetitions) {
    RETURN_IF_ERROR(Load(sequences));
    SpecRecord record;
    record.sequences = sequences;
    record.tokens = sequences * options_.generated;
    for (int64_t i = 0; i < repetitions; ++i) {
      for (const bool drafted : {false, true}) {
        ASSIGN_OR_RETURN(const double seconds, RunOnce(drafted, &record.replay));
        double& best = drafted ? record.drafted_seconds : record.plain_seconds;
        best = i == 0 ? seconds : std::min(best, seconds);
      }
    }
    return record;
  }

 private:
  int64_t length() const { return options_.prompt + options_.generated; }

  absl::StatusOr<std::unique_ptr<Engine>> LoadModel(const ModelFile& file, int64_t context,
                                                    int64_t sequences, int64_t logit_rows) {
    Console* console = &context_.console();
    CompileModelOptions compile = options_.model.compile;
    compile.context = context;
    compile.sequences = sequences;
    compile.logit_rows = logit_rows;
    ASSIGN_OR_RETURN(Program program, CompileWithConsole(file, *registry_, compile, &context_));
    RETURN_IF_ERROR(CheckMeasurable(program, *registry_));
    if (std::string text =
            OtherThreadsWarning(program.machine, registry_->backend(Device::kCpu)->threads());
        !text.empty()) {
      console->Warning(text);
    }
    return LoadEngineWithConsole(std::move(program), file, *registry_,
                                 {.context = context, .sequences = static_cast<int32_t>(sequences)},
                                 options_.model.pack_cache, &context_);
  }

  absl::Status Load(int64_t sequences) {
    draft_sessions_.clear();
    draft_engine_.reset();
    engine_.reset();
    ASSIGN_OR_RETURN(engine_, LoadModel(*model_, length(), sequences, sequences * (1 + kMaxDraft)));
    sequences_.clear();
    for (int64_t i = 0; i < sequences; ++i) {
      ASSIGN_OR_RETURN(sequences_.emplace_back(), engine_->NewSequence());
    }
    if (draft_model_.file == nullptr) return absl::OkStatus();
    // Every sequence needs its own cache in the model that drafts.
    const int64_t context = std::min(length(), draft_model_.context);
    ASSIGN_OR_RETURN(draft_engine_, LoadModel(*draft_model_.file, context, sequences, sequences));
    for (int64_t i = 0; i < sequences; ++i) {
      ASSIGN_OR_RETURN(draft_sessions_.emplace_back(), Session::Create(draft_engine_));
    }
    return absl::OkStatus();
  }

  // The sequences are different parts of the text.
  std::span<const int32_t> PartOf(size_t sequence) const {
    const int64_t rest = std::ssize(tokens_) - length();
    const int64_t parts = std::max<int64_t>(std::ssize(sequences_) - 1, 1);
    return std::span(tokens_).subspan(
        static_cast<size_t>(rest * static_cast<int64_t>(sequence) / parts),
        static_cast<size_t>(length()));
  }

  // Brings all sequences to the end of their prompts.
  absl::Status Prefill() {
    for (size_t i = 0; i < sequences_.size(); ++i) {
      engine_->Rewind(sequences_[i], 0);
      const std::span<const int32_t> prompt = PartOf(i).first(static_cast<size_t>(options_.prompt));
      const auto chunk = static_cast<size_t>(engine_->max_step_tokens());
      for (size_t at = 0; at < prompt.size(); at += chunk) {
        const StepRequest request{sequences_[i],
                                  prompt.subspan(at, std::min(chunk, prompt.size() - at)), 1};
        RETURN_IF_ERROR(engine_->Step({&request, 1}, {.stop = &context_.interrupt().stop_flag()}));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<double> RunOnce(bool drafted, ReplayResult* result) {
    RETURN_IF_ERROR(Prefill());
    const std::atomic<bool>* stop = &context_.interrupt().stop_flag();
    const Program* drafting = draft_engine_ ? &draft_engine_->program() : nullptr;
    const auto costs = DraftCosts(engine_->program(), std::ssize(sequences_), drafting);
    std::vector<DraftLength> lengths(sequences_.size(), DraftLength(costs, kUsualDraft));
    std::vector<std::unique_ptr<Drafter>> drafters;
    std::vector<ReplayedText> texts;
    for (size_t i = 0; i < sequences_.size(); ++i) {
      ReplayedText& text = texts.emplace_back();
      text.sequence = sequences_[i];
      text.tokens = PartOf(i);
      if (!drafted) continue;
      if (draft_engine_) {
        drafters.push_back(
            std::make_unique<ModelDrafter>(draft_sessions_[i].get(), engine_->vocabulary()));
      } else {
        drafters.push_back(std::make_unique<NgramDrafter>(length()));
      }
      RETURN_IF_ERROR(
          drafters.back()->Begin(text.tokens.first(static_cast<size_t>(options_.prompt)), stop));
      text.drafts = {.drafter = drafters.back().get(), .length = &lengths[i], .stop = stop};
    }
    const Clock::time_point start = Clock::now();
    ASSIGN_OR_RETURN(const ReplayResult replayed, Replay(*engine_, texts, stop));
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (drafted) *result = replayed;
    return seconds;
  }

  const SpecOptions& options_;
  ToolContext& context_;
  std::unique_ptr<KernelRegistry> registry_;
  std::unique_ptr<ModelFile> model_;
  DraftModel draft_model_;  // without a file: drafts come from the text
  std::shared_ptr<Engine> draft_engine_;
  std::vector<std::unique_ptr<Session>> draft_sessions_;
  std::unique_ptr<Engine> engine_;
  std::vector<SequenceId> sequences_;
  std::vector<int32_t> tokens_;
};

}  // namespace

void RegisterSpecFlags(Flags& flags, SpecOptions* options) {
  RegisterModelFlags(flags, &options->model);
  RegisterPolicy(flags, &options->model);
  RegisterPackCache(flags, &options->model);
  RegisterThreads(flags, &options->model.threads);
  flags.Section("Replay");
  flags.Text("--text", &options->text, "FILE",
             "text that is run as if it were sampled; - is stdin");
  flags.Int("-p,--n-prompt", &options->prompt, "N", "tokens before the clock starts").Min(1);
  flags.Int("-n,--n-gen", &options->generated, "N", "tokens that are timed").Min(1);
  flags.TextList("--sequences", &options->sequence_texts, "N,N",
                 "sequences that share each call, all with drafts");
  flags
      .Text("--draft-model", &options->draft_model, "FILE",
            "smaller model that drafts; without it drafts come from the text itself")
      .Alias("-md");
}

absl::Status CompleteSpec(SpecOptions* options) {
  RETURN_IF_ERROR(CompleteModelFlags(&options->model));
  if (options->text.empty()) return UsageError("give the text to replay with --text");
  ASSIGN_OR_RETURN(options->sequences, ParseNumberList("--sequences", options->sequence_texts, 1));
  for (int64_t count : options->sequences) {
    if (count <= kMaxDraftedSequences) continue;
    return UsageError(StrCat("--sequences ", count, ": at most ", kMaxDraftedSequences));
  }
  return absl::OkStatus();
}

absl::Status SpecMain(const SpecOptions& options, BenchFormat format, int64_t repetitions,
                      ToolContext& context) {
  SpecBench bench(options, context);
  RETURN_IF_ERROR(bench.Open());
  auto progress =
      std::make_unique<Progress>(&context.console(), "replay", options.sequences.size(), "rows");
  for (size_t i = 0; i < options.sequences.size(); ++i) {
    ASSIGN_OR_RETURN(const SpecRecord record, bench.Measure(options.sequences[i], repetitions));
    RETURN_IF_ERROR(context.out().Stream(RowText(record, format, i == 0)));
    progress->Update(i + 1);
  }
  progress.reset();
  return format == BenchFormat::kJson ? context.out().Stream("\n]\n") : absl::OkStatus();
}

}  // namespace infer
