// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ir/base/strings.h"
#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr size_t kEvalVocabulary = 4096;
constexpr size_t kHidden = 256;
// Of the held-out text's first 2,600 bytes in windows of 128, as recorded when the whole text in
// windows of 512 gave 1.3526 here and 1.3527 with llama.cpp, which rounds activations to 8 bits.
constexpr double kRecordedPerplexity = 1.38743;

std::vector<float> Floats(const std::string& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

std::vector<float> Logits(std::vector<std::string> args) {
  args.insert(args.begin(), "logits");
  args.insert(args.end(), {"-o", "-", "-q"});
  return Floats(OutputOf("infer-eval", args));
}

std::vector<float> LastRow(const std::vector<float>& values, size_t columns) {
  return {values.end() - static_cast<std::ptrdiff_t>(columns), values.end()};
}

TEST(InferEvalLogits, WritesTheLastRowOrAll) {
  TempDir dir;
  OutputOf("infer-eval", {"logits", "--ids", "993,1312,258", "-o", dir.Path("one.f32")});
  std::vector<float> one = Floats(ReadFile(dir.Path("one.f32")));
  ASSERT_EQ(one.size(), kEvalVocabulary);
  std::vector<float> all = Logits({"--ids", "993,1312,258", "--all-positions"});
  ASSERT_EQ(all.size(), 3 * kEvalVocabulary);
  EXPECT_EQ(LastRow(all, kEvalVocabulary), one);
  // "Once upon a" goes on with " time", as infer-run's greedy text does.
  auto best = std::max_element(one.begin(), one.end()) - one.begin();
  EXPECT_EQ(OutputOf("infer-tokenize", {"--decode", std::to_string(best)}), " time");
}

TEST(InferEvalLogits, PromptsDoNotSeeEachOther) {
  const std::vector<float> two = Logits({"--ids", "1,50", "--ids", "993,1312,258"});
  ASSERT_EQ(two.size(), 2 * kEvalVocabulary);
  EXPECT_EQ(LastRow(two, kEvalVocabulary), Logits({"--ids", "993,1312,258"}));
  EXPECT_NE(LastRow(two, kEvalVocabulary), Logits({"--ids", "1,50,993,1312,258"}));
}

TEST(InferEvalLogits, RefusesWhatIsNoListOfIds) {
  for (const char* ids : {"1,x", "", "1,,2", "99999999999"}) {
    const CapturedRun run = RunNamed("infer-eval", {"logits", "--ids", ids, "-o", "-"});
    EXPECT_EQ(run.code, 2) << ids;
    EXPECT_THAT(run.err, HasSubstr("--ids")) << ids;
  }
}

TEST(InferEvalLogits, ManyIdsAreRunInChunks) {
  std::string ids = "993";
  for (int i = 0; i < 99; ++i) StrAppend(&ids, ",", 300 + 7 * i);
  std::vector<float> all = Logits({"--ids", ids, "--all-positions"});
  ASSERT_EQ(all.size(), 100 * kEvalVocabulary);
  EXPECT_EQ(LastRow(all, kEvalVocabulary), Logits({"--ids", ids}));
}

TEST(InferEvalLogits, WritesHiddenStates) {
  for (const char* hidden : {"embedding", "0", "5", "final_norm"}) {
    std::vector<float> all = Logits({"--ids", "1,2,3", "--hidden", hidden, "--all-positions"});
    EXPECT_EQ(all.size(), 3 * kHidden) << hidden;
    EXPECT_EQ(Logits({"--ids", "1,2,3", "--hidden", hidden}), LastRow(all, kHidden)) << hidden;
  }
  // The embedding of a token does not depend on its place.
  EXPECT_EQ(Logits({"--ids", "1,2,3", "--hidden", "embedding"}),
            Logits({"--ids", "3", "--hidden", "embedding"}));
  EXPECT_NE(Logits({"--ids", "1,2,3", "--hidden", "0"}), Logits({"--ids", "3", "--hidden", "0"}));
}

TEST(InferEvalLogits, RefusesWhatIsNotThere) {
  TempDir dir;
  auto expect = [&](std::vector<std::string> args, int code, const std::string& message) {
    args.insert(args.begin(), "logits");
    args.insert(args.end(), {"-o", dir.Path("out.f32"), "-q"});
    CapturedRun run = RunNamed("infer-eval", args);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_THAT(run.err, HasSubstr(message));
  };
  expect({"--ids", "1,4096"}, 3, "id 4096, outside the vocabulary");
  expect({"--ids", "1", "--hidden", "6"}, 3, "layers are 0 to 5");
  expect({"--ids", "1", "--hidden", "abc"}, 2, "--hidden 'abc'");
  expect({"--ids", "1", "--hidden", "-1"}, 2, "--hidden '-1'");
  expect({}, 2, "--ids");
  std::string ids = "1";
  for (int i = 0; i < 2048; ++i) ids += ",1";
  expect({"--ids", ids}, 2, "a context of 2049 tokens");
  EXPECT_THAT(dir.Names(), ElementsAre()) << "a refused run leaves no file";
  EXPECT_EQ(RunNamed("infer-eval", {}).code, 2);
}

double NegativeLogLikelihood(const float* row, int token) {
  double max = *std::max_element(row, row + kEvalVocabulary), sum = 0;
  for (size_t i = 0; i < kEvalVocabulary; ++i) sum += std::exp(row[i] - max);
  return max + std::log(sum) - row[token];
}

// The definition, from logits of whole windows: the second half of each window, one token ahead.
double PerplexityFromLogits(const std::vector<int>& tokens, size_t window, size_t windows) {
  double nll = 0;
  for (size_t w = 0; w < windows; ++w) {
    std::string ids;
    for (size_t i = 0; i < window; ++i) StrAppend(&ids, i ? "," : "", tokens[w * window + i]);
    std::vector<float> logits = Logits({"--policy", "reference", "--ids", ids, "--all-positions"});
    for (size_t i = window / 2; i + 1 < window; ++i) {
      nll += NegativeLogLikelihood(&logits[i * kEvalVocabulary], tokens[w * window + i + 1]);
    }
  }
  return std::exp(nll / static_cast<double>(windows * (window / 2 - 1)));
}

TEST(InferEvalPerplexity, ScoresTheSecondHalfOfEachWindow) {
  std::string text = TestData("tiny-tales-heldout-head.txt");
  nlohmann::json json = nlohmann::json::parse(
      OutputOf("infer-eval", {"perplexity", "-f", text, "--ctx", "128", "--policy", "reference",
                              "--format", "json", "-q"}));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["context"], 128);
  size_t windows = json["windows"].get<size_t>();
  ASSERT_EQ(windows, 4u);
  EXPECT_EQ(json["scored_tokens"], 4 * 63);
  nlohmann::json tokens =
      nlohmann::json::parse(OutputOf("infer-tokenize", {"-f", text, "--format", "json"}));
  double perplexity = json["perplexity"].get<double>();
  EXPECT_NEAR(perplexity, PerplexityFromLogits(tokens["ids"], 128, windows), 1e-6);
  EXPECT_NEAR(perplexity, kRecordedPerplexity, 1e-4);
}

