// SPDX-License-Identifier: Apache-2.0
//
// Overwrites memory with NaNs as soon as, according to the plan, it is not read again, so that
// reading a value after its planned lifetime shows up in the results instead of happening to work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ir/graph/graph.h"
#include "runtime/backend.h"

namespace infer {

// Overwrites dead memory after each step of one regime. Owned by the CallContext; exists only in
// builds with asserts.
class Poisoner : public StepObserver {
 public:
  // Returns null in a build without asserts, and for a plan with sliced steps: those run without
  // stopping between them, and an observer would force them to stop.
  static std::unique_ptr<Poisoner> CreateIfDebugging(const Graph& graph, std::byte* arena);

  // Called before each call. `next`, which may be null, sees each step before its memory is
  // overwritten.
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
  // For each step of the plan, the last step up to and including it that computes, or -1.
  std::vector<int> computing_;
  std::vector<std::vector<Dead>> dead_;  // by computing step, the memory not read after it
  SymbolValues symbols_;
  StepObserver* next_ = nullptr;
  size_t step_ = 0;
};

}  // namespace infer
