// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "tools/api/compile_to_run.h"
#include "tools/api/input.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/progress.h"
#include "tools/cli/tool.h"
#include "tools/eval/eval_options.h"
#include "tools/eval/kl_divergence.h"
#include "tools/eval/log_prob_source.h"
#include "tools/eval/logits.h"
#include "tools/eval/perplexity.h"
#include "tools/flags/console_load.h"
#include "tools/report/machine_text.h"

namespace infer {
namespace {

static_assert(std::endian::native == std::endian::little, "files hold little-endian floats");

constexpr uint64_t kMaxTextBytes = uint64_t{1} << 30;
// Logits of a chunk are rows x vocabulary floats: 64 rows of Qwen3's take 39 MB.
constexpr int64_t kEvalChunk = 64;
constexpr int32_t kPagePositions = 32;  // as infer-run

// A model ready to be measured, together with what it depends on.
struct Loaded {
  std::unique_ptr<KernelRegistry> registry;
  std::unique_ptr<ModelFile> model;
  std::unique_ptr<Session> session;
};

absl::StatusOr<Loaded> Load(const EvalOptions& options, int64_t context, Console* console) {
  CompileModelOptions compile = options.model.compile;
  compile.context = context;
  compile.chunk = options.chunk == 0 ? kEvalChunk : options.chunk;
  compile.logit_rows = compile.chunk;
  compile.warn = [console](const std::string& text) { console->Warning(text); };
  ASSIGN_OR_RETURN(std::string hidden, HiddenOrigin(options.hidden));
  if (!hidden.empty()) compile.extra_results = {hidden};
  Loaded loaded;
  const ThreadChoice threads = ChooseThreads(options.model.threads, ReadThreadLimits());
  ASSIGN_OR_RETURN(loaded.registry, MakeKernelRegistry(threads));
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options.model.model));
  loaded.model = std::make_unique<ModelFile>(std::move(model));
  ASSIGN_OR_RETURN(Program program, CompileToRun(*loaded.model, *loaded.registry, compile));
  if (std::string text = OtherThreadsWarning(program.machine, threads.team.threads);
      !text.empty()) {
    console->Warning(text);
  }
  ASSIGN_OR_RETURN(
      loaded.session,
      LoadWithConsole(std::move(program), *loaded.model, *loaded.registry,
                      {.context = context, .block_positions = options.paged ? kPagePositions : 0},
                      options.model.pack_cache, console));
  return loaded;
}

// The tokens of the text, which is data: special tokens in it are plain text, as in llama.cpp's
// tool.
struct TextTokens {
  std::vector<int32_t> ids;
  std::optional<int32_t> bos;  // replaces the first token of each window
};
absl::StatusOr<TextTokens> ReadTokens(const EvalOptions& options, const ModelFile& model) {
  ASSIGN_OR_RETURN(std::string text,
                   ReadInput(options.text_file.empty() ? "-" : options.text_file, kMaxTextBytes));
  ASSIGN_OR_RETURN(Tokenizer tokenizer, model.ReadTokenizer());
  EncodeOptions encode;
  encode.parse_special = false;
  TextTokens tokens;
  ASSIGN_OR_RETURN(tokens.ids, tokenizer.Encode(text, encode));
  if (tokenizer.vocabulary().add_bos()) tokens.bos = tokenizer.vocabulary().bos();
  return tokens;
}

