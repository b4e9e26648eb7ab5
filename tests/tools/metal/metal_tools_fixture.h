// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "backends/metal/choose_metal.h"
#include "tests/metal_emulation/emulation.h"
#include "tests/tools/e2e/tool_run.h"

namespace infer {

inline constexpr char kPrompt[] = "Once upon a time there was a little girl who";  // 10 tokens
inline constexpr char kEmulated[] = "metal (CPU emulation, not a GPU)";

class MetalToolsTest : public ::testing::Test {
 protected:
  void SetUp() override { setenv(metal::kEmulationVariable, "1", 1); }
  // A tool leaves nothing behind: every object of Metal's is gone, and none was misused.
  void TearDown() override {
    unsetenv(metal::kEmulationVariable);
    EXPECT_THAT(emulation::LiveObjectList(), ::testing::IsEmpty());
    EXPECT_EQ(emulation::counters().sets_never_requested, never_requested_before_);
    EXPECT_THAT(emulation::TakeProblems(), ::testing::IsEmpty());
  }

  static std::vector<std::string> RunArgs(std::vector<std::string> more) {
    std::vector<std::string> args = {"-p", kPrompt, "-n", "4", "--temp", "0", "--emit", "ids"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
  // The ids of a greedy run.
  static CapturedRun Generate(std::vector<std::string> more) {
    return RunNamed("infer-run", RunArgs(std::move(more)));
  }
  static std::string ExpectedIds() {
    static const auto* ids = new std::string(Generate({"--policy", "reference", "-c", "64"}).out);
    return *ids;
  }
  std::string CompiledForMetal() const {
    const std::string path = dir_.Path("metal.infer.pb");
    const CapturedRun run = RunNamed(
        "infer-compile", {"--policy", "metal", "-m", BundledModelPath(), "-c", "64", "-o", path});
    EXPECT_EQ(run.code, 0) << run.err;
    return path;
  }

  const TempDir dir_;
  const uint64_t never_requested_before_ = emulation::counters().sets_never_requested;
};

}  // namespace infer
