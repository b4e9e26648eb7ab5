// SPDX-License-Identifier: Apache-2.0
#include "tools/flags/console_load.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "backends/backends.h"
#include "tests/tools/cli/captured_run.h"
#include "tools/api/model_file.h"

namespace infer {
namespace {

// Compiles after another model was loaded, which checks for signals, and gets one meanwhile.
void CompileWithASignal(int number) {
  const CapturedFd out;
  ToolContext context({}, ToolIo{.out_fd = out.fd()});
  if (context.interrupt().requested()) return;
  context.out().Write("the first result\n").IgnoreError();
  CompileModelOptions options;
  options.policy = "scalar";
  options.observer.before = [&](std::string_view, int32_t, const Graph&) {
    if (out.Text() == "the first result\n") raise(number);
  };
  const ModelFile model = ModelFile::Open(INFER_TEST_DATA "/random_untied.gguf").value();
  CompileWithConsole(model, *MakeKernelRegistry(), options, &context).IgnoreError();
}

TEST(CompileWithConsoleDeathTest, ASignalEndsTheSecondModelAtOnceAndKeepsTheOutput) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(CompileWithASignal(SIGINT), ::testing::ExitedWithCode(130),
              "error: interrupted by SIGINT");
  EXPECT_EXIT(CompileWithASignal(SIGTERM), ::testing::ExitedWithCode(143),
              "error: interrupted by SIGTERM");
}

TEST(PackCacheHint, NamesTheFlagAfterASlowLoadWithoutIt) {
  EXPECT_EQ(
      PackCacheHint(2.34, {}),
      "packing took 2.3 s; --pack-cache keeps the packed weights in a file for the next load");
  EXPECT_EQ(PackCacheHint(0.5, {}), "");
  EXPECT_EQ(PackCacheHint(2.34, {.on = true}), "");
}

}  // namespace
}  // namespace infer
