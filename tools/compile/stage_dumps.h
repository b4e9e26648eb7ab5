// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ir/graph.h"
#include "tools/model/compile_model.h"

namespace infer {

// Collects the graph's text while a model is compiled: at the end of one stage, or after every pass
// for "all". Must outlive the compilation that `compile` is used for.
class StageDumps {
 public:
  // No stage: collects nothing.
  StageDumps(std::string stage, CompileModelOptions* compile);
  StageDumps(const StageDumps&) = delete;
  StageDumps& operator=(const StageDumps&) = delete;

  const std::string& text() const { return text_; }

 private:
  void Add(std::string_view pass, const Graph& graph);

  std::string stage_;
  std::string text_;
};

}  // namespace infer
