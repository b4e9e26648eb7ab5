// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "backends/backends.h"
#include "ir/printer.h"
#include "ir/serialize.h"
#include "ir/status_macros.h"
#include "tools/cli/tool.h"
#include "tools/compile/compile_options.h"
#include "tools/compile/stage_dumps.h"
#include "tools/compile/summary.h"
#include "tools/model/memory_estimate.h"
#include "tools/passes/pass_recorder.h"

namespace infer {
namespace {

absl::StatusOr<std::string> Render(const Program& program, GraphForm form) {
  switch (form) {
    case GraphForm::kPb:
      return SerializeProgram(program);
    case GraphForm::kPbtxt:
      return ProgramToTextproto(program);
    case GraphForm::kJson:
      return ProgramToJson(program);
    case GraphForm::kText:
      return PrintProgram(program);
  }
  return absl::InternalError("unknown form of a graph");
}

absl::Status WriteGraph(const CompileToolOptions& options, const Program& program,
                        const StageDumps& dumps, ToolContext& context) {
  ASSIGN_OR_RETURN(std::string rendered,
                   options.stage.empty() ? Render(program, *options.emit) : dumps.Rendered());
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, context.OpenOutput(options.output));
  RETURN_IF_ERROR(file->Write(rendered));
  return file->Commit();
}

// All who look at the graph while it is compiled.
void Observe(CompileModelOptions* compile, StageDumps* dumps, PassRecorder* recorder,
             CompileReport* report) {
  compile->compile_ms = &report->compile_ms;
  compile->on_imported = [dumps, report](const Graph& graph) {
    dumps->AddImported(graph);
    report->layer_nodes_imported = NodesPerLayer(graph);
  };
  PassObserver count;
  count.after = [report](const PassRecord& record, const Graph& graph, double) {
    if (record.regime == 0) report->layer_nodes_fused = NodesPerLayer(graph);
  };
  compile->observer = Join(count, Join(dumps->Observer(), recorder->Observer()));
}

absl::Status CompileMain(ToolContext& context) {
  CompileToolOptions options;
  Flags flags("infer-compile", "Compile a model to a Program and show what it will need.");
  RegisterFlags(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(CompleteOptions(flags, &options));
  StageDumps dumps(options.stage, options.emit.value_or(GraphForm::kText));
  PassRecorder recorder(options.passes, &context);
  CompileReport report;
  Observe(&options.model.compile, &dumps, &recorder, &report);
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options.model.model));
  std::unique_ptr<KernelRegistry> registry = MakeKernelRegistry();
  ASSIGN_OR_RETURN(Program program, CompileModel(model, *registry, options.model.compile));
  RETURN_IF_ERROR(recorder.Finish());
  if (!options.output.empty()) {
    RETURN_IF_ERROR(WriteGraph(options, program, dumps, context));
    // stdout is the graph or the summary, never both.
    if (options.output == "-") return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(MemoryEstimate memory, EstimateMemory(program, model.gguf(), *registry));
  return context.out().Write(Summarize(program, memory, report));
}

}  // namespace

extern const Tool kInferCompile = {"infer-compile", "compile",
                                   "Compile a model to a Program and show it", CompileMain};

}  // namespace infer
