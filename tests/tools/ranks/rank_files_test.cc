// SPDX-License-Identifier: Apache-2.0
//
// Ranks whose files are missing, damaged, different or cannot be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ir/base/strings.h"
#include "tests/tools/e2e/tool_run.h"
#include "tests/tools/ranks/mpi_run.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

Command RunOf(const std::string& model, std::vector<std::string> more = {"-n", "5"}) {
  Command command = {INFER_BIN_DIR "/infer-run", "-q",     "-m", model,     "-p",
                     "Once upon a time",         "--temp", "0",  "--ranks", "2"};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

class RankFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoMpi(); !why.empty()) GTEST_SKIP() << why;
    for (const char* name : {"a.gguf", "b.gguf"}) {
      std::filesystem::copy_file(BundledModelPath(), dir_.Path(name));
    }
  }
  std::string a() const { return dir_.Path("a.gguf"); }
  std::string b() const { return dir_.Path("b.gguf"); }

  // Two ranks that cannot work together: nothing is written, and one line says why.
  static void ExpectRefusal(const std::vector<Command>& ranks, const std::string& what) {
    MpiRun run(ranks);
    EXPECT_TRUE(run.Wait());
    EXPECT_NE(run.result().code, 0);
    EXPECT_EQ(run.out(), "");
    ASSERT_THAT(run.Errors(), SizeIs(1)) << run.result().err;
    EXPECT_THAT(run.Errors()[0], HasSubstr(what));
  }

  TempDir dir_;
};

TEST_F(RankFiles, CopiesOfOneFileWorkTogether) {
  MpiRun run({RunOf(a()), RunOf(b())});
  EXPECT_TRUE(run.Wait());
  EXPECT_EQ(run.result().code, 0) << run.result().err;
  EXPECT_EQ(run.out(), RunShell("$BIN/infer-run -q -p 'Once upon a time' --temp 0 -n 5").out);
}

TEST_F(RankFiles, ATruncatedFileIsRefused) {
  std::filesystem::resize_file(b(), std::filesystem::file_size(b()) / 2);
  ExpectRefusal({RunOf(a()), RunOf(b())}, "error: rank 1 (host ");
  ExpectRefusal({RunOf(b()), RunOf(a())}, "b.gguf");
}

TEST_F(RankFiles, AMissingFileIsRefused) {
  ExpectRefusal({RunOf(a()), RunOf(dir_.Path("c.gguf"))}, "error: rank 1 (host ");
}

// Others must not continue with what was computed from zeros.
TEST_F(RankFiles, AFileThatIsTruncatedWhileItIsUsedEndsAll) {
  // Pages that were read stay in memory, so the weights are read again for each token: scalar
  // kernels read the mapped file.
  const std::vector<std::string> more = {"-n", "900", "--ignore-eos", "--policy", "scalar"};
  const std::string whole = RunShell(
                                "$BIN/infer-run -q -p 'Once upon a time' --temp 0 -n 100 "
                                "--ignore-eos --policy scalar")
                                .out;
  MpiRun run({RunOf(a(), more), RunOf(b(), more)});
  ASSERT_TRUE(run.WaitForOutput(20)) << run.result().err;
  std::filesystem::resize_file(b(), 4096);
  EXPECT_TRUE(run.Wait(MpiRun::EndTime()));
  EXPECT_NE(run.result().code, 0);
  ASSERT_THAT(run.Errors(), SizeIs(1)) << run.result().err;
  EXPECT_THAT(run.Errors()[0], StartsWith("error: rank 1 (host "));
  EXPECT_THAT(run.Errors()[0], HasSubstr("b.gguf"));
  // The text up to the end of a run ends with a newline of its own.
  std::string out = run.out();
  if (out.ends_with('\n')) out.pop_back();
  const size_t common = std::min(out.size(), whole.size() - 1);
  EXPECT_EQ(out.substr(0, common), whole.substr(0, common));
}

TEST_F(RankFiles, AnotherModelIsRefused) {
  ExpectRefusal({RunOf(a()), RunOf(TestData("tiny-tales-f16.gguf"))}, "has another model file");
}

TEST_F(RankFiles, OtherWeightsAreRefused) {
  std::string bytes = ReadFile(b());
  for (size_t i = bytes.size() / 2; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
  WriteFile(b(), bytes);
  ExpectRefusal({RunOf(a()), RunOf(b())}, "same header but other weights");
}

TEST_F(RankFiles, OtherOptionsAreRefused) {
  ExpectRefusal({RunOf(a()), RunOf(b(), {"-n", "5", "--policy", "scalar"})},
                "compiled another program");
}

TEST_F(RankFiles, ANumberOfProcessesOtherThanTheRanksIsRefused) {
  ExpectRefusal({RunOf(a()), RunOf(a()), RunOf(a())}, "divided over 2 ranks, but 3");
}

TEST_F(RankFiles, AFullDiskForAResultEndsAll) {
  std::string ids = "1";
  for (int i = 2; i < 60; ++i) StrAppend(&ids, ",", i);
  MpiRun run(SameCommand(2, "infer-eval",
                         {"logits", "--ids", ids, "--all-positions", "-q", "-o", "/dev/full"}));
  ASSERT_TRUE(run.WaitForError()) << run.result().err;
  EXPECT_TRUE(run.Wait(MpiRun::EndTime()));
  EXPECT_EQ(run.result().code, 1);
  ASSERT_THAT(run.Errors(), SizeIs(1)) << run.result().err;
  EXPECT_EQ(run.Errors()[0], "error: /dev/full: write failed: No space left on device");
}

// Rank 0 writes its text to mpirun, which drops what the disk has no room for and does not say so.
TEST_F(RankFiles, AFullDiskForTheTextStopsNobody) {
  MpiRun run(SameCommand(2, "infer-run", {"-q", "-p", "Once", "-n", "100", "--ignore-eos"}),
             "/dev/full");
  EXPECT_TRUE(run.Wait());
  EXPECT_THAT(run.Errors(), SizeIs(0)) << run.result().err;
}

// The files of packed weights are a convenience: without room for them, the text is the same.
TEST_F(RankFiles, AFullDiskForPackedWeightsChangesNothing) {
  const std::string small = dir_.Path("small");
  std::filesystem::create_directory(small);
  if (mount("none", small.c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "a file system in memory cannot be mounted here";
  }
  const std::vector<std::string> more = {"-n", "5", StrCat("--pack-cache=", small)};
  MpiRun run({RunOf(a(), more), RunOf(b(), more)});
  EXPECT_TRUE(run.Wait());
  umount(small.c_str());
  EXPECT_EQ(run.result().code, 0) << run.result().err;
  EXPECT_EQ(run.out(), RunShell("$BIN/infer-run -q -p 'Once upon a time' --temp 0 -n 5").out);
}

}  // namespace
}  // namespace infer
