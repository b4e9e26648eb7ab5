// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "tools/api/compile_to_run.h"
#include "tools/api/input.h"
#include "tools/cli/progress.h"
#include "tools/cli/tool.h"
#include "tools/eval/eval_options.h"
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

// A model ready to be measured, together with what it depends on.
struct Loaded {
  std::unique_ptr<KernelRegistry> registry;
  std::unique_ptr<ModelFile> model;
  std::unique_ptr<Session> session;
};

absl::StatusOr<Loaded> Load(const EvalOptions& options, int64_t context, Console* console) {
  CompileModelOptions compile = options.model.compile;
  compile.context = context;
  compile.chunk = kEvalChunk;
  compile.logit_rows = kEvalChunk;
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
  ASSIGN_OR_RETURN(loaded.session,
                   LoadWithConsole(std::move(program), *loaded.model, *loaded.registry,
                                   {.context = context}, options.model.pack_cache, console));
  return loaded;
}

absl::Status LogitsMain(const EvalOptions& options, ToolContext& context) {
  int64_t total = static_cast<int64_t>(options.ids.size());
  ASSIGN_OR_RETURN(Loaded loaded, Load(options, total, &context.console()));
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
  ASSIGN_OR_RETURN(std::string text,
                   ReadInput(options.text_file.empty() ? "-" : options.text_file, kMaxTextBytes));
  Session& session = *loaded.session;
  ASSIGN_OR_RETURN(Tokenizer tokenizer, loaded.model->ReadTokenizer());
  // The text is data: special tokens in it are treated as plain text, as in llama.cpp's tool.
  EncodeOptions encode;
  encode.parse_special = false;
  ASSIGN_OR_RETURN(std::vector<int32_t> tokens, tokenizer.Encode(text, encode));
  std::optional<int32_t> bos;
  if (tokenizer.vocabulary().add_bos()) bos = tokenizer.vocabulary().bos();
  std::unique_ptr<Progress> progress;
  auto on_window = [&](int64_t done, int64_t total, double perplexity) {
    if (!progress) {
      progress = std::make_unique<Progress>(&context.console(), "perplexity", total, "windows");
    }
    progress->SetNote(absl::StrFormat("%.4f", perplexity));
    progress->Update(done);
  };
  ASSIGN_OR_RETURN(PerplexityResult result,
                   MeasurePerplexity(session, tokens, options.context, bos, on_window,
                                     &context.interrupt().stop_flag()));
  progress.reset();
  return context.out().Write(ResultText(result, options));
}

absl::Status EvalMain(ToolContext& context) {
  EvalOptions options;
  Flags flags("infer-eval", "Measure a model: logits, hidden states, perplexity.");
  RegisterFlags(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(CompleteModelFlags(&options.model));
  return flags.mode() == "logits" ? LogitsMain(options, context) : PerplexityMain(options, context);
}

}  // namespace

extern const Tool kInferEval = {"infer-eval", "eval", "Measure a model: logits and perplexity",
                                EvalMain};

}  // namespace infer
