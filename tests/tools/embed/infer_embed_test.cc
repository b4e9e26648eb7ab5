// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/cli/captured_run.h"

namespace infer {

extern const Tool kInferEmbed;

namespace {

using ::testing::HasSubstr;
using Vector = std::vector<float>;

CapturedRun RunEmbed(std::vector<std::string> args) {
  return RunCaptured(kInferEmbed, std::move(args));
}

std::string EmbedOutput(std::vector<std::string> args) {
  CapturedRun run = RunEmbed(std::move(args));
  EXPECT_EQ(run.code, 0) << run.err;
  return run.out;
}

std::vector<Vector> Embedded(std::vector<std::string> args) {
  if (std::ranges::find(args, "--pooling") == args.end()) {
    args.insert(args.end(), {"--pooling", "last"});
  }
  const auto json = nlohmann::json::parse(EmbedOutput(std::move(args)));
  std::vector<Vector> vectors;
  for (const auto& one : json.at("data")) vectors.push_back(one.at("embedding").get<Vector>());
  return vectors;
}

double Cosine(const Vector& a, const Vector& b) {
  double product = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    product += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return product / std::sqrt(aa * bb);
}

TEST(InferEmbed, GivesAVectorOfLengthOneForEachText) {
  const std::vector<Vector> vectors = Embedded({"-p", "The owl slept.", "-p", "2 + 3 = 5"});
  ASSERT_EQ(vectors.size(), 2u);
  ASSERT_EQ(vectors[0].size(), 256u);
  for (const Vector& vector : vectors) EXPECT_NEAR(Cosine(vector, vector), 1, 1e-6);
  double squares = 0;
  for (float x : vectors[0]) squares += x * x;
  EXPECT_NEAR(squares, 1, 1e-5);
  EXPECT_LT(Cosine(vectors[0], vectors[1]), 0.999);
}

TEST(InferEmbed, ReadsLinesAndJsonLinesAlike) {
  TempDir dir;
  WriteFile(dir.Path("lines"), "The owl slept.\n2 + 3 = 5\n");
  WriteFile(dir.Path("jsonl"), "\"The owl slept.\"\n{\"text\": \"2 + 3 = 5\"}\n");
  const std::vector<Vector> given = Embedded({"-p", "The owl slept.", "-p", "2 + 3 = 5"});
  EXPECT_EQ(Embedded({"-f", dir.Path("lines")}), given);
  EXPECT_EQ(Embedded({"-f", dir.Path("jsonl"), "--jsonl"}), given);
}

TEST(InferEmbed, WritesEveryFormat) {
  TempDir dir;
  const Vector expected = Embedded({"-p", "The owl slept."})[0];
  EmbedOutput(
      {"-p", "The owl slept.", "--pooling", "last", "--format", "raw", "-o", dir.Path("raw")});
  const std::string raw = ReadFile(dir.Path("raw"));
  Vector floats(raw.size() / sizeof(float));
  std::memcpy(floats.data(), raw.data(), raw.size());
  EXPECT_EQ(floats, expected);
  const std::string csv =
      EmbedOutput({"-p", "The owl slept.", "--pooling", "last", "--format", "csv"});
  EXPECT_EQ(std::count(csv.begin(), csv.end(), ','), 255);
  EXPECT_EQ(std::stof(csv), expected[0]);
}

TEST(InferEmbed, PoolsCutsAndInstructs) {
  const Vector last = Embedded({"-p", "The owl slept."})[0];
  const Vector mean = Embedded({"-p", "The owl slept.", "--pooling", "mean"})[0];
  const Vector cls = Embedded({"-p", "The owl slept.", "--pooling", "cls"})[0];
  EXPECT_LT(Cosine(last, mean), 0.999);
  EXPECT_LT(Cosine(cls, mean), 0.999);
  EXPECT_EQ(Embedded({"-p", "The", "--pooling", "cls"}), Embedded({"-p", "The"}));
  const Vector cut = Embedded({"-p", "The owl slept.", "--dimensions", "8"})[0];
  ASSERT_EQ(cut.size(), 8u);
  EXPECT_NEAR(Cosine(cut, Vector(last.begin(), last.begin() + 8)), 1, 1e-6);
  const Vector query = Embedded({"-p", "The owl slept.", "--instruct", "Find it"})[0];
  EXPECT_EQ(query, Embedded({"-p", "Instruct: Find it\nQuery:The owl slept."})[0]);
}

TEST(InferEmbed, ManyTextsInOneCallAreThoseOfManyCalls) {
  std::vector<std::string> together, alone;
  for (int i = 0; i < 40; ++i) {
    for (std::vector<std::string>* args : {&together, &alone}) {
      args->insert(args->end(), {"-p", "Tale number " + std::to_string(i * i * i)});
    }
  }
  alone.insert(alone.end(), {"--parallel", "1"});
  const std::vector<Vector> expected = Embedded(alone), found = Embedded(together);
  ASSERT_EQ(found.size(), 40u);
  for (size_t i = 0; i < found.size(); ++i) EXPECT_GT(Cosine(found[i], expected[i]), 0.999) << i;
}

TEST(InferEmbed, ReranksWithAModelThatSaysSo) {
  const std::string model = INFER_TEST_DATA "/random_reranker.gguf";
  const auto json = nlohmann::json::parse(
      EmbedOutput({"-m", model, "--rerank", "Who carried letters?", "-p", "Nico carried letters.",
                   "-p", "2 + 3 = 5", "-p", "An owl slept."}));
  ASSERT_EQ(json["results"].size(), 3u);
  double last = 1;
  for (const auto& result : json["results"]) {
    EXPECT_GE(last, result["relevance_score"].get<double>());
    last = result["relevance_score"].get<double>();
    EXPECT_GE(last, 0);
  }
  const CapturedRun run = RunEmbed({"-m", model, "-p", "a"});
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err, HasSubstr("is a reranker"));
  EXPECT_THAT(run.err, HasSubstr("--rerank"));
}

TEST(InferEmbed, SaysWhatIsMissing) {
  CapturedRun run = RunEmbed({"-p", "a"});
  EXPECT_EQ(run.code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr("choose last, mean or cls, with --pooling"));
  EXPECT_EQ(RunEmbed({"-p", "a", "-f", "b"}).code, 2);
  EXPECT_EQ(RunEmbed({"-p", "a", "--rerank", "q", "--pooling", "mean"}).code, 2);
  run = RunEmbed({"-p", "a", "--pooling", "last", "--dimensions", "257"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("have 256 numbers"));
  run = RunEmbed({"-p", "", "--pooling", "last"});
  EXPECT_THAT(run.err, HasSubstr("text 0 is empty"));
  run = RunEmbed({"-p", "a", "--rerank", "q"});
  EXPECT_THAT(run.err, HasSubstr("\"yes\" is not one token"));
  TempDir dir;
  WriteFile(dir.Path("bad"), "\"a\"\n[1]\n");
  run = RunEmbed({"-f", dir.Path("bad"), "--jsonl", "--pooling", "last"});
  EXPECT_THAT(run.err, HasSubstr("line 2 holds no text"));
}

}  // namespace
}  // namespace infer
