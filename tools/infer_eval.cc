// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "backends/backends.h"
#include "ir/status_macros.h"
#include "ir/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/input.h"
#include "tools/cli/progress.h"
#include "tools/cli/tool.h"
#include "tools/eval/perplexity.h"
#include "tools/model/compile_model.h"

namespace infer {
namespace {

static_assert(std::endian::native == std::endian::little, "files hold little-endian floats");

constexpr uint64_t kMaxTextBytes = uint64_t{1} << 30;
// Logits of a chunk are rows x vocabulary floats: 64 rows of Qwen3's take 39 MB.
constexpr int64_t kEvalChunk = 64;

struct Options {
  std::string model;
  std::string policy = kDefaultPolicy;
  std::optional<DType> kv_type;
  std::vector<int32_t> ids;
  bool all_positions = false;
  std::string hidden;
  std::string output;
  std::string text_file;
  int64_t context = 512;
  std::string format = "text";
};

// "embedding", "final_norm" or a layer's number, as the origin of a value of the graph.
std::string HiddenOrigin(const std::string& hidden) {
  if (hidden == "embedding") return "embed";
  if (hidden == "final_norm") return "output/norm";
  return StrCat("layer.", hidden, "/ffn/residual");
}

// A model ready to be measured, with what keeps it alive.
struct Loaded {
  std::unique_ptr<KernelRegistry> registry;
  std::unique_ptr<ModelFile> model;
  std::unique_ptr<Session> session;
};

absl::StatusOr<Loaded> Load(const Options& options, int64_t context) {
  Loaded loaded;
  loaded.registry = MakeKernelRegistry();
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options.model));
  loaded.model = std::make_unique<ModelFile>(std::move(model));
  CompileModelOptions compile;
  compile.policy = options.policy;
  compile.kv_type = options.kv_type;
  compile.context = context;
  compile.chunk = kEvalChunk;
  compile.logit_rows = kEvalChunk;
  if (!options.hidden.empty()) compile.extra_results = {HiddenOrigin(options.hidden)};
  ASSIGN_OR_RETURN(Program program, CompileModel(*loaded.model, *loaded.registry, compile));
  ASSIGN_OR_RETURN(loaded.session,
                   Session::Create(std::move(program), loaded.model->weights(), *loaded.registry,
                                   {.context = context, .block_positions = 0}));
  return loaded;
}

std::string_view Bytes(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

absl::Status LogitsMain(const Options& options, ToolContext& context) {
  if (options.ids.empty()) return UsageError("give the token ids with --ids");
  int64_t total = static_cast<int64_t>(options.ids.size());
  ASSIGN_OR_RETURN(Loaded loaded, Load(options, total));
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, context.OpenOutput(options.output));
  Session& session = *loaded.session;
  Progress progress(&context.console(), "logits", total, "tokens");
  int64_t rows = 0;
  for (int64_t begin = 0; begin < total; begin += session.max_chunk()) {
    int64_t count = std::min(session.max_chunk(), total - begin);
    std::span<const int32_t> chunk(options.ids.data() + begin, count);
    RETURN_IF_ERROR(session.RunWithAllLogits(chunk, &context.interrupt().stop_flag()));
    int64_t width = session.vocabulary();
    std::span<const float> values(session.logits(0).data(), count * width);
    if (!options.hidden.empty()) {
      values = session.extra_result(0);
      width = static_cast<int64_t>(values.size()) / count;
    }
    bool last = begin + count == total;
    if (!options.all_positions)
      values = last ? values.subspan((count - 1) * width) : std::span<const float>();
    RETURN_IF_ERROR(file->Write(Bytes(values)));
    rows += static_cast<int64_t>(values.size()) / width;
    progress.Update(begin + count);
  }
  RETURN_IF_ERROR(file->Commit());
  context.console().Info(absl::StrFormat("%d rows of little-endian f32", rows));
  return absl::OkStatus();
}

