// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/progress.h"
#include "tools/cli/tool.h"
#include "tools/eval/eval_options.h"
#include "tools/eval/kl_main.h"
#include "tools/eval/loaded_model.h"
#include "tools/eval/logits.h"
#include "tools/eval/perplexity.h"
#include "tools/flags/rank_run.h"

namespace infer {
namespace {

static_assert(std::endian::native == std::endian::little, "files hold little-endian floats");

absl::Status LogitsMain(const EvalOptions& options, ToolContext& context) {
  int64_t longest = 0, total = 0;
  for (const std::vector<int32_t>& ids : options.prompts) {
    longest = std::max(longest, std::ssize(ids));
    total += std::ssize(ids);
  }
  if (options.logits_context != 0 && options.logits_context < longest) {
    return UsageError(StrCat("-c ", options.logits_context, " is less than the ", longest, " ids"));
  }
  const int64_t entries = options.logits_context == 0 ? longest : options.logits_context;
  ASSIGN_OR_RETURN(LoadedModel loaded, LoadModel(options, entries, &context));
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, context.OpenOutput(options.output));
  std::optional<Progress> progress;
  progress.emplace(&context.console(), "logits", total, "tokens");
  int64_t rows_written = 0, columns_written = 0;
  auto write = [&](std::span<const float> rows, int64_t columns) {
    rows_written += static_cast<int64_t>(rows.size()) / columns;
    columns_written = columns;
    return file->Write({reinterpret_cast<const char*>(rows.data()), rows.size_bytes()});
  };
  int64_t done_before = 0;
  for (const std::vector<int32_t>& ids : options.prompts) {
    RETURN_IF_ERROR(CollectRows(
        *loaded.session, ids,
        {.hidden = !options.hidden.empty(), .all_positions = options.all_positions},
        [&](int64_t done, int64_t) { progress->Update(done_before + done); },
        &context.interrupt().stop_flag(), write));
    done_before += std::ssize(ids);
  }
  RETURN_IF_ERROR(file->Commit());
  progress.reset();
  context.console().Info(
      absl::StrFormat("%d x %d little-endian f32", rows_written, columns_written));
  return absl::OkStatus();
}

std::string ResultText(const PerplexityResult& result, const EvalOptions& options) {
  if (options.format == "text") {
    const std::string all = result.is_part() ? StrCat(" of ", result.total_windows) : "";
    return absl::StrFormat("perplexity %.4f +/- %.4f over %d tokens in %d%s windows of %d%s\n",
                           result.perplexity, result.standard_error, result.scored_tokens,
                           result.windows, all, options.context,
                           result.is_part() ? "; interrupted, a part of the text" : "");
  }
  Json json = {{"schema_version", 1},
               {"perplexity", result.perplexity},
               {"standard_error", result.standard_error},
               {"log_likelihood", result.log_likelihood},
               {"scored_tokens", result.scored_tokens},
               {"windows", result.windows},
               {"total_windows", result.total_windows},
               {"complete", !result.is_part()},
               {"context", options.context}};
  return JsonText(json, 2) + "\n";
}

absl::Status PerplexityMain(const EvalOptions& options, ToolContext& context) {
  ASSIGN_OR_RETURN(LoadedModel loaded, LoadModel(options, options.context, &context));
  ASSIGN_OR_RETURN(TextTokens tokens, ReadTokens(options, *loaded.model, &context.interrupt()));
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
  RETURN_IF_ERROR(context.out().Write(ResultText(result, options)));
  return result.is_part() ? context.interrupt().Check() : absl::OkStatus();
}

absl::Status EvalMain(ToolContext& context) {
  EvalOptions options;
  Flags flags("infer-eval", "Measure a model: logits, hidden states, perplexity, divergence.");
  RegisterFlags(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(CompleteModelFlags(&options.model));
  RETURN_IF_ERROR(ReadPrompts(&options));
  RETURN_IF_ERROR(StartRanks(&context));
  if (flags.mode() == "logits") return LogitsMain(options, context);
  if (flags.mode() == "kl") {
    const bool from_file = options.against != "reference" || !options.of.empty();
    if (from_file && (flags.Given("--file") || flags.Given("--ctx-size"))) {
      return UsageError(
          "the file of probabilities says which tokens are compared; remove -f and -c");
    }
    if (options.against == "reference") {
      RETURN_IF_ERROR(RefuseRanks("kl --against reference", options.model.compile.shard));
    }
    return KlMain(options, context);
  }
  return PerplexityMain(options, context);
}

}  // namespace

extern const Tool kInferEval = {"infer-eval", "eval",
                                "Measure a model: logits, perplexity, divergence", EvalMain};

}  // namespace infer
