// SPDX-License-Identifier: Apache-2.0
//
// Real files against what another reader (a few lines of Python) says of them. Long lists are
// compared by their FNV-1a hash.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "frontends/gguf/reader.h"
#include "frontends/gguf/weights.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

uint64_t Fnv(std::string_view text, uint64_t hash = 0xcbf29ce484222325) {
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::shared_ptr<const GgufFile> OpenOrFail(const std::string& path) {
  absl::StatusOr<std::shared_ptr<const GgufFile>> file = GgufFile::Open(path);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *file : nullptr;
}

std::string IndexText(const GgufFile& file) {
  std::string text;
  for (const WeightInfo& tensor : file.tensors()) {
    StrAppend(&text, tensor.name, "|", Name(tensor.dtype), "|");
    for (size_t i = 0; i < tensor.dims.size(); ++i) {
      StrAppend(&text, i == 0 ? "" : ",", tensor.dims[i]);
    }
    StrAppend(&text, "|", tensor.offset, ";");
  }
  return text;
}

uint64_t StringsHash(const GgufFile& file, std::string_view key) {
  const auto strings = file.metadata().GetStrings(key);
  EXPECT_TRUE(strings.ok()) << strings.status();
  std::string joined;
  for (size_t i = 0; i < strings->size(); ++i) {
    if (i > 0) joined += '\n';
    joined += (*strings)[i];
  }
  return Fnv(joined);
}

struct Facts {
  std::string path;
  uint64_t file_bytes;
  uint64_t header_bytes;
  size_t keys;
  size_t tensors;
  uint64_t tensor_bytes;
  uint64_t index_hash;
  std::string_view last_tensor;
  uint64_t last_data_hash;  // of its first 256 bytes
  size_t tokens;
  uint64_t tokens_hash;
  size_t merges;
  uint64_t merges_hash;
};

// How GoogleTest names a case.
void PrintTo(const Facts& facts, std::ostream* out) { *out << facts.path; }

const Facts kFacts[] = {
    {INFER_SOURCE_DIR "/tools/assets/tiny-tales-q8_0.gguf", 6282080, 138050, 26, 68, 6144000,
     0xa05cfc37935c09de, "output_norm.weight", 0xf760e93016b4ebea, 4096, 0x7b2c605613f87233, 3833,
     0xa958545ef3df947b},
    {INFER_TEST_DATA "/tiny-tales-f16.gguf", 11688800, 138050, 26, 68, 11550720, 0x4c615cf96351f272,
     "output_norm.weight", 0xf760e93016b4ebea, 4096, 0x7b2c605613f87233, 3833, 0xa958545ef3df947b},
    {INFER_TEST_DATA "/random_untied.gguf", 2182048, 16264, 25, 25, 2165760, 0xee18492a9882e09e,
     "output.weight", 0xbd672c7861502fc7, 768, 0xe053c8fa2d5494d, 0, 0xcbf29ce484222325},
    {INFER_TEST_DATA "/random_wide_heads.gguf", 2860896, 5974, 25, 13, 2854912, 0xdd293d37daf5b9ac,
     "output_norm.weight", 0xf8d6a6f612bb2172, 288, 0x8392571cbf02f42, 0, 0xcbf29ce484222325},
    {INFER_TEST_DATA "/random_odd_vocab.gguf", 1960128, 22196, 25, 46, 1937920, 0x779be8852925d639,
     "output_norm.weight", 0x69b03179d894fb39, 1003, 0xd0d0d2fd7b5e5339, 0, 0xcbf29ce484222325},
    {INFER_TEST_DATA "/qwen3-vocab.gguf", 5932640, 5932632, 22, 0, 0, 0xcbf29ce484222325, "", 0,
     151936, 0xb1dcefe9f585fa4d, 151387, 0xfff7b8931a9727ec},
};

class RealFile : public ::testing::TestWithParam<Facts> {};

TEST_P(RealFile, HasTheIndexThatAnotherReaderFinds) {
  const Facts& facts = GetParam();
  const std::shared_ptr<const GgufFile> file = OpenOrFail(facts.path);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->version(), 3u);
  EXPECT_EQ(file->model_ref().files[0].bytes, facts.file_bytes);
  EXPECT_EQ(file->files()[0].header.header_bytes, facts.header_bytes);
  EXPECT_EQ(file->metadata().entries().size(), facts.keys);
  EXPECT_EQ(file->tensors().size(), facts.tensors);
  EXPECT_EQ(Fnv(IndexText(*file)), facts.index_hash);
  uint64_t tensor_bytes = 0;
  for (const WeightInfo& tensor : file->tensors()) tensor_bytes += tensor.bytes;
  EXPECT_EQ(tensor_bytes, facts.tensor_bytes);
  if (facts.tensors == 0) return;
  const WeightInfo& last = file->tensors().back();
  EXPECT_EQ(last.name, facts.last_tensor);
  EXPECT_EQ(file->Find(facts.last_tensor), &last);
  const std::span<const std::byte> data = file->Data(last);
  ASSERT_EQ(data.size(), last.bytes);
  EXPECT_EQ(Fnv({reinterpret_cast<const char*>(data.data()), 256}), facts.last_data_hash);
}