absl::Status PerplexityMain(const Options& options, ToolContext& context) {
  ASSIGN_OR_RETURN(std::string text,
                   ReadInput(options.text_file.empty() ? "-" : options.text_file, kMaxTextBytes));
  ASSIGN_OR_RETURN(Loaded loaded, Load(options, options.context));
  Session& session = *loaded.session;
  ASSIGN_OR_RETURN(Tokenizer tokenizer, loaded.model->ReadTokenizer(session.vocabulary()));
  ASSIGN_OR_RETURN(std::vector<int32_t> tokens, tokenizer.Encode(text));
  std::optional<int32_t> bos;
  if (tokenizer.vocabulary().add_bos()) bos = tokenizer.vocabulary().bos();
  std::unique_ptr<Progress> progress;
  auto on_window = [&](int64_t done, int64_t total, double perplexity) {
    if (!progress)
      progress = std::make_unique<Progress>(&context.console(), "perplexity", total, "windows");
    progress->SetNote(absl::StrFormat("%.4f", perplexity));
    progress->Update(done);
  };
  ASSIGN_OR_RETURN(PerplexityResult result,
                   MeasurePerplexity(session, tokens, options.context, bos, on_window,
                                     &context.interrupt().stop_flag()));
  progress.reset();
  if (options.format == "json") {
    nlohmann::ordered_json json = {{"schema_version", 1},
                                   {"perplexity", result.perplexity},
                                   {"standard_error", result.standard_error},
                                   {"log_likelihood", result.log_likelihood},
                                   {"scored_tokens", result.scored_tokens},
                                   {"windows", result.windows},
                                   {"context", options.context}};
    return context.out().Write(json.dump(2) + "\n");
  }
  return context.out().Write(absl::StrFormat(
      "perplexity %.4f +/- %.4f over %d tokens in %d windows of %d\n", result.perplexity,
      result.standard_error, result.scored_tokens, result.windows, options.context));
}

void RegisterFlags(Flags& flags, Options* options) {
  flags.Section("Model");
  flags.Text("-m,--model", &options->model, "FILE", "GGUF file").Default("the bundled model");
  flags.Text("--policy", &options->policy, "NAME|FILE", "placement policy");
  flags
      .Enum("--kv-type", &options->kv_type, {{"f16", DType::kF16}, {"f32", DType::kF32}},
            "element type of the KV cache")
      .Default("f16, or the policy's");

  Flags& logits = flags.Mode("logits", "Write the logits after a list of tokens.");
  logits.IntList("--ids", &options->ids, "ID,ID", "token ids").Required();
  logits.Bool("--all-positions", &options->all_positions, "a row for every token, not the last");
  logits.Text("--hidden", &options->hidden, "LAYER",
              "hidden states instead: a layer's number, embedding or final_norm");
  logits
      .Text("-o,--output", &options->output, "FILE",
            "raw little-endian f32, rows x columns; - is stdout")
      .Required();

  Flags& perplexity = flags.Mode("perplexity", "Measure how well the model predicts a text.");
  perplexity.Text("-f,--file", &options->text_file, "FILE", "text").Default("stdin");
  perplexity
      .Int("-c,--ctx-size", &options->context, "N",
           "tokens in a window, of which the second half is scored")
      .Alias("--ctx")
      .Min(4);
  perplexity.Choice("--format", &options->format, {"text", "json"}, "form of the result");
  flags.Example("infer-eval perplexity -f text.txt --ctx 512", "Score a text.");
  flags.Example("infer-eval logits --ids 1,2,3 --all-positions -o logits.f32",
                "Look at the logits.");
}

absl::Status EvalMain(ToolContext& context) {
  Options options;
  Flags flags("infer-eval", "Measure a model: logits, hidden states, perplexity.");
  RegisterFlags(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  return flags.mode() == "logits" ? LogitsMain(options, context) : PerplexityMain(options, context);
}

}  // namespace

extern const Tool kInferEval = {"infer-eval", "eval", "Measure a model: logits and perplexity",
                                EvalMain};

}  // namespace infer
