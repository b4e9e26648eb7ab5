// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "backends/backends.h"
#include "ir/base/status_macros.h"
#include "ir/proto/serialize.h"
#include "ir/text/printer.h"
#include "tools/api/device_lines.h"
#include "tools/api/memory_estimate.h"
#include "tools/cli/tool.h"
#include "tools/compile/compile_options.h"
#include "tools/compile/stage_dumps.h"
#include "tools/compile/summary.h"
#include "tools/diff/diff_files.h"
#include "tools/explain/explain.h"
#include "tools/explain/support.h"
#include "tools/passes/pass_recorder.h"

namespace infer {
namespace {

absl::StatusOr<std::string> RenderProgram(const Program& program, GraphForm form) {
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
  ASSIGN_OR_RETURN(std::string rendered, options.stage.empty()
                                             ? RenderProgram(program, *options.emit)
                                             : dumps.Rendered());
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, context.OpenOutput(options.output));
  RETURN_IF_ERROR(file->Write(rendered));
  return file->Commit();
}

// Attaches all observers of the compilation. `fused`, if given, is set to the graph that placement
// starts from.
void Observe(CompileModelOptions* compile, StageDumps* dumps, PassRecorder* recorder,
             CompileReport* report, Graph* fused) {
  compile->compile_ms = &report->compile_ms;
  compile->on_imported = [dumps, report](const Graph& graph) {
    dumps->AddImported(graph);
    report->layer_nodes_imported = NodesPerLayer(graph);
  };
  PassObserver count;
  count.after = [report, fused](const PassRecord& record, const Graph& graph, double) {
    if (record.regime > 0) return;
    report->layer_nodes_fused = NodesPerLayer(graph);
    if (fused != nullptr) *fused = graph.Clone();
  };
  compile->observer = Join(count, Join(dumps->Observer(), recorder->Observer()));
}

absl::Status WriteReport(const CompileToolOptions& options, const Program& program,
                         const Graph& fused, const ModelFile& model, const KernelRegistry& registry,
                         CompileReport report, ToolContext& context) {
  const bool json = options.format == "json";
  if (!options.explain.empty()) {
    ASSIGN_OR_RETURN(Explanation explanation, Explain(program, registry, options.explain));
    return context.out().Write(json ? ToJson(explanation) : ToText(explanation));
  }
  if (options.support) {
    SupportMatrix matrix = MakeSupportMatrix(fused, program, registry);
    return context.out().Write(json ? ToJson(matrix) : ToText(matrix));
  }
  const ThreadChoice threads = ChooseThreads(options.model.threads, ReadThreadLimits());
  report.threads_from = threads.derivation;
  report.rank_costs = RankCosts(program, model, registry, options.model.compile);
  report.invariant_costs = InvariantCosts(program, model, registry, options.model.compile);
  ASSIGN_OR_RETURN(MemoryEstimate memory,
                   EstimateMemory(program, &model.gguf(), registry, threads.team.threads));
  return context.out().Write(json ? SummaryJson(program, memory, report)
                                  : SummaryText(program, memory, report));
}

absl::Status CompileMain(ToolContext& context) {
  CompileToolOptions options;
  Flags flags("infer-compile", "Compile a model to a Program and show what it will need.");
  RegisterFlags(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(CompleteOptions(flags, &options));
  if (options.diff) {
    return DiffFiles(options.programs, options.format, options.fail_on, "-", context);
  }
  StageDumps dumps(options.stage, options.emit.value_or(GraphForm::kText));
  PassRecorder recorder(options.passes, &context);
  CompileReport report;
  Graph fused;
  Observe(&options.model.compile, &dumps, &recorder, &report, options.support ? &fused : nullptr);
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(options.model.model));
  std::unique_ptr<KernelRegistry> registry = MakeKernelRegistry();
  options.model.compile.warn = [&](const std::string& text) { context.console().Warning(text); };
  ASSIGN_OR_RETURN(Program program, CompileModel(model, *registry, options.model.compile));
  RETURN_IF_ERROR(recorder.Finish(&program));
  for (const std::string& line : DeviceLines(program, *registry)) context.console().Info(line);
  if (!options.output.empty()) {
    RETURN_IF_ERROR(WriteGraph(options, program, dumps, context));
    // stdout is the graph or a report, never both.
    if (options.output == "-") return absl::OkStatus();
  }
  return WriteReport(options, program, fused, model, *registry, report, context);
}

}  // namespace

extern const Tool kInferCompile = {"infer-compile", "compile",
                                   "Compile a model to a Program and show it", CompileMain};

}  // namespace infer
