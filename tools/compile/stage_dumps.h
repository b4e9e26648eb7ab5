// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ir/graph.h"
#include "tools/compile/compile_options.h"
#include "tools/model/compile_model.h"

namespace infer {

// Collects graphs while a model is compiled: the one at the end of a stage in any form, or for
// "all" the text after every pass. Must outlive the compilation that `compile` is used for.
class StageDumps {
 public:
  // No stage: collects nothing.
  StageDumps(std::string stage, GraphForm form, CompileModelOptions* compile);
  StageDumps(const StageDumps&) = delete;
  StageDumps& operator=(const StageDumps&) = delete;

  const absl::StatusOr<std::string>& rendered() const { return rendered_; }

 private:
  void Add(std::string_view pass, const Graph& graph);

  std::string stage_;
  GraphForm form_;
  absl::StatusOr<std::string> rendered_ = std::string();
};

}  // namespace infer
