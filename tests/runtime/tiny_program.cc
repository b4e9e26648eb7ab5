// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/tiny_program.h"

#include <cstdlib>
#include <iostream>
#include <span>
#include <utility>

#include "backends/backends.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/scalar/kernels.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"
#include "passes/compile.h"
#include "passes/policies.h"

namespace infer::test {
namespace {

Graph TinyGraph() {
  Graph graph("tiny");
  Value tokens = graph.AddInput("tokens", ValueType::Tensor(DType::kI32, {Symbol::kT}))->output();
  Value batch = graph.AddInput("batch", ValueType::Batch())->output();
  GraphBuilder b(&graph);
  Value table = ops::WeightRef(b, "table", ValueType::F32({kTinyRows, kTinyColumns}));
  Value output = ops::WeightRef(b, "output", ValueType::F32({3, kTinyColumns}));
  Value x = ops::Embed(b.In("embed"), table, tokens);
  Value doubled = ops::Scale(b.In("double"), x, 2.0);
  Value rows = ops::SelectRows(b.In("rows"), doubled, batch);
  graph.AddResult(ops::Linear(b.In("logits"), rows, output));
  graph.AddResult(doubled);
  return graph;
}

template <class T>
T OrExit(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::cerr << value.status() << std::endl;
  std::exit(1);
}

Program Compile(const VectorWeights& weights, Range tokens, const KernelRegistry& registry) {
  CompileOptions options;
  options.policy = OrExit(LoadPolicy("reference"));
  options.symbols[Symbol::kT] = tokens;
  options.symbols[Symbol::kR] = {1, 2};
  options.symbols[Symbol::kS] = {1, 16};
  return OrExit(CompileProgram(TinyGraph(), weights, registry, options));
}

}  // namespace

VectorWeights TinyWeights() {
  VectorWeights weights;
  std::vector<float> table;
  for (int r = 0; r < kTinyRows; ++r) {
    for (int c = 0; c < kTinyColumns; ++c) table.push_back(static_cast<float>(10 * r + c));
  }
  weights.Add("table", {kTinyRows, kTinyColumns}, table);
  weights.Add("output", {3, kTinyColumns}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
  return weights;
}

Program TinyProgram(const VectorWeights& weights, Range tokens) {
  return Compile(weights, tokens, *MakeKernelRegistry());
}

Program TinyProgram(const VectorWeights& weights, const KernelRegistry& registry) {
  return Compile(weights, {1, kTinyMaxTokens}, registry);
}

Program TwoRegimeProgram(const VectorWeights& weights) {
  Program program = TinyProgram(weights, {1, 2});
  Program longer = TinyProgram(weights, {3, kTinyMaxTokens});
  program.regimes.push_back(std::move(longer.regimes[0]));
  program.symbols[Symbol::kT] = {1, kTinyMaxTokens};
  return program;
}

std::vector<CpuKernel> ScalarKernelsExcept(std::string_view name) {
  std::vector<CpuKernel> kernels;
  for (const CpuKernel& kernel : ScalarKernels()) {
    if (kernel.info.name != name) kernels.push_back(kernel);
  }
  return kernels;
}

CpuKernel& KernelNamed(std::vector<CpuKernel>& kernels, std::string_view name) {
  for (CpuKernel& kernel : kernels) {
    if (kernel.info.name == name) return kernel;
  }
  std::cerr << "no kernel " << name << std::endl;
  std::exit(1);
}

std::unique_ptr<KernelRegistry> RegistryOf(const std::vector<CpuKernel>& kernels,
                                           std::span<const WeightLayout> layouts) {
  const std::span<const CpuKernel> tables[] = {kernels};
  std::vector<std::unique_ptr<Backend>> backends;
  CpuBackendOptions options;
  options.layouts = layouts;
  backends.push_back(std::make_unique<CpuBackend>(tables, std::move(options)));
  return std::make_unique<KernelRegistry>(std::move(backends));
}

}  // namespace infer::test
