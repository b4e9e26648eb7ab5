// SPDX-License-Identifier: Apache-2.0
#include "tests/backends/conformance/reference.h"

#include <map>
#include <utility>

#include "backends/scalar/kernels.h"
#include "gtest/gtest.h"
#include "passes/expand.h"

namespace infer::conformance {
namespace {

void ExpandAll(Graph* graph) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Node* node : graph->nodes()) {
      if (!node->op().composite()) continue;
      ASSERT_TRUE(Expand(*graph, node).ok());
      changed = true;
      break;
    }
  }
}

const CpuKernel* ScalarKernelFor(const Node& node) {
  for (const CpuKernel& kernel : ScalarKernels()) {
    if (kernel.info.op == &node.op() && kernel.info.accepts(node).accepted()) return &kernel;
  }
  ADD_FAILURE() << "no scalar kernel for " << node.op().name;
  return nullptr;
}

// Runs the nodes of a graph of primitives one by one.
class Interpreter {
 public:
  Interpreter(const CaseData& data, TestCache* cache) : data_(data), cache_(cache) {}

  void Run(const Graph& graph) {
    size_t next_input = 0;
    for (Node* node : graph.nodes()) {
      if (!IsExecuted(*node)) {
        tensors_[{node, 0}] = data_.inputs[next_input++].tensor;
      } else if (node->op().traits.view) {
        tensors_[{node, 0}] = {node->result().type, Get(node->input(0)).bytes};
      } else {
        RunNode(*node);
      }
    }
  }

  const TestTensor& Get(Value value) { return tensors_[{value.node, value.index}]; }

 private:
  void RunNode(const Node& node) {
    const CpuKernel* kernel = ScalarKernelFor(node);
    if (kernel == nullptr) return;
    KernelHarness harness(ScalarKernels(), kernel->info.name);
    for (const Value& input : node.inputs()) {
      if (input.type().is_tensor()) {
        harness.In(Get(input));
      } else if (input.type().kind == TypeKind::kKv) {
        harness.In(cache_);
      } else {
        harness.In(&data_.batch.batch());
      }
    }
    std::vector<TestTensor> results =
        harness.Attrs({node.attrs().begin(), node.attrs().end()}).At(data_.symbols).Run();
    size_t next = 0;
    for (int i = 0; i < node.num_results(); ++i) {
      if (!node.result(i).type.is_tensor() || next == results.size()) continue;
      tensors_[{&node, i}] = std::move(results[next++]);
    }
  }

  const CaseData& data_;
  TestCache* cache_;
  std::map<std::pair<const Node*, int>, TestTensor> tensors_;
};

}  // namespace

CaseResult RunReference(const ConformanceCase& c, const CaseData& data) {
  CaseResult result = {{}, data.cache};
  Graph graph;
  if (MakeNode(c, &graph) == nullptr) return result;
  ExpandAll(&graph);
  Interpreter interpreter(data, result.cache ? &*result.cache : nullptr);
  interpreter.Run(graph);
  for (const Value& value : graph.results()) {
    if (value.type().is_tensor()) result.tensors.push_back(interpreter.Get(value));
  }
  return result;
}

CaseResult RunKernel(const ConformanceCase& c, const CaseData& data,
                     std::span<const CpuKernel> table, const CpuKernel& kernel,
                     std::span<const WeightLayout> layouts) {
  CaseResult result = {{}, data.cache};
  KernelHarness harness(table, kernel.info.name, layouts);
  for (const CaseInput& input : data.inputs) {
    if (input.kind == Arg::Kind::kCache) {
      harness.In(&*result.cache);
    } else if (input.kind == Arg::Kind::kBatch) {
      harness.In(&data.batch.batch());
    } else if (input.kind == Arg::Kind::kWeight) {
      harness.Weight(input.tensor);
    } else {
      harness.In(input.tensor);
    }
  }
  result.tensors = harness.Attrs(c.attrs).At(data.symbols).Run();
  return result;
}

}  // namespace infer::conformance
