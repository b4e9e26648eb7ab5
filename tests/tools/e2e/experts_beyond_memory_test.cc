// SPDX-License-Identifier: Apache-2.0
//
// A model whose experts do not fit into the memory that its control group may use.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/tools/e2e/control_group.h"
#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define INFER_SANITIZED
#endif
#endif

constexpr uint64_t kLimitBytes = uint64_t{64} << 20;

// 104 MiB, nearly all of them experts; packed, they would need as much memory again.
void WriteModel(const std::string& path) {
  OutputOf("infer-synth", {"--layers",       "2",    "--hidden",    "512", "--heads",   "8",
                           "--kv-heads",     "2",    "--head-dim",  "64",  "--experts", "64",
                           "--experts-used", "4",    "--expert-ff", "512", "--vocab",   "small",
                           "--type",         "q8_0", "-q",          "-o",  path});
}

// Pages that are in memory count for the group that read them first: that must be the limited one.
void DropFromMemory(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY);
  ASSERT_GE(file, 0);
  EXPECT_EQ(fsync(file), 0);
  EXPECT_EQ(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), 0);
  close(file);
}

std::string RunCommand(const std::string& model) {
  std::string ids = "1";
  for (int i = 2; i <= 100; ++i) ids += "," + std::to_string(i);
  return INFER_BIN_DIR "/infer-run -m '" + model + "' --ids " + ids +
         " -n 4 --ignore-eos --temp 0 -t 2 -c 128";
}

TEST(ExpertsBeyondMemory, RunFromTheMappedFileWithinTheLimit) {
#ifdef INFER_SANITIZED
  GTEST_SKIP() << "a sanitizer needs more memory than the limit leaves";
#endif
  const ControlGroup group(kLimitBytes);
  if (!group.problem().empty()) GTEST_SKIP() << group.problem();
  TempDir dir;
  const std::string model = dir.Path("experts.gguf");
  WriteModel(model);
  ASSERT_GT(std::filesystem::file_size(model), 3 * kLimitBytes / 2);
  const CapturedRun whole = RunShell(RunCommand(model) + " --no-pack experts");
  ASSERT_EQ(whole.code, 0) << whole.err;
  DropFromMemory(model);
  const CapturedRun run =
      RunShell("echo $$ > " + group.ProcsFile() + " && exec " + RunCommand(model));
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, whole.out);
  EXPECT_THAT(run.err, HasSubstr("do not fit into 64.0 MiB of memory, the limit of the control "
                                 "group; the experts are read from the mapped file"));
  EXPECT_LE(group.PeakBytes(), kLimitBytes);
}

TEST(ExpertsBeyondMemory, ModelsThatFitArePackedWithoutAWord) {
  const CapturedRun run =
      RunShell(INFER_BIN_DIR "/infer-run -m '" + TestData("tiny-tales-moe-q8_0.gguf") +
               "' -p 'Once upon a time' -n 4 -t 2");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, Not(HasSubstr("mapped file")));
}

}  // namespace
}  // namespace infer
