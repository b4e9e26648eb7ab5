// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "ir/base/strings.h"
#include "shaders/embedded_shaders.h"
#include "tests/backends/metal/case_dispatches.h"

namespace infer::metal {
namespace {

using conformance::AllCases;
using conformance::ConformanceCase;
using conformance::MakeNode;

TEST(MetalKernels, AreNamedByOpAndTarget) {
  std::set<std::string_view> names;
  for (const MetalKernel& kernel : MetalKernels()) {
    EXPECT_TRUE(names.insert(kernel.info.name).second) << kernel.info.name;
    EXPECT_TRUE(kernel.info.name.starts_with(StrCat(kernel.info.op->name, "_")));
    EXPECT_TRUE(kernel.info.name.ends_with("_metal"));
    EXPECT_EQ(kernel.info.target, Target::kMetal);
  }
}

// The same case with another number of tokens.
ConformanceCase WithTokens(ConformanceCase c, int32_t tokens) {
  c.sequences = {{0, tokens}};
  return c;
}

bool HasTokens(const ConformanceCase& c) {
  return std::ranges::any_of(c.args, [](const conformance::Arg& arg) {
    return arg.shape.rank() > 0 && arg.shape.dim(0) == Dim(Symbol::kT);
  });
}

// One case of each kernel is enough: shapes do not change which pipelines there are but for T.
const ConformanceCase* FirstCase(const MetalKernel& kernel,
                                 const std::vector<ConformanceCase>& cases) {
  for (const ConformanceCase& c : cases) {
    if (c.op != kernel.info.op || !HasTokens(c)) continue;
    Graph graph;
    if (kernel.info.accepts(*MakeNode(c, &graph)).accepted()) return &c;
  }
  return nullptr;
}

TEST(MetalKernels, EveryPipelineOfAnyNumberOfTokensIsKnownAtLoad) {
  const std::vector<ConformanceCase> cases = AllCases();
  for (const MetalKernel& kernel : MetalKernels()) {
    const ConformanceCase* c = FirstCase(kernel, cases);
    if (c == nullptr) continue;
    for (int32_t tokens = 1; tokens <= 70; ++tokens) {
      SymbolRanges symbols;
      symbols[Symbol::kT] = {tokens, tokens};
      const CaseDispatches dispatches(WithTokens(*c, tokens), kernel.info.name, FindDeviceClass(""),
                                      symbols);
      EXPECT_FALSE(dispatches.dispatches().empty()) << kernel.info.name << " at " << tokens;
      for (const Dispatch& dispatch : dispatches.dispatches()) {
        EXPECT_NE(std::ranges::find(dispatches.pipelines(), dispatch.pipeline),
                  dispatches.pipelines().end())
            << kernel.info.name << " at " << tokens << ": " << dispatch.pipeline.function;
      }
    }
  }
}

// What a device may refuse: threads beyond what every pipeline takes, memory, inline bytes.
TEST(MetalKernels, DispatchesStayWithinTheLimitsOfApple7) {
  for (const ConformanceCase& c : AllCases()) {
    for (const MetalKernel& kernel : MetalKernels()) {
      if (kernel.info.op != c.op) continue;
      Graph graph;
      if (!kernel.info.accepts(*MakeNode(c, &graph)).accepted()) continue;
      const CaseDispatches dispatches(c, kernel.info.name);
      for (const Dispatch& d : dispatches.dispatches()) {
        const uint32_t threads = d.threads.x * d.threads.y * d.threads.z;
        EXPECT_LE(threads, 512u) << c.name;
        // What the device is asked for at load must do for every call.
        EXPECT_LE(threads, d.pipeline.threads) << c.name;
        EXPECT_LE(d.threadgroup_bytes, 32u << 10) << c.name;
        EXPECT_EQ(d.threadgroup_bytes % 16, 0u) << c.name;
        EXPECT_LE(d.arguments.size(), 4096u) << c.name;
        EXPECT_GT(d.groups.x * d.groups.y * d.groups.z, 0u) << c.name;
        for (const Binding& binding : d.bindings) EXPECT_NE(binding.data, nullptr) << c.name;
      }
    }
  }
}

TEST(MetalKernels, EveryPipelineIsInTheTextOfItsLibrary) {
  const std::vector<ConformanceCase> cases = AllCases();
  for (const MetalKernel& kernel : MetalKernels()) {
    const ConformanceCase* c = FirstCase(kernel, cases);
    if (c == nullptr) continue;
    const CaseDispatches dispatches(*c, kernel.info.name);
    for (const PipelineKey& key : dispatches.pipelines()) {
      const EmbeddedShader* shader = FindShader(key.library);
      ASSERT_NE(shader, nullptr) << key.library;
      const std::string_view text = shader->source;
      const bool named = text.find(StrCat("kernel void ", key.function, "(")) != text.npos ||
                         text.find(StrCat("host_name(\"", key.function, "\")")) != text.npos;
      EXPECT_TRUE(named) << key.library << " has no " << key.function;
    }
  }
}

TEST(EmbeddedShaders, AreAllFilesOfTheFolder) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(INFER_SOURCE_DIR "/shaders")) {
    if (entry.path().extension() != ".metal") continue;
    ++files;
    EXPECT_NE(FindShader(entry.path().stem().string()), nullptr)
        << entry.path() << " is not in shaders/CMakeLists.txt";
  }
  EXPECT_EQ(files, EmbeddedShaders().size());
}

TEST(EmbeddedShaders, NeedNoFiles) {
  EXPECT_FALSE(EmbeddedShaders().empty());
  for (const EmbeddedShader& shader : EmbeddedShaders()) {
    EXPECT_EQ(shader.source.find("#include \""), std::string_view::npos) << shader.library;
    EXPECT_NE(shader.source.find("struct SequenceArgs"), std::string_view::npos) << shader.library;
  }
  EXPECT_EQ(FindShader("no such library"), nullptr);
}

}  // namespace
}  // namespace infer::metal
