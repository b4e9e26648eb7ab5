// SPDX-License-Identifier: Apache-2.0
#include "tests/support/same_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "backends/backends.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/ops/attributes.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "passes/passes.h"
#include "passes/pipeline.h"
#include "runtime/half.h"
#include "tests/support/random_weights.h"

namespace infer::test {
namespace {

// Returns the states by id; ids that the graph does not use get a cache that nothing touches.
std::vector<State> StatesOf(const Graph& graph) {
  std::vector<State> states;
  for (const Node* node : graph.nodes()) {
    if (!node->op().traits.state) continue;
    size_t id = static_cast<size_t>(StateId(*node));
    State unused;
    unused.kv_heads = unused.head_dim = 1;
    if (states.size() <= id) states.resize(id + 1, unused);
    const TensorType& type = node->result().type.tensor;
    states[id].kv_heads = type.dim(0).value();
    states[id].head_dim = type.dim(1).value();
    states[id].dtype = type.dtype;
  }
  return states;
}

// Gives a graph without ranges the machine's, so that texts may leave them out.
void BindMissing(Graph& graph, const SymbolRanges& ranges) {
  SymbolRanges symbols = graph.symbols();
  for (Symbol symbol : kAllSymbols) {
    if (!symbols[symbol].is_set()) symbols[symbol] = ranges[symbol];
  }
  graph.set_symbols(symbols);
  graph.set_stage(Stage::kBound);
}

absl::StatusOr<std::vector<CallNumbers>> RunGraph(Graph graph, const SymbolRanges& ranges,
                                                  uint64_t seed) {
  BindMissing(graph, ranges);
  RETURN_IF_ERROR(Verify(graph));
  // Early decisions of legalize name kernels of the machine that it was shown.
  for (Node* node : graph.nodes()) node->set_placement(std::nullopt);
  RandomWeights weights(seed);
  weights.AddWeightsOf(graph);
  TestMachine machine;
  machine.policy.composites = Policy::Composites::kDecompose;
  auto registry = MakeKernelRegistry();
  PassContext context = machine.Context();
  context.symbols = graph.symbols();
  context.catalog = registry.get();
  Program program;
  program.symbols = graph.symbols();
  program.states = StatesOf(graph);
  ASSIGN_OR_RETURN(PassPipeline pipeline, PassPipeline::Create(RegimePasses(), Stage::kBound));
  RETURN_IF_ERROR(pipeline.Run(graph, context, {}, &program.passes));
  const Range& tokens = program.symbols[Symbol::kT];
  program.regimes.push_back({tokens.min, tokens.max, std::move(graph)});
  return RunCalls(std::move(program), weights, seed);
}

float NumberAt(const CallNumbers::Tensor& tensor, size_t i) {
  if (tensor.dtype == DType::kF16) {
    uint16_t half;
    std::memcpy(&half, tensor.bytes.data() + i * sizeof(half), sizeof(half));
    return F16ToF32(half);
  }
  if (tensor.dtype == DType::kI32) {
    int32_t number;
    std::memcpy(&number, tensor.bytes.data() + i * sizeof(number), sizeof(number));
    return static_cast<float>(number);
  }
  float number;
  std::memcpy(&number, tensor.bytes.data() + i * sizeof(number), sizeof(number));
  return number;
}

bool Close(float a, float b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  double scale = std::max({1.0, std::abs(double{a}), std::abs(double{b})});
  return a == b || std::abs(double{a} - double{b}) <= tolerance * scale;
}

// Describes the first difference, or returns an empty string.
std::string Difference(const CallNumbers::Tensor& before, const CallNumbers::Tensor& after,
                       double tolerance) {
  if (before.dtype != after.dtype || before.bytes.size() != after.bytes.size()) {
    return StrCat(" is ", before.bytes.size(), " bytes of ", Name(before.dtype), " before, ",
                  after.bytes.size(), " of ", Name(after.dtype), " after");
  }
  size_t size = Info(before.dtype).block_bytes;
  for (size_t i = 0; i < before.bytes.size() / size; ++i) {
    if (std::memcmp(&before.bytes[i * size], &after.bytes[i * size], size) == 0) continue;
    float a = NumberAt(before, i);
    float b = NumberAt(after, i);
    if (tolerance > 0 && Close(a, b, tolerance)) continue;
    return StrCat(", element ", i, ": ", a, " before, ", b, " after");
  }
  return "";
}

std::string Difference(const CallNumbers& before, const CallNumbers& after, double tolerance) {
  if (before.results.size() != after.results.size()) {
    return StrCat(before.results.size(), " results before, ", after.results.size(), " after");
  }
  for (size_t i = 0; i < before.results.size(); ++i) {
    std::string difference = Difference(before.results[i], after.results[i], tolerance);
    if (!difference.empty()) return StrCat("result ", i, difference);
  }
  if (before.caches.size() != after.caches.size()) {
    return StrCat(before.caches.size() / 2, " states before, ", after.caches.size() / 2, " after");
  }
  for (size_t i = 0; i < before.caches.size(); ++i) {
    std::string difference = Difference(before.caches[i], after.caches[i], tolerance);
    if (difference.empty()) continue;
    return StrCat(i % 2 == 0 ? "keys" : "values", " of state ", i / 2, difference);
  }
  return "";
}

void ExpectSameGraphs(Graph before, Graph after, const SymbolRanges& ranges,
                      const NumbersOptions& options) {
  std::string texts = StrCat("before\n", PrintGraph(before), "after\n", PrintGraph(after));
  SCOPED_TRACE(texts);
  auto expected = RunGraph(std::move(before), ranges, options.seed);
  ASSERT_TRUE(expected.ok()) << "before: " << expected.status();
  auto found = RunGraph(std::move(after), ranges, options.seed);
  ASSERT_TRUE(found.ok()) << "after: " << found.status();
  ExpectSameNumbers(*expected, *found, options.tolerance);
}

}  // namespace

void ExpectSameNumbers(const std::vector<CallNumbers>& before,
                       const std::vector<CallNumbers>& after, double tolerance) {
  ASSERT_EQ(before.size(), after.size()) << "calls";
  for (size_t i = 0; i < before.size(); ++i) {
    ASSERT_EQ(before[i].tokens, after[i].tokens);
    ASSERT_EQ(Difference(before[i], after[i], tolerance), "")
        << "in a call with " << before[i].tokens << " tokens";
  }
}

void ExpectSameNumbers(std::unique_ptr<Pass> pass, std::string_view text,
                       const NumbersOptions& options, const TestMachine& machine) {
  Graph before = GraphOf(text);
  Graph after = RunPass(std::move(pass), text, machine);
  ExpectSameGraphs(std::move(before), std::move(after), machine.symbols, options);
}

void ExpectSameNumbers(std::string_view before, std::string_view after,
                       const NumbersOptions& options) {
  ExpectSameGraphs(GraphOf(before), GraphOf(after), TestMachine().symbols, options);
}

}  // namespace infer::test
