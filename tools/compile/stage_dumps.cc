// SPDX-License-Identifier: Apache-2.0
#include "tools/compile/stage_dumps.h"

#include <utility>

#include "ir/printer.h"
#include "ir/serialize.h"
#include "ir/strings.h"

namespace infer {
namespace {

absl::StatusOr<std::string> Render(const Graph& graph, GraphForm form) {
  switch (form) {
    case GraphForm::kPb:
      return SerializeGraph(graph);
    case GraphForm::kPbtxt:
      return GraphToTextproto(graph);
    case GraphForm::kJson:
      return GraphToJson(graph);
    case GraphForm::kText:
      return PrintGraph(graph);
  }
  return absl::InternalError("unknown form of a graph");
}

}  // namespace

StageDumps::StageDumps(std::string stage, GraphForm form, CompileModelOptions* compile)
    : stage_(std::move(stage)), form_(form) {
  if (stage_.empty()) return;
  compile->on_imported = [this](const Graph& graph) { Add("imported", graph); };
  compile->observer = [this](const PassRecord& record, const Graph& graph, double) {
    Add(record.name, graph);
  };
}

void StageDumps::Add(std::string_view pass, const Graph& graph) {
  if (stage_ == "all") {
    StrAppend(&*rendered_, "# ", pass, "\n", PrintGraph(graph), "\n");
  } else if (stage_ == Name(graph.stage())) {
    // Several passes may keep the stage: the last one counts.
    rendered_ = Render(graph, form_);
  }
}

}  // namespace infer
