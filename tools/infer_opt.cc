// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "backends/backends.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/text/lexer.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "passes/pipeline.h"
#include "passes/policies.h"
#include "tools/api/input.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/tool.h"
#include "tools/opt/opt_options.h"
#include "tools/passes/pass_recorder.h"

namespace infer {
namespace {

// A planned graph of 94 layers takes 20 MB.
constexpr uint64_t kMaxGraphBytes = uint64_t{256} << 20;

absl::Status At(const std::string& input, const absl::Status& status) {
  return absl::Status(status.code(),
                      StrCat(input == "-" ? "stdin" : input, ": ", ToStd(status.message())));
}

// Refuses what is not a graph before all of it is read: a device or a model has no end to wait for.
absl::Status CheckHead(std::string_view head) {
  const Token first = Lexer(head).Next();
  const bool is_whole = first.text.data() + first.text.size() < head.data() + head.size();
  if (!is_whole || first.text == "graph") return absl::OkStatus();
  return absl::InvalidArgumentError("is not a graph as text, which begins with 'graph'");
}

absl::StatusOr<Graph> ReadGraph(const std::string& input) {
  auto check = [&](std::string_view head) -> absl::Status {
    const absl::Status status = CheckHead(head);
    return status.ok() ? status : At(input, status);
  };
  ASSIGN_OR_RETURN(std::string text, ReadInput(input, kMaxGraphBytes, check));
  absl::StatusOr<Graph> graph = ParseGraph(text);
  if (!graph.ok()) return At(input, graph.status());
  if (absl::Status valid = Verify(*graph); !valid.ok()) return At(input, valid);
  return graph;
}

absl::Status OptMain(ToolContext& context) {
  OptOptions options;
  Flags flags("infer-opt", "Run passes on a graph given as text, and print the result.");
  RegisterFlags(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(CompleteOptions(flags, &options));
  if (options.list_passes) return context.out().Write(PassTable());

  ASSIGN_OR_RETURN(Policy policy, LoadPolicy(options.policy));
  ApplyShard(options.shard, &policy);
  policy = WithCollectives(std::move(policy));
  ASSIGN_OR_RETURN(Graph graph, ReadGraph(options.input));
  absl::StatusOr<PassPipeline> pipeline =
      PassPipeline::Create(PassesToRun(options, graph.stage()), graph.stage());
  if (!pipeline.ok()) return UsageError(StrCat("--passes: ", ToStd(pipeline.status().message())));
  std::unique_ptr<KernelRegistry> registry = MakeKernelRegistry();
  PassContext passes{options.symbols(), &policy, &registry->For(policy.activations)};
  passes.on_refusal = [&](const Node& node, std::string_view reason) {
    context.console().Verbose(StrCat(DescribeNode(node), " was left alone: ", reason));
  };
  PassRecorder recorder(options.pass_flags, &context);
  std::vector<PassRecord> records;
  RETURN_IF_ERROR(pipeline->Run(graph, passes, recorder.Observer(), &records));
  RETURN_IF_ERROR(recorder.Finish());
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, context.OpenOutput(options.output));
  RETURN_IF_ERROR(file->Write(PrintGraph(graph)));
  return file->Commit();
}

}  // namespace

extern const Tool kInferOpt = {"infer-opt", "opt", "Run passes on a graph given as text", OptMain};

}  // namespace infer
