// SPDX-License-Identifier: Apache-2.0
#include "tools/compile/stage_dumps.h"

#include <utility>

#include "ir/printer.h"
#include "ir/strings.h"

namespace infer {

StageDumps::StageDumps(std::string stage, CompileModelOptions* compile) : stage_(std::move(stage)) {
  if (stage_.empty()) return;
  compile->on_imported = [this](const Graph& graph) { Add("imported", graph); };
  compile->observer = [this](const PassRecord& record, const Graph& graph, double) {
    Add(record.name, graph);
  };
}

void StageDumps::Add(std::string_view pass, const Graph& graph) {
  if (stage_ == "all") {
    StrAppend(&text_, "# ", pass, "\n", PrintGraph(graph), "\n");
  } else if (stage_ == Name(graph.stage())) {
    // Several passes may keep the stage: the last one counts.
    text_ = PrintGraph(graph);
  }
}

}  // namespace infer
