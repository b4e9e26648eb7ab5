// SPDX-License-Identifier: Apache-2.0
//
// A Program that was written and read again is the Program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/strings.h"
#include "ir/proto/serialize.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "runtime/check_weights.h"
#include "tests/model/loaded_model.h"
#include "tools/synth/synth.h"

namespace infer {
namespace {

namespace fs = std::filesystem;
using test::ContinueGreedily;
using test::LoadedModel;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<int32_t> kPrompt = {993, 1312, 258, 556, 395, 284, 258};

const LoadedModel& Bundled() {
  static const auto* model = new LoadedModel("");
  return *model;
}

std::string ReadStored(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Serialized(const Program& program) {
  absl::StatusOr<std::string> bytes = SerializeProgram(program);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : "";
}

struct Variant {
  const char* name;
  const char* model;
  CompileModelOptions options;
};

class StoredProgramTest : public ::testing::TestWithParam<Variant> {
 protected:
  LoadedModel model_{GetParam().model};
};

TEST_P(StoredProgramTest, GivesTheSameTokens) {
  absl::StatusOr<Program> loaded =
      DeserializeProgram(Serialized(model_.Compile(GetParam().options)), "p.pb");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(CheckWeights(*loaded, model_.weights(), WeightCheck::kFull), absl::OkStatus());
  auto stored = Session::CreateAlone(*std::move(loaded), model_.weights(), model_.registry(),
                                     {.context = GetParam().options.context});
  ASSERT_TRUE(stored.ok()) << stored.status();
  auto direct = model_.NewSession(GetParam().options);
  const std::vector<int32_t> prompt = {7, 80, 258, 33, 5};
  std::vector<int32_t> expected = ContinueGreedily(*direct, prompt, 32);
  ASSERT_EQ(expected.size(), 32u);
  EXPECT_EQ(ContinueGreedily(**stored, prompt, 32), expected);
}

TEST_P(StoredProgramTest, CompilingTwiceGivesTheSameBytes) {
  std::string first = Serialized(model_.Compile(GetParam().options));
  LoadedModel again(GetParam().model);
  EXPECT_TRUE(first == Serialized(again.Compile(GetParam().options)));
}

TEST_P(StoredProgramTest, ReadingAndWritingGivesTheSameBytes) {
  std::string bytes = Serialized(model_.Compile(GetParam().options));
  absl::StatusOr<Program> loaded = DeserializeProgram(bytes, "p.pb");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_TRUE(Serialized(*loaded) == bytes);
}

TEST_P(StoredProgramTest, TextParsedBackGivesTheSameBytes) {
  Program program = model_.Compile(GetParam().options);
  std::string text = PrintProgram(program);
  absl::StatusOr<Program> parsed = ParseProgram(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(Verify(*parsed), absl::OkStatus());
  EXPECT_TRUE(Serialized(*parsed) == Serialized(program));
  EXPECT_TRUE(PrintProgram(*parsed) == text);
}

TEST_P(StoredProgramTest, HoldsNoFolderOfThisMachine) {
  std::string bytes = Serialized(model_.Compile(GetParam().options));
  EXPECT_EQ(bytes.find(fs::path(INFER_SOURCE_DIR).parent_path().string() + "/"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    All, StoredProgramTest,
    ::testing::Values(
        Variant{"bundled_scalar", "", {.policy = "scalar", .context = 128, .chunk = 16}},
        Variant{"bundled_reference", "", {.policy = "reference", .context = 128, .chunk = 16}},
        Variant{"untied_full_hash",
                "random_untied.gguf",
                {.policy = "scalar", .context = 128, .hash = HashMode::kFull}}),
    [](const ::testing::TestParamInfo<Variant>& test) { return test.param.name; });

// A folder for the files of one test.
class StoredFilesTest : public ::testing::Test {
 protected:
  StoredFilesTest() {
    std::string pattern = ::testing::TempDir() + "/stored_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~StoredFilesTest() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& bytes) {
    std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  std::string Synthesize(const std::string& name, uint64_t seed) {
    SynthOptions options;
    options.shape = {.layers = 1,
                     .hidden = 64,
                     .heads = 2,
                     .kv_heads = 1,
                     .head_dim = 32,
                     .feed_forward = 96,
                     .tied = true,
                     .rope_base = 1e6f,
                     .rms_epsilon = 1e-6f,
                     .context_tokens = 256};
    options.type = *FindWeightType("q8_0");
    options.vocabulary_kind = VocabularyKind::kSmall;
    options.seed = seed;
    options.output_path = folder_ + "/" + name;
    EXPECT_EQ(WriteSynthModel(options), absl::OkStatus());
    return options.output_path;
  }

  // Starts the binary that knows no pass. Its exit code and what it wrote.
  std::pair<int, std::string> RunStored(const std::string& program, const std::string& model,
                                        const std::string& ids, int tokens) {
    std::string command = StrCat("'", INFER_BIN_DIR, "/run_stored' '", program, "' '", model, "' ",
                                 ids, " ", tokens, " 2>&1");
    FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    char buffer[256];
    while (pipe != nullptr && std::fgets(buffer, sizeof buffer, pipe) != nullptr) output += buffer;
    int status = pipe == nullptr ? -1 : pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
  }

  std::string folder_;
};

std::string Joined(const std::vector<int32_t>& ids) {
  std::string text;
  for (int32_t id : ids) text += StrCat(text.empty() ? "" : ",", id);
  return text;
}

TEST_F(StoredFilesTest, RunWithoutPassesFrontendAndTools) {
  CompileModelOptions options{.policy = "scalar", .context = 256};
  std::string program = Write("p.pb", Serialized(Bundled().Compile(options)));
  auto direct = Bundled().NewSession(options);
  std::vector<int32_t> expected = ContinueGreedily(*direct, kPrompt, 32);
  ASSERT_EQ(expected.size(), 32u);
  auto [code, output] = RunStored(program, Bundled().file().gguf().path(), Joined(kPrompt), 32);
  EXPECT_EQ(code, 0);
  EXPECT_EQ(output, Joined(expected) + "\n");
}

// The list of libraries in CMakeLists.txt says so already; this is what came of it.
TEST_F(StoredFilesTest, RunnerHoldsNoPassFrontendOrTool) {
  std::string runner = ReadStored(INFER_BIN_DIR "/run_stored");
  std::string everything = ReadStored(INFER_BIN_DIR "/tools_binary_test");
  ASSERT_GT(runner.size(), 100000u);
  EXPECT_NE(runner.find("SerialSegment"), std::string::npos);
  for (const char* name : {"PassPipeline", "Qwen3Lowering", "CompileProgram", "CompileModel"}) {
    EXPECT_NE(everything.find(name), std::string::npos) << name;
    EXPECT_EQ(runner.find(name), std::string::npos) << name;
  }
}

TEST_F(StoredFilesTest, SameShapesButOtherWeightsAreRefused) {
  LoadedModel a(Synthesize("a.gguf", 1));
  LoadedModel b(Synthesize("b.gguf", 2));
  ASSERT_EQ(fs::file_size(folder_ + "/a.gguf"), fs::file_size(folder_ + "/b.gguf"));
  ASSERT_EQ(a.weights().model_ref().header_hash, b.weights().model_ref().header_hash);
  Program program = a.Compile({.context = 64});
  EXPECT_EQ(CheckWeights(program, a.weights(), WeightCheck::kSampled), absl::OkStatus());
  absl::Status status = CheckWeights(program, b.weights(), WeightCheck::kSampled);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("has other values than the program was compiled from"),
                    HasSubstr("compile this one")));

  std::string stored = Write("a.pb", Serialized(program));
  EXPECT_EQ(RunStored(stored, folder_ + "/a.gguf", "1,2,3", 4).first, 0);
  auto [code, output] = RunStored(stored, folder_ + "/b.gguf", "1,2,3", 4);
  EXPECT_EQ(code, 3);
  EXPECT_THAT(output, HasSubstr("has other values"));
}

TEST_F(StoredFilesTest, DamagedProgramIsRefused) {
  LoadedModel model(Synthesize("a.gguf", 1));
  std::string bytes = Serialized(model.Compile({.context = 64}));
  for (size_t at : {size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] ^= 0x20;
    auto [code, output] = RunStored(Write("damaged.pb", damaged), folder_ + "/a.gguf", "1,2,3", 4);
    EXPECT_EQ(code, 3) << "byte " << at;
    EXPECT_THAT(output, HasSubstr("damaged.pb"));
  }
  EXPECT_EQ(
      RunStored(Write("cut.pb", bytes.substr(0, bytes.size() / 2)), folder_ + "/a.gguf", "1,2,3", 4)
          .first,
      3);
}

}  // namespace
}  // namespace infer