absl::Status LogitsMain(const EvalOptions& options, ToolContext& context) {
  const auto total = static_cast<int64_t>(options.ids.size());
  if (options.logits_context != 0 && options.logits_context < total) {
    return UsageError(StrCat("-c ", options.logits_context, " is less than the ", total, " ids"));
  }
  const int64_t entries = options.logits_context == 0 ? total : options.logits_context;
  ASSIGN_OR_RETURN(Loaded loaded, Load(options, entries, &context.console()));
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, context.OpenOutput(options.output));
  std::optional<Progress> progress;
  progress.emplace(&context.console(), "logits", total, "tokens");
  int64_t rows_written = 0, columns_written = 0;
  auto write = [&](std::span<const float> rows, int64_t columns) {
    rows_written += static_cast<int64_t>(rows.size()) / columns;
    columns_written = columns;
    return file->Write({reinterpret_cast<const char*>(rows.data()), rows.size_bytes()});
  };
  RETURN_IF_ERROR(CollectRows(
      *loaded.session, options.ids,
      {.hidden = !options.hidden.empty(), .all_positions = options.all_positions},
      [&](int64_t done, int64_t) { progress->Update(done); }, &context.interrupt().stop_flag(),
      write));
  RETURN_IF_ERROR(file->Commit());
  progress.reset();
  context.console().Info(
      absl::StrFormat("%d x %d little-endian f32", rows_written, columns_written));
  return absl::OkStatus();
}

std::string ResultText(const PerplexityResult& result, const EvalOptions& options) {
  if (options.format == "text") {
    return absl::StrFormat("perplexity %.4f +/- %.4f over %d tokens in %d windows of %d\n",
                           result.perplexity, result.standard_error, result.scored_tokens,
                           result.windows, options.context);
  }
  nlohmann::ordered_json json = {{"schema_version", 1},
                                 {"perplexity", result.perplexity},
                                 {"standard_error", result.standard_error},
                                 {"log_likelihood", result.log_likelihood},
                                 {"scored_tokens", result.scored_tokens},
                                 {"windows", result.windows},
                                 {"context", options.context}};
  return json.dump(2) + "\n";
}

absl::Status PerplexityMain(const EvalOptions& options, ToolContext& context) {
  ASSIGN_OR_RETURN(Loaded loaded, Load(options, options.context, &context.console()));
  ASSIGN_OR_RETURN(TextTokens tokens, ReadTokens(options, *loaded.model));
  std::unique_ptr<Progress> progress;
  auto on_window = [&](int64_t done, int64_t total, double perplexity) {
    if (!progress) {
      progress = std::make_unique<Progress>(&context.console(), "perplexity", total, "windows");
    }
    progress->SetNote(absl::StrFormat("%.4f", perplexity));
    progress->Update(done);
  };
  ASSIGN_OR_RETURN(PerplexityResult result,
                   MeasurePerplexity(*loaded.session, tokens.ids, options.context, tokens.bos,
                                     on_window, &context.interrupt().stop_flag()));
  progress.reset();
  return context.out().Write(ResultText(result, options));
}

std::string KlText(const KlResult& result, const EvalOptions& options) {
  if (options.format == "text") {
    return absl::StrFormat(
        "KL divergence  mean %.6f +/- %.6f  median %.6f  99 %% %.6f  99.9 %% %.6f  max %.6f\n"
        "same top token %.3f %% of %d\n",
        result.mean, result.standard_error, result.median, result.percentile_99,
        result.percentile_999, result.max, 100 * result.same_top, result.tokens);
  }
  nlohmann::ordered_json json = {{"schema_version", 1},
                                 {"mean", result.mean},
                                 {"standard_error", result.standard_error},
                                 {"median", result.median},
                                 {"percentile_99", result.percentile_99},
                                 {"percentile_99_9", result.percentile_999},
                                 {"max", result.max},
                                 {"same_top", result.same_top},
                                 {"tokens", result.tokens}};
  return json.dump(2) + "\n";
}

// One side of a comparison: a file, or a model that is loaded.
struct Side {
  std::optional<LogProbFile> file;
  Loaded loaded;
  std::unique_ptr<LogProbSource> source;
};

