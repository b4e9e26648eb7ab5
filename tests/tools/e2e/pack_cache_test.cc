// SPDX-License-Identifier: Apache-2.0
//
// --pack-cache as a user sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "backends/backends.h"
#include "backends/simd/levels/choose_level.h"
#include "frontends/gguf/mapped_file.h"
#include "runtime/file_stamps.h"
#include "tests/support/hang_limit.h"
#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PackCacheFlag : public ::testing::Test {
 protected:
  void SetUp() override {
    const WeightLayout* layout = MakeKernelRegistry()->layout("q8_0_simd");
    if (layout == nullptr || layout->pack == nullptr) GTEST_SKIP() << "nothing is packed here";
    CopyModel(model_);
  }
  static void CopyModel(const std::string& to) {
    std::filesystem::copy_file(BundledModelPath(), to);
    AwaitSettled(to);
  }
  // Packed weights of a file that was written a moment ago are not trusted.
  static void AwaitSettled(const std::string& model) {
    const auto file = MappedFile::Open(model);
    ASSERT_TRUE(file.ok()) << file.status();
    const FileStamp stamp = file->Stamp();
    EXPECT_TRUE(WaitUntil([&] { return AreSettled({&stamp, 1}, FileClockNow()); }));
  }
  static std::string CacheOf(const std::string& model) {
    return model + "." + std::string(simd::ChosenLevel().level->name) + ".infer-pack";
  }
  CapturedRun Run(const std::string& policy = "simd", const std::string& cache = "--pack-cache") {
    return RunNamed("infer-run", {"-m", model_, "-p", "Once", "-n", "3", "--temp", "0", "--policy",
                                  policy, cache, "--stats", "json", "-v"});
  }
  void ExpectTextAfter(const CapturedRun& run) {
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.out, " upon a time\n");
  }

  TempDir dir_;
  const std::string model_ = dir_.Path("model.gguf");
  const std::string cache_ = CacheOf(model_);
};

TEST_F(PackCacheFlag, TheSecondLoadReadsWhatTheFirstPacked) {
  CapturedRun first = Run();
  ExpectTextAfter(first);
  EXPECT_THAT(first.err, HasSubstr("MiB of weights packed\n"));
  EXPECT_THAT(first.err, HasSubstr("\"packed_weights_from\":\"model\""));
  EXPECT_TRUE(std::filesystem::exists(cache_));
  CapturedRun second = Run();
  ExpectTextAfter(second);
  EXPECT_THAT(second.err, HasSubstr("MiB of weights read from " + cache_));
  EXPECT_THAT(second.err, HasSubstr("\"packed_weights_from\":\"cache\""));
  EXPECT_THAT(second.err, Not(HasSubstr("warning")));
}

TEST_F(PackCacheFlag, ADamagedFileIsReportedAndReplaced) {
  Run();
  std::string bytes = ReadFile(cache_);
  bytes[bytes.size() / 2] ^= 1;
  WriteFile(cache_, bytes);
  CapturedRun run = Run();
  ExpectTextAfter(run);
  EXPECT_THAT(run.err, HasSubstr("warning: " + cache_ + ": its bytes do not match"));
  EXPECT_THAT(Run().err, HasSubstr("read from " + cache_));
}

TEST_F(PackCacheFlag, AFileOfAnotherModelIsStale) {
  Run();
  ASSERT_EQ(RunNamed("infer-synth", {"--type", "q8_0", "--layers", "1", "--hidden", "64", "--heads",
                                     "2", "--kv-heads", "1", "--head-dim", "32", "--ff", "96",
                                     "--vocab", "small", "-o", model_})
                .code,
            0);
  AwaitSettled(model_);
  CapturedRun run = Run();
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("was made for another model"));
  EXPECT_THAT(Run().err, HasSubstr("read from " + cache_));
}

// Anywhere in the file, and with the time of the former one.
TEST_F(PackCacheFlag, AModelThatWasWrittenToIsPackedAgain) {
  Run();
  const auto time = std::filesystem::last_write_time(model_);
  std::string bytes = ReadFile(model_);
  std::fstream(model_, std::ios::in | std::ios::out | std::ios::binary).write(bytes.data(), 1);
  std::filesystem::last_write_time(model_, time);
  AwaitSettled(model_);
  CapturedRun run = Run();
  ExpectTextAfter(run);
  EXPECT_THAT(run.err, HasSubstr("the model was changed, copied or moved since; packing again"));
  EXPECT_THAT(Run().err, HasSubstr("read from " + cache_)) << "the weights are the same";
}

TEST_F(PackCacheFlag, TakesAFolder) {
  const std::string folder = dir_.Path("some/cache");
  ExpectTextAfter(Run("simd", "--pack-cache=" + folder));
  EXPECT_FALSE(std::filesystem::exists(cache_));
  CapturedRun second = Run("simd", "--pack-cache=" + folder);
  ExpectTextAfter(second);
  EXPECT_THAT(second.err, HasSubstr("MiB of weights read from " + folder + "/model.gguf-"));
}

TEST_F(PackCacheFlag, AFileThatCannotBeWrittenIsAWarning) {
  std::filesystem::create_directory(cache_);
  CapturedRun run = Run();
  ExpectTextAfter(run);
  EXPECT_THAT(run.err, HasSubstr("warning: " + cache_));
  EXPECT_THAT(run.err, HasSubstr("packed weights are not kept"));
}

TEST_F(PackCacheFlag, APolicyThatPacksNothingWritesNothing) {
  CapturedRun run = Run("scalar");
  ExpectTextAfter(run);
  EXPECT_THAT(run.err, HasSubstr("no weight packed"));
  EXPECT_FALSE(std::filesystem::exists(cache_));
}

}  // namespace
}  // namespace infer
