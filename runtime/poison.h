// SPDX-License-Identifier: Apache-2.0
//
// Overwrites memory with NaNs as soon as the plan says that nobody reads it again, so that a value
// that is read after its planned life shows in the numbers instead of being right by luck.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ir/graph/graph.h"
#include "runtime/backend.h"

namespace infer {

// Does so after each step of one regime. Owned by the Executable; only in builds with asserts.
class Poisoner : public StepObserver {
 public:
  // Null in a build without asserts, and for a plan with sliced steps: those run
  // without a stop between them, which an observer would force on them.
  static std::unique_ptr<Poisoner> CreateIfDebugging(const Graph& graph, std::byte* arena);

  // Before each call. `next`, which may be null, sees each step before its memory is overwritten.
  void Begin(const SymbolValues& symbols, StepObserver* next);
  void AfterStep(const Node& node, const KernelArgs& args) override;

 private:
  // A buffer, or a kernel's workspace.
  struct Dead {
    uint64_t offset = 0;
    uint64_t bytes = 0;    // of a workspace
    TensorType type = {};  // of a buffer, whose bytes depend on the call
    bool is_buffer = false;
  };

  explicit Poisoner(std::byte* arena) : arena_(arena) {}
  void AddWorkspaces(const Graph& graph);
  void AddBuffers(const Graph& graph);

  std::byte* arena_;
  std::vector<int> computing_;  // by step of the plan, the last that computes, up to it; or -1
  std::vector<std::vector<Dead>> dead_;  // by step that computes, what nobody reads after it
  SymbolValues symbols_;
  StepObserver* next_ = nullptr;
  size_t step_ = 0;
};

}  // namespace infer
