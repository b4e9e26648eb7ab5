// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "backends/backends.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/serialize.h"
#include "ir/status_macros.h"
#include "ir/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/tool.h"
#include "tools/compile/summary.h"
#include "tools/model/compile_model.h"
#include "tools/model/memory_estimate.h"

namespace infer {
namespace {

enum class Emit { kPb, kPbtxt, kJson, kText };

struct Options {
  CompileModelOptions compile;
  std::string model;
  std::string output;
  std::optional<Emit> emit;
  std::string stage;
  bool dry_run = false;
  bool full_hash = false;
};

void RegisterFlags(Flags& flags, Options* options) {
  CompileModelOptions* compile = &options->compile;
  flags.Section("Model");
  flags.Text("-m,--model", &options->model, "FILE", "GGUF file").Default("the bundled model");
  flags.Text("--policy", &compile->policy, "NAME|FILE", "placement policy");
  flags.Int("-c,--ctx-size", &compile->context, "N", "context in tokens")
      .Alias("--ctx")
      .Min(0)
      .Default("4096, or the model's own");
  flags.Int("-ub,--ubatch-size", &compile->chunk, "N", "most tokens in one call").Range(1, 65536);
  flags.Int("--logit-rows", &compile->logit_rows, "N", "most rows whose logits are wanted")
      .Range(1, 65536);
  flags
      .Enum("--kv-type", &compile->kv_type, {{"f16", DType::kF16}, {"f32", DType::kF32}},
            "element type of the KV cache")
      .Default("f16, or the policy's");
  flags.TextList("--extra-result", &compile->extra_results, "ORIGIN",
                 "also return this value, such as layer.3/ffn/residual; repeatable");
  flags.Enum("--hash", &compile->hash, {{"sampled", HashMode::kSampled}, {"full", HashMode::kFull}},
             "what is remembered of each weight; full reads all of the file");

  flags.Section("Output");
  flags.Text("-o,--output", &options->output, "FILE", "where the graph goes; - is stdout");
  flags
      .Enum("--emit", &options->emit,
            {{"pb", Emit::kPb},
             {"pbtxt", Emit::kPbtxt},
             {"json", Emit::kJson},
             {"text", Emit::kText}},
            "form of the graph")
      .Default("by the suffix of -o");
  flags
      .Choice("--stage", &options->stage,
              {"imported", "bound", "placed", "scheduled", "planned", "all"},
              "with --emit text: the graph at this stage instead of the program")
      .Default("the program");
  flags.Bool("--dry-run", &options->dry_run, "summary and memory only; no weight is read");
  flags.Example("infer-compile -m model.gguf -o model.infer.pb", "Compile and store a Program.");
  flags.Example("infer-compile --emit text --stage imported -o -",
                "See the bundled model's graph.");
}

Emit EmitFor(const Options& options) {
  if (options.emit) return *options.emit;
  std::string suffix = std::filesystem::path(options.output).extension().string();
  if (suffix == ".txt" || suffix == ".graph" || options.output == "-") return Emit::kText;
  if (suffix == ".json") return Emit::kJson;
  if (suffix == ".pbtxt" || suffix == ".textproto") return Emit::kPbtxt;
  return Emit::kPb;
}

absl::StatusOr<std::string> Render(const Program& program, Emit emit) {
  switch (emit) {
    case Emit::kPb:
      return SerializeProgram(program);
    case Emit::kPbtxt:
      return ProgramToTextproto(program);
    case Emit::kJson:
      return ProgramToJson(program);
    case Emit::kText:
      return PrintProgram(program);
  }
  return absl::InternalError("unknown form");
}

// Collects the graph's text after the passes that end a wanted stage.
class StageDumps {
 public:
  StageDumps(const Options& options, CompileModelOptions* compile) : wanted_(options.stage) {
    if (wanted_.empty()) return;
    compile->on_imported = [this](const Graph& graph) { Add("imported", graph); };
    compile->observer = [this](const PassRecord& record, const Graph& graph, double) {
      if (wanted_ == "all") {
        Add(record.name, graph);
      } else if (wanted_ == Name(graph.stage())) {
        text_ = PrintGraph(graph);
      }
    };
  }
  const std::string& text() const { return text_; }

 private:
  void Add(std::string_view name, const Graph& graph) {
    if (wanted_ == "all")
      StrAppend(&text_, "# ", name, "\n", PrintGraph(graph), "\n");
    else if (wanted_ == name)
      text_ = PrintGraph(graph);
  }

  std::string wanted_;
  std::string text_;
};

absl::Status CompileMain(ToolContext& context) {
  Options options;
  Flags flags("infer-compile", "Compile a model to a Program and show what it will need.");
  RegisterFlags(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  Emit emit = EmitFor(options);
  if (!options.stage.empty() && emit != Emit::kText) {
    return UsageError("--stage shows graphs as text; add --emit text");
  }
  if (options.dry_run && !options.output.empty()) {
    return UsageError("--dry-run writes no file; leave out -o or --dry-run");
  }
  if (!options.stage.empty() && options.output.empty()) options.output = "-";
  // Hashes of weights are the one thing that compiling reads of their data.
  if (options.dry_run) options.compile.hash = HashMode::kNone;
  StageDumps dumps(options, &options.compile);
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options.model));
  std::unique_ptr<KernelRegistry> registry = MakeKernelRegistry();
  ASSIGN_OR_RETURN(Program program, CompileModel(model, *registry, options.compile));
  if (!options.output.empty()) {
    std::string rendered = dumps.text();
    if (options.stage.empty()) {
      ASSIGN_OR_RETURN(rendered, Render(program, emit));
    }
    ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, context.OpenOutput(options.output));
    RETURN_IF_ERROR(file->Write(rendered));
    RETURN_IF_ERROR(file->Commit());
    if (options.output == "-") return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(MemoryEstimate memory, EstimateMemory(program, model.gguf()));
  return context.out().Write(Summarize(program, memory));
}

}  // namespace

extern const Tool kInferCompile = {"infer-compile", "compile",
                                   "Compile a model to a Program and show it", CompileMain};

}  // namespace infer