TEST_P(RealFile, HasTheVocabularyThatAnotherReaderFinds) {
  const Facts& facts = GetParam();
  const std::shared_ptr<const GgufFile> file = OpenOrFail(facts.path);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->metadata().GetStrings("tokenizer.ggml.tokens")->size(), facts.tokens);
  EXPECT_EQ(StringsHash(*file, "tokenizer.ggml.tokens"), facts.tokens_hash);
  EXPECT_EQ(file->metadata().GetStrings("tokenizer.ggml.merges")->size(), facts.merges);
  EXPECT_EQ(StringsHash(*file, "tokenizer.ggml.merges"), facts.merges_hash);
}

std::string CaseName(const ::testing::TestParamInfo<Facts>& info) {
  std::string name = info.param.path.substr(info.param.path.rfind('/') + 1);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Gguf, RealFile, ::testing::ValuesIn(kFacts), CaseName);

TEST(RealFileValues, AreThoseOfTheBundledModel) {
  const auto file = OpenOrFail(kFacts[0].path);
  ASSERT_NE(file, nullptr);
  const Metadata& metadata = file->metadata();
  EXPECT_EQ(*metadata.GetString("general.architecture"), "qwen3");
  EXPECT_EQ(*metadata.GetUint32("qwen3.block_count"), 6u);
  EXPECT_EQ(*metadata.GetFloat32("qwen3.rope.freq_base"), 1e6f);
  EXPECT_EQ(*metadata.GetFloat32("qwen3.attention.layer_norm_rms_epsilon"), 1e-6f);
  EXPECT_EQ(*metadata.GetBool("tokenizer.ggml.add_bos_token"), false);
  EXPECT_EQ(metadata.GetString("tokenizer.chat_template")->size(), 4116u);
  EXPECT_EQ(Fnv(*metadata.GetString("tokenizer.chat_template")), 0x2bfdb7aa9754484eu);
  const auto types = metadata.GetInt32s("tokenizer.ggml.token_type");
  ASSERT_EQ(types->size(), 4096u);
  int64_t sum = 0;
  for (int32_t type : *types) sum += type;
  EXPECT_EQ(sum, 4114);
  const WeightInfo* down = file->Find("blk.0.ffn_down.weight");
  ASSERT_NE(down, nullptr);
  EXPECT_EQ(down->dims, (std::vector<int64_t>{256, 768}));
  EXPECT_EQ(down->dtype, DType::kQ8_0);
  EXPECT_EQ(down->offset, 1253216u);
}

}  // namespace
}  // namespace infer
