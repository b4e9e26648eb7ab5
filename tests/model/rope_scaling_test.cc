// SPDX-License-Identifier: Apache-2.0
//
// Scaled rotary positions (linear and YaRN) against Hugging Face's own code. The files are one of
// the random models with the keys added that a converter writes for `rope_scaling`.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/model/loaded_model.h"
#include "tests/model/reference_data.h"

namespace infer {
namespace {

using test::LoadedModel;
using test::ReferenceData;

template <class T>
std::string Raw(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

std::string RawString(std::string_view text) {
  return Raw(uint64_t{text.size()}) + std::string(text);
}

// Entries of a GGUF header; the numbers are the format's value types.
std::string StringEntry(std::string_view key, std::string_view value) {
  return RawString(key) + Raw(uint32_t{8}) + RawString(value);
}
std::string FloatEntry(std::string_view key, double value) {
  return RawString(key) + Raw(uint32_t{6}) + Raw(static_cast<float>(value));
}
std::string IntEntry(std::string_view key, uint32_t value) {
  return RawString(key) + Raw(uint32_t{4}) + Raw(value);
}

// `file` with entries put first. They are filled up to a multiple of 32 bytes, so that the tensors,
// which are counted from the next multiple of 32 after the header, stay where they are.
std::string WithEntries(std::string file, std::vector<std::string> entries) {
  constexpr size_t kHeaderBytes = 24, kCountOffset = 16, kAlignment = 32;
  std::string added;
  for (const std::string& entry : entries) added += entry;
  size_t filler_bytes = StringEntry("test.filler", "").size();
  size_t rest = (added.size() + filler_bytes) % kAlignment;
  added += StringEntry("test.filler", std::string(kAlignment - rest, 'x'));
  uint64_t count;
  std::memcpy(&count, file.data() + kCountOffset, sizeof(count));
  file.replace(kCountOffset, sizeof(count), Raw(count + entries.size() + 1));
  file.insert(kHeaderBytes, added);
  return file;
}

std::vector<std::string> ScalingEntries(const nlohmann::json& rope) {
  std::vector<std::string> entries = {
      StringEntry("qwen3.rope.scaling.type", rope["rope_type"].get<std::string>()),
      FloatEntry("qwen3.rope.scaling.factor", rope["factor"])};
  if (rope.contains("original_max_position_embeddings")) {
    entries.push_back(IntEntry("qwen3.rope.scaling.original_context_length",
                               rope["original_max_position_embeddings"]));
  }
  if (rope.contains("beta_fast")) {
    entries.push_back(FloatEntry("qwen3.rope.scaling.yarn_beta_fast", rope["beta_fast"]));
    entries.push_back(FloatEntry("qwen3.rope.scaling.yarn_beta_slow", rope["beta_slow"]));
  }
  return entries;
}

// The file's own rope base replaced in place.
void SetRopeBase(std::string* file, double base) {
  constexpr std::string_view kKey = "qwen3.rope.freq_base";
  size_t at = file->find(kKey);
  ASSERT_NE(at, std::string::npos);
  file->replace(at + kKey.size() + sizeof(uint32_t), sizeof(float), Raw(static_cast<float>(base)));
}

class RopeScaling : public ::testing::TestWithParam<const char*> {};

TEST_P(RopeScaling, EqualsHuggingFace) {
  ReferenceData data("rope_scaling");
  const nlohmann::json& cases = data.json()["cases"];
  auto found = std::find_if(cases.begin(), cases.end(),
                            [](const nlohmann::json& c) { return c["name"] == GetParam(); });
  ASSERT_NE(found, cases.end());
  std::ifstream source(std::string(INFER_TEST_DATA) + "/" + data.model(), std::ios::binary);
  std::string file{std::istreambuf_iterator<char>(source), {}};
  const nlohmann::json& rope = (*found)["rope_parameters"];
  SetRopeBase(&file, rope["rope_theta"]);
  std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / (std::string("rope_") + GetParam() + ".gguf");
  std::ofstream(path, std::ios::binary) << WithEntries(file, ScalingEntries(rope));

  LoadedModel model(path.string());
  std::vector<int32_t> ids = (*found)["ids"].get<std::vector<int32_t>>();
  CompileModelOptions options;
  options.policy = "reference";
  options.logit_rows = static_cast<int64_t>(ids.size());
  std::unique_ptr<Session> session = model.NewSession(options);
  ASSERT_TRUE(session->RunWithAllLogits(ids).ok());
  std::span<const float> expected = data.Array(std::string("all_logits/") + GetParam());
  ASSERT_EQ(expected.size(), ids.size() * static_cast<size_t>(session->vocabulary()));
  float worst = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    worst = std::max(worst, std::abs(session->logits(0).data()[i] - expected[i]));
  }
  EXPECT_LE(worst, 2e-4f);
  std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(All, RopeScaling, ::testing::Values("linear", "yarn", "yarn_small_base"));

}  // namespace
}  // namespace infer