TEST(InferEvalPerplexity, PrintsALineAndRefusesTooLittleText) {
  StdinText text(ReadFile(TestData("tiny-tales-heldout-head.txt")).substr(0, 400));
  EXPECT_THAT(OutputOf("infer-eval", {"perplexity", "--ctx", "32", "-q"}),
              StartsWith("perplexity "));
  CapturedRun little = RunNamed("infer-eval", {"perplexity", "-f", "/dev/null", "-q"});
  EXPECT_EQ(little.code, 3);
  EXPECT_EQ(little.out, "");
  EXPECT_THAT(little.err, HasSubstr("give more text or a smaller --ctx"));
  EXPECT_EQ(RunNamed("infer-eval", {"perplexity", "--ctx", "3"}).code, 2);
  EXPECT_EQ(RunNamed("infer-eval", {"perplexity", "--ctx", "9999"}).code, 2);
}

TEST(InferEvalKl, OfReferenceAgainstItselfIsNothing) {
  TempDir dir;
  WriteFile(dir.Path("text"), ReadFile(TestData("tiny-tales-heldout-head.txt")).substr(0, 1500));
  const nlohmann::json same = nlohmann::json::parse(
      OutputOf("infer-eval", {"kl", "-f", dir.Path("text"), "--ctx", "64", "--against", "reference",
                              "--policy", "reference", "--format", "json", "-q"}));
  EXPECT_EQ(same["mean"], 0);
  EXPECT_EQ(same["same_top"], 1);
  EXPECT_GT(same["tokens"], 100);
  const nlohmann::json rounded = nlohmann::json::parse(
      OutputOf("infer-eval", {"kl", "-f", dir.Path("text"), "--ctx", "64", "--against", "reference",
                              "--policy", "scalar", "--format", "json", "-q"}));
  EXPECT_GT(rounded["mean"], 0);  // a cache in f16
  EXPECT_LT(rounded["mean"], 1e-4);
}

// A file as llama.cpp's tool writes it, with probabilities that are all equal.
std::string Probabilities(int32_t context, int32_t windows) {
  constexpr int32_t kTokens = 4;
  std::string bytes = "_logits_";
  auto append = [&bytes](int32_t number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  for (int32_t number : {context, kTokens, windows}) append(number);
  for (int32_t i = 0; i < context * windows; ++i) append(1);
  const int32_t rows = windows * (context - 1 - context / 2);
  bytes.append(static_cast<size_t>(rows) * (kTokens + 4) * 2, '\0');
  return bytes;
}

TEST(InferEvalKl, RefusesFilesOfDifferentWindows) {
  TempDir dir;
  const std::string base = dir.Path("base");
  WriteFile(base, Probabilities(16, 2));
  EXPECT_EQ(RunNamed("infer-eval", {"kl", "--against", base, "--of", base, "-q"}).code, 0);
  for (const std::string& other :
       {Probabilities(32, 2), Probabilities(16, 1), Probabilities(16, 3), Probabilities(8, 4)}) {
    WriteFile(dir.Path("other"), other);
    const CapturedRun run =
        RunNamed("infer-eval", {"kl", "--against", base, "--of", dir.Path("other"), "-q"});
    EXPECT_EQ(run.code, 3);
    EXPECT_THAT(run.err, HasSubstr("2 windows of 16 tokens"));
  }
  EXPECT_EQ(RunNamed("infer-eval", {"kl", "--against", base, "-f", "text", "-q"}).code, 2);
}

TEST(InferEvalLogits, TakesCallsCachesAndContextsOfAnySize) {
  const std::vector<std::string> ids = {"--ids", "993,1312,258,300,307,314", "--invariant"};
  std::vector<std::string> cut = ids;
  cut.insert(cut.end(), {"-ub", "2", "-c", "64", "--kv", "paged"});
  EXPECT_EQ(Logits(cut), Logits(ids));
  EXPECT_EQ(RunNamed("infer-eval", {"logits", "--ids", "1,2,3", "-c", "2", "-o", "-"}).code, 2);
}

}  // namespace
}  // namespace infer
