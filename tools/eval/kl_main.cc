// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/kl_main.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/progress.h"
#include "tools/eval/kl_divergence.h"
#include "tools/eval/loaded_model.h"
#include "tools/eval/log_prob_source.h"

namespace infer {
namespace {

std::string KlText(const KlResult& result, const EvalOptions& options) {
  if (options.format == "text") {
    return absl::StrFormat(
        "KL divergence  mean %.3g +/- %.2g  median %.3g  99 %% %.3g  99.9 %% %.3g  max %.3g\n"
        "same top token %.3f %% of %d\n",
        result.mean, result.standard_error, result.median, result.percentile_99,
        result.percentile_999, result.max, 100 * result.same_top, result.tokens);
  }
  Json json = {{"schema_version", 1},
               {"mean", result.mean},
               {"standard_error", result.standard_error},
               {"median", result.median},
               {"percentile_99", result.percentile_99},
               {"percentile_99_9", result.percentile_999},
               {"max", result.max},
               {"same_top", result.same_top},
               {"tokens", result.tokens}};
  return JsonText(json, 2) + "\n";
}

// One side of a comparison: a file, or a model that is loaded.
struct Side {
  std::optional<LogProbFile> file;
  LoadedModel loaded;
  std::unique_ptr<LogProbSource> source;

  int64_t vocabulary() const { return file ? file->vocabulary() : loaded.session->vocabulary(); }
};

absl::StatusOr<std::unique_ptr<Side>> OpenFile(const std::string& path) {
  auto side = std::make_unique<Side>();
  ASSIGN_OR_RETURN(side->file, LogProbFile::Open(path));
  side->source = std::make_unique<FileLogProbs>(*side->file);
  return side;
}

absl::StatusOr<std::unique_ptr<Side>> OpenModel(const EvalOptions& options, int64_t window_tokens,
                                                ToolContext& context) {
  auto side = std::make_unique<Side>();
  ASSIGN_OR_RETURN(side->loaded, LoadModel(options, window_tokens, &context));
  side->source =
      std::make_unique<SessionLogProbs>(*side->loaded.session, &context.interrupt().stop_flag());
  return side;
}

// The two sides. A file decides about windows and tokens, so files are opened first.
struct Sides {
  std::unique_ptr<Side> base, other;
  const LogProbFile* file = nullptr;  // the first, if any
};

absl::StatusOr<Sides> OpenSides(const EvalOptions& options, ToolContext& context) {
  Sides sides;
  if (options.against != "reference") {
    ASSIGN_OR_RETURN(sides.base, OpenFile(options.against));
    sides.file = &*sides.base->file;
  }
  if (!options.of.empty()) {
    ASSIGN_OR_RETURN(sides.other, OpenFile(options.of));
    if (sides.file == nullptr) sides.file = &*sides.other->file;
  }
  if (sides.base != nullptr && sides.other != nullptr) {
    const LogProbFile& base = *sides.base->file;
    const LogProbFile& other = *sides.other->file;
    if (base.context() != other.context() || base.windows() != other.windows()) {
      return absl::InvalidArgumentError(
          StrCat(base.path(), " has ", base.windows(), " windows of ", base.context(), " tokens, ",
                 other.path(), " has ", other.windows(), " of ", other.context(),
                 "; write both from the same text with the same window size"));
    }
  }
  const int64_t window_tokens = sides.file == nullptr ? options.context : sides.file->context();
  if (sides.base == nullptr) {
    EvalOptions by_reference = options;
    by_reference.model.compile = {.policy = "reference"};
    ASSIGN_OR_RETURN(sides.base, OpenModel(by_reference, window_tokens, context));
  }
  if (sides.other == nullptr) {
    ASSIGN_OR_RETURN(sides.other, OpenModel(options, window_tokens, context));
  }
  if (sides.base->vocabulary() != sides.other->vocabulary()) {
    return absl::InvalidArgumentError(StrCat("the vocabularies have ", sides.base->vocabulary(),
                                             " and ", sides.other->vocabulary(),
                                             " tokens; compare files of one model"));
  }
  return sides;
}

using Windows = std::vector<std::vector<int32_t>>;

Windows WindowsOf(const LogProbFile& file) {
  Windows windows;
  for (int64_t w = 0; w < file.windows(); ++w) {
    windows.emplace_back(file.tokens(w).begin(), file.tokens(w).end());
  }
  return windows;
}

absl::StatusOr<Windows> WindowsOfText(const EvalOptions& options, const ModelFile& model,
                                      Interrupt* interrupt) {
  ASSIGN_OR_RETURN(TextTokens text, ReadTokens(options, model, interrupt));
  Windows windows;
  for (int64_t end = options.context; end <= std::ssize(text.ids); end += options.context) {
    windows.emplace_back(text.ids.begin() + end - options.context, text.ids.begin() + end);
    if (text.bos) windows.back()[0] = *text.bos;
  }
  if (windows.empty()) {
    return absl::InvalidArgumentError(StrCat("the text has ", text.ids.size(),
                                             " tokens, a window takes ", options.context,
                                             "; give more text or a smaller --ctx"));
  }
  return windows;
}

}  // namespace

absl::Status KlMain(const EvalOptions& options, ToolContext& context) {
  ASSIGN_OR_RETURN(Sides sides, OpenSides(options, context));
  Windows windows;
  if (sides.file != nullptr) {
    windows = WindowsOf(*sides.file);
  } else {
    ASSIGN_OR_RETURN(windows,
                     WindowsOfText(options, *sides.other->loaded.model, &context.interrupt()));
  }
  std::optional<Progress> progress;
  progress.emplace(&context.console(), "kl", windows.size(), "windows");
  KlDivergence divergence(sides.base->vocabulary());
  for (size_t w = 0; w < windows.size(); ++w) {
    RETURN_IF_ERROR(divergence.AddWindow(static_cast<int64_t>(w), windows[w], kEvalChunk,
                                         *sides.base->source, *sides.other->source));
    progress->SetNote(absl::StrFormat("%.3g", divergence.Result().mean));
    progress->Update(w + 1);
  }
  progress.reset();
  return context.out().Write(KlText(divergence.Result(), options));
}

}  // namespace infer