absl::StatusOr<std::unique_ptr<Side>> OpenSide(const EvalOptions& options, const std::string& file,
                                               const LogProbFile* windows, ToolContext& context) {
  auto side = std::make_unique<Side>();
  if (!file.empty()) {
    ASSIGN_OR_RETURN(side->file, LogProbFile::Open(file));
    side->source = std::make_unique<FileLogProbs>(*side->file);
    return side;
  }
  const int64_t entries = windows == nullptr ? options.context : windows->context();
  ASSIGN_OR_RETURN(side->loaded, Load(options, entries, &context.console()));
  side->source =
      std::make_unique<SessionLogProbs>(*side->loaded.session, &context.interrupt().stop_flag());
  return side;
}

absl::Status KlMain(const EvalOptions& options, ToolContext& context) {
  const bool reference = options.against == "reference";
  EvalOptions by_reference = options;
  by_reference.model.compile = {.policy = "reference"};
  // A file decides about windows and tokens, so it is opened first.
  std::unique_ptr<Side> base, other;
  if (!reference) {
    ASSIGN_OR_RETURN(base, OpenSide(options, options.against, nullptr, context));
  }
  if (!options.of.empty()) {
    ASSIGN_OR_RETURN(other, OpenSide(options, options.of, nullptr, context));
  }
  const LogProbFile* windows = base ? &*base->file : other ? &*other->file : nullptr;
  if (base == nullptr) {
    ASSIGN_OR_RETURN(base, OpenSide(by_reference, "", windows, context));
  }
  if (other == nullptr) {
    ASSIGN_OR_RETURN(other, OpenSide(options, "", windows, context));
  }
  TextTokens text;
  int64_t window_tokens = options.context, count = 0, vocabulary = 0;
  if (windows != nullptr) {
    window_tokens = windows->context();
    count = windows->windows();
    vocabulary = windows->vocabulary();
  } else {
    ASSIGN_OR_RETURN(text, ReadTokens(options, *other->loaded.model));
    count = static_cast<int64_t>(text.ids.size()) / window_tokens;
    vocabulary = other->loaded.session->vocabulary();
    if (count == 0) {
      return absl::InvalidArgumentError(StrCat("the text has ", text.ids.size(),
                                               " tokens, a window takes ", window_tokens,
                                               "; give more text or a smaller --ctx"));
    }
  }
  for (const Side* side : {base.get(), other.get()}) {
    const int64_t found =
        side->file ? side->file->vocabulary() : side->loaded.session->vocabulary();
    if (found == vocabulary) continue;
    return absl::InvalidArgumentError(StrCat("the vocabularies have ", vocabulary, " and ", found,
                                             " tokens; compare files of one model"));
  }
  std::optional<Progress> progress;
  progress.emplace(&context.console(), "kl", count, "windows");
  auto window_at = [&](int64_t w) {
    if (windows != nullptr) {
      return std::vector<int32_t>(windows->tokens(w).begin(), windows->tokens(w).end());
    }
    const auto begin = text.ids.begin() + w * window_tokens;
    std::vector<int32_t> window(begin, begin + window_tokens);
    if (text.bos) window[0] = *text.bos;
    return window;
  };
  KlDivergence divergence(vocabulary);
  for (int64_t w = 0; w < count; ++w) {
    RETURN_IF_ERROR(
        divergence.AddWindow(w, window_at(w), kEvalChunk, *base->source, *other->source));
    progress->SetNote(absl::StrFormat("%.6f", divergence.Result().mean));
    progress->Update(w + 1);
  }
  progress.reset();
  return context.out().Write(KlText(divergence.Result(), options));
}

absl::Status EvalMain(ToolContext& context) {
  EvalOptions options;
  Flags flags("infer-eval", "Measure a model: logits, hidden states, perplexity, divergence.");
  RegisterFlags(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(CompleteModelFlags(&options.model));
  if (flags.mode() == "logits") return LogitsMain(options, context);
  if (flags.mode() == "kl") return KlMain(options, context);
  return PerplexityMain(options, context);
}

}  // namespace

extern const Tool kInferEval = {"infer-eval", "eval",
                                "Measure a model: logits, perplexity, divergence", EvalMain};

}  // namespace infer
