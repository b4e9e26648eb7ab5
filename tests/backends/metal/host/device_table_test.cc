// SPDX-License-Identifier: Apache-2.0
//
// Compiles every kernel for the device at hand and prints a table, to be pasted into an issue: from
// the source and, where this build compiled the shaders ahead of time, from those files too.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "backends/metal/metal_backend.h"
#include "backends/metal/metal_pipelines.h"
#include "tests/backends/conformance/conformance_case.h"
#include "tests/backends/conformance/reference.h"
#ifdef INFER_TEST_EMULATION
#include "tests/metal_emulation/emulation.h"
#endif

namespace infer::metal {
namespace {

#ifdef INFER_TEST_EMULATION
constexpr bool kEmulated = true;
std::string Metallibs() { return INFER_TEST_METALLIBS; }
#else
constexpr bool kEmulated = false;
std::string Metallibs() { return BuiltMetallibs(); }
#endif

struct TableRow {
  int cases = 0;
  double ms = 0;
  std::string error;  // empty: every pipeline was made
};

// A node for each case that the kernel takes, each with the pipelines that it may need.
TableRow LoadAll(const Backend& metal, const KernelInfo& kernel) {
  TableRow row;
  for (const conformance::ConformanceCase& c : conformance::AllCases()) {
    Graph graph;
    if (c.op != kernel.op) continue;
    const Node* made = conformance::MakeNode(c, &graph);
    if (made == nullptr || !kernel.accepts(*made).accepted()) continue;
    Placement placement;
    placement.target = Target::kMetal;
    placement.kernel = kernel.name;
    for (Node* node : graph.nodes()) {
      if (node == made) node->set_placement(placement);
    }
    const auto start = std::chrono::steady_clock::now();
    const RegimeNode any_rows = {made};
    const absl::Status status = metal.Load({&any_rows, 1});
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    row.ms += took.count();
    ++row.cases;
    if (!status.ok()) row.error = std::string(status.message());
  }
  return row;
}

size_t CompiledShaders(const std::string& metallibs) {
  return std::ranges::count_if(EmbeddedShaders(), [&](const EmbeddedShader& shader) {
    return std::filesystem::exists(MetallibPath(metallibs, shader));
  });
}

// An empty folder: from the source.
void ExpectEveryKernelCompiles(const std::string& metallibs) {
  const std::unique_ptr<Backend> metal =
      MakeMetalBackend({.emulated = kEmulated, .metallibs = metallibs});
  if (std::string why = metal->WhyUnavailable(Target::kMetal); !why.empty()) GTEST_SKIP() << why;
  std::string table = absl::StrFormat("metal: %s\nshaders: ", metal->Description());
  if (metallibs.empty()) {
    table += "source, compiled at load";
  } else {
    absl::StrAppendFormat(&table, "%d of %d compiled ahead of time, in %s",
                          CompiledShaders(metallibs), EmbeddedShaders().size(), metallibs);
  }
  table += "\n\n| kernel | shapes | compile ms | result |\n|---|---|---|---|\n";
  for (const KernelInfo& kernel : metal->kernels()) {
    const TableRow row = LoadAll(*metal, kernel);
    EXPECT_GT(row.cases, 0) << kernel.name;
    EXPECT_EQ(row.error, "") << kernel.name;
    absl::StrAppendFormat(&table, "| %s | %d | %.1f | %s |\n", kernel.name, row.cases, row.ms,
                          row.error.empty() ? "ok" : row.error);
  }
  std::printf("%s\n", table.c_str());
}

TEST(MetalDeviceTable, EveryKernelCompilesFromSource) { ExpectEveryKernelCompiles(""); }

TEST(MetalDeviceTable, EveryKernelCompilesFromTheBuildsLibraries) {
  const std::string metallibs = Metallibs();
  if (metallibs.empty()) GTEST_SKIP() << "this build had no compiler for shaders";
  ExpectEveryKernelCompiles(metallibs);
#ifdef INFER_TEST_EMULATION
  EXPECT_EQ(emulation::counters().compiled_libraries, EmbeddedShaders().size());
#endif
}

}  // namespace
}  // namespace infer::metal
