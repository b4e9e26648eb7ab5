// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/graph/graph.h"
#include "passes/pipeline.h"
#include "tools/compile/compile_options.h"

namespace infer {

// Collects graphs while a model is compiled: those at the end of a stage, one for each regime, in
// any form, or for "all" the text after every pass. Must outlive the compilation that it observes.
class StageDumps {
 public:
  // An empty stage collects nothing.
  StageDumps(std::string stage, GraphForm form) : stage_(std::move(stage)), form_(form) {}
  StageDumps(const StageDumps&) = delete;
  StageDumps& operator=(const StageDumps&) = delete;

  void AddImported(const Graph& graph) { Add("imported", 0, graph); }
  PassObserver Observer();

  // Renders the graphs: one as it is, several as texts, each below a line that names its regime.
  // Returns a usage error if several were requested in a form that holds one graph only.
  absl::StatusOr<std::string> Rendered() const;

 private:
  struct Dump {
    Range tokens;
    absl::StatusOr<std::string> rendered;
  };
  void Add(std::string_view pass, int32_t regime, const Graph& graph);

  std::string stage_;
  GraphForm form_;
  std::string all_;
  std::map<int32_t, Dump> by_regime_;  // the last one counts: several passes may keep a stage
};

}  // namespace infer
