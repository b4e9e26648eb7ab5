// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/synth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>

#include "tests/tools/synth/parsed_gguf.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SynthOptions TinyOptions(std::string_view type, std::string path) {
  SynthOptions options;
  options.shape = {
      .layers = 2, .hidden = 256, .heads = 4, .kv_heads = 2, .head_dim = 64, .feed_forward = 256};
  options.type = *FindWeightType(type);
  options.vocabulary_kind = VocabularyKind::kSmall;
  options.seed = 7;
  options.output_path = std::move(path);
  return options;
}

std::string Write(const SynthOptions& options) {
  const absl::Status status = WriteSynthModel(options);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return ReadWhole(options.output_path);
}

// Offsets follow each other without gaps beyond the padding, and the file ends with the last.
void ExpectPacked(const ParsedGguf& parsed, uint64_t file_bytes) {
  uint64_t offset = 0;
  for (const ParsedTensor& tensor : parsed.tensors) {
    EXPECT_EQ(tensor.offset, offset) << tensor.name;
    uint64_t elements = 1;
    for (uint64_t dim : tensor.dims) elements *= dim;
    ASSERT_TRUE(DTypeFromGguf(tensor.type).has_value()) << tensor.name;
    offset += (*BytesFor(*DTypeFromGguf(tensor.type), elements) + 31) / 32 * 32;
  }
  EXPECT_EQ(parsed.data_start + offset, file_bytes);
}

TEST(Synth, EveryTypeGivesAWellFormedFileThatDependsOnTheSeedAlone) {
  for (const WeightType& type : AllWeightTypes()) {
    SCOPED_TRACE(type.name);
    TestDirectory directory;
    SynthOptions options = TinyOptions(type.name, directory.Path("m.gguf"));
    const std::string bytes = Write(options);
    const ParsedGguf parsed = ParseGguf(bytes);
    ExpectPacked(parsed, bytes.size());
    EXPECT_EQ(parsed.values.at("general.file_type").number, type.file_type);
    EXPECT_EQ(parsed.tensors[2].name, "blk.0.ffn_down.weight");
    EXPECT_EQ(parsed.tensors[3].type, Info(type.dtype).gguf_id);
    EXPECT_TRUE(Write(options) == bytes);
    options.seed = 8;
    EXPECT_FALSE(Write(options) == bytes);
    EXPECT_THAT(directory.Files(), ElementsAre("m.gguf"));
  }
}

TEST(Synth, BytesAreTheSameOnEveryPlatform) {
  const std::pair<std::string_view, uint64_t> pinned[] = {
      {"f32", 0x921c155248e1b6deu},    {"f16", 0xcc3b7314f5b39320u},
      {"bf16", 0x3afa508145255f67u},   {"q8_0", 0x61dfb20b1aedd83cu},
      {"q4_0", 0xbb1ce1d6be75b4a0u},   {"q4_1", 0x9db76070c996ef19u},
      {"q5_0", 0xc914c9381461424au},   {"q5_1", 0xfe0f84db8bb79c00u},
      {"q2_k", 0x6c9042b93a05adaau},   {"q3_k", 0x993c157983912638u},
      {"q4_k", 0x710615c0136acedcu},   {"q5_k", 0x859d341bca8355a5u},
      {"q6_k", 0x306d4a8c6667624au},   {"iq4_nl", 0x14e06dc64c29611eu},
      {"iq4_xs", 0xf1c874d470eece9au}, {"mxfp4", 0xb050d524f8acd33bu},
  };
  TestDirectory directory;
  for (const auto& [type, hash] : pinned) {
    EXPECT_EQ(HashOf(Write(TinyOptions(type, directory.Path("m")))), hash) << type;
  }
}

// Keys, their order and their types as in a file of llama.cpp's converter.
TEST(Synth, MetadataIsWhatTheConverterWrites) {
  TestDirectory directory;
  const ParsedGguf parsed = ParseGguf(Write(TinyOptions("q8_0", directory.Path("m"))));
  const std::pair<const char*, uint32_t> expected[] = {
      {"general.architecture", 8},
      {"general.type", 8},
      {"general.name", 8},
      {"general.size_label", 8},
      {"qwen3.block_count", 4},
      {"qwen3.context_length", 4},
      {"qwen3.embedding_length", 4},
      {"qwen3.feed_forward_length", 4},
      {"qwen3.attention.head_count", 4},
      {"qwen3.attention.head_count_kv", 4},
      {"qwen3.rope.freq_base", 6},
      {"qwen3.attention.layer_norm_rms_epsilon", 6},
      {"qwen3.attention.key_length", 4},
      {"qwen3.attention.value_length", 4},
      {"general.file_type", 4},
      {"general.quantization_version", 4},
      {"tokenizer.ggml.model", 8},
      {"tokenizer.ggml.pre", 8},
      {"tokenizer.ggml.tokens", 9},
      {"tokenizer.ggml.token_type", 9},
      {"tokenizer.ggml.merges", 9},
      {"tokenizer.ggml.eos_token_id", 4},
      {"tokenizer.ggml.padding_token_id", 4},
      {"tokenizer.ggml.bos_token_id", 4},
      {"tokenizer.ggml.add_bos_token", 7},
      {"tokenizer.chat_template", 8},
  };
  ASSERT_EQ(parsed.keys.size(), std::size(expected));
  for (size_t i = 0; i < parsed.keys.size(); ++i) {
    EXPECT_EQ(parsed.keys[i], expected[i].first);
    EXPECT_EQ(parsed.values.at(parsed.keys[i]).type, expected[i].second) << parsed.keys[i];
  }
  EXPECT_EQ(parsed.values.at("general.architecture").text, "qwen3");
  EXPECT_EQ(parsed.values.at("qwen3.attention.head_count_kv").number, 2u);
  EXPECT_EQ(parsed.values.at("qwen3.rope.freq_base").number, std::bit_cast<uint32_t>(1e6f));
  EXPECT_EQ(parsed.values.at("tokenizer.ggml.tokens").texts.size(), 512u);
  EXPECT_EQ(parsed.values.at("tokenizer.ggml.token_type").numbers.size(), 512u);
  EXPECT_EQ(parsed.values.at("tokenizer.ggml.eos_token_id").number, 258u);
}

TEST(Synth, ShapesOfTensorsFollowTheNumbers) {
  TestDirectory directory;
  SynthOptions options = TinyOptions("f16", directory.Path("m"));
  options.shape.head_dim = 32;
  options.shape.feed_forward = 768;
  options.shape.tied = false;
  options.vocabulary_tokens = 300;
  std::map<std::string, std::vector<uint64_t>> dims;
  for (const ParsedTensor& tensor : ParseGguf(Write(options)).tensors) {
    dims[tensor.name] = tensor.dims;
  }
  EXPECT_EQ(dims.size(), 3 + 2 * 11u);
  EXPECT_THAT(dims["token_embd.weight"], ElementsAre(256, 300));
  EXPECT_THAT(dims["output.weight"], ElementsAre(256, 300));
  EXPECT_THAT(dims["output_norm.weight"], ElementsAre(256));
  EXPECT_THAT(dims["blk.1.attn_q.weight"], ElementsAre(256, 128));
  EXPECT_THAT(dims["blk.1.attn_k.weight"], ElementsAre(256, 64));
  EXPECT_THAT(dims["blk.1.attn_v.weight"], ElementsAre(256, 64));
  EXPECT_THAT(dims["blk.1.attn_output.weight"], ElementsAre(128, 256));
  EXPECT_THAT(dims["blk.1.attn_q_norm.weight"], ElementsAre(32));
  EXPECT_THAT(dims["blk.1.ffn_gate.weight"], ElementsAre(256, 768));
  EXPECT_THAT(dims["blk.1.ffn_down.weight"], ElementsAre(768, 256));
}

TEST(Synth, FamiliesHaveTheirOwnTensors) {
  TestDirectory directory;
  SynthOptions options = TinyOptions("f16", directory.Path("m"));
  const auto has = [&](SynthFamily family, std::string_view architecture, std::string_view tensor) {
    options.shape.family = family;
    const ParsedGguf parsed = ParseGguf(Write(options));
    EXPECT_EQ(parsed.values.at("general.architecture").text, architecture);
    return std::ranges::any_of(parsed.tensors,
                               [&](const ParsedTensor& found) { return found.name == tensor; });
  };
  EXPECT_TRUE(has(SynthFamily::kQwen3, "qwen3", "blk.1.attn_q_norm.weight"));
  EXPECT_FALSE(has(SynthFamily::kQwen2, "qwen2", "blk.1.attn_q_norm.weight"));
  EXPECT_TRUE(has(SynthFamily::kQwen2, "qwen2", "blk.1.attn_v.bias"));
  EXPECT_FALSE(has(SynthFamily::kLlama, "llama", "blk.1.attn_v.bias"));
  EXPECT_FALSE(has(SynthFamily::kLlama, "llama", "blk.1.attn_k_norm.weight"));
  EXPECT_TRUE(has(SynthFamily::kLlama, "llama", "rope_freqs.weight"));
}

TEST(Synth, VocabularyIsCopiedFromAFileAndPadded) {
  TestDirectory directory;
  SynthOptions source = TinyOptions("q8_0", directory.Path("source"));
  Write(source);
  SynthOptions options = TinyOptions("q8_0", directory.Path("m"));
  options.vocabulary_kind = VocabularyKind::kQwen3;
  options.vocabulary_file = source.output_path;
  options.vocabulary_tokens = 600;
  const ParsedGguf parsed = ParseGguf(Write(options));
  EXPECT_EQ(parsed.values.at("tokenizer.ggml.tokens").texts.at(511), "[PAD511]");
  EXPECT_EQ(parsed.values.at("tokenizer.ggml.tokens").texts.at(599), "[PAD599]");
  EXPECT_THAT(parsed.tensors[0].dims, ElementsAre(256, 600));
  EXPECT_EQ(parsed.values.at("tokenizer.ggml.bos_token_id").number, 256u);
}

TEST(Synth, StoppingLeavesNoFile) {
  TestDirectory directory;
  const SynthOptions options = TinyOptions("f32", directory.Path("m"));
  uint64_t last = 0;
  int calls = 0;
  const absl::Status status = WriteSynthModel(options, [&](const SynthProgress& progress) {
    EXPECT_GT(progress.written_bytes, last);
    EXPECT_LT(progress.written_bytes, progress.file_bytes);
    last = progress.written_bytes;
    return ++calls < 4;
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(calls, 4);
  EXPECT_THAT(directory.Files(), IsEmpty());
}

TEST(Synth, ProgressEndsWithTheWholeFile) {
  TestDirectory directory;
  SynthProgress last;
  const SynthOptions options = TinyOptions("q4_0", directory.Path("m"));
  ASSERT_TRUE(WriteSynthModel(options, [&](const SynthProgress& progress) {
                last.written_bytes = progress.written_bytes;
                last.file_bytes = progress.file_bytes;
                return true;
              }).ok());
  EXPECT_EQ(last.written_bytes, last.file_bytes);
  EXPECT_EQ(last.file_bytes, ReadWhole(options.output_path).size());
}

struct Refusal {
  void (*change)(SynthOptions& options);
  const char* message;
};

TEST(Synth, RefusesNumbersThatNoModelCanHave) {
  const Refusal refusals[] = {
      {[](SynthOptions& o) { o.shape.layers = 0; }, "--layers is 0"},
      {[](SynthOptions& o) { o.shape.layers = 1u << 31; }, "from 1 to 4096"},
      {[](SynthOptions& o) { o.shape.kv_heads = 0; }, "--kv-heads is 0"},
      {[](SynthOptions& o) { o.shape.kv_heads = 3; }, "multiple of --kv-heads, which is 3"},
      {[](SynthOptions& o) { o.shape.head_dim = 63; }, "--head-dim is 63"},
      {[](SynthOptions& o) { o.shape.rope_base = NAN; }, "--rope-base is nan"},
      {[](SynthOptions& o) { o.shape.rms_epsilon = -1; }, "--eps is -1"},
      {[](SynthOptions& o) { o.shape.feed_forward = 520; },
       "blk.0.ffn_down.weight: 520 columns are not a multiple of 32, the block of q8_0; change "
       "--ff or --type"},
      {[](SynthOptions& o) { o.shape.hidden = 250; }, "token_embd.weight: 250 columns"},
      {[](SynthOptions& o) { o.vocabulary_file = "f"; }, "--vocab-file applies to --vocab own"},
      {[](SynthOptions& o) { o.type = {"iq1_s", DType::kIQ1_S, WeightMix::kPure, 24}; },
       "--type iq1_s"},
  };
  TestDirectory directory;
  for (const Refusal& refusal : refusals) {
    SynthOptions options = TinyOptions("q8_0", directory.Path("m"));
    refusal.change(options);
    const absl::Status status = CheckSynthOptions(options);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << refusal.message;
    EXPECT_THAT(std::string(status.message()), HasSubstr(refusal.message));
    EXPECT_EQ(WriteSynthModel(options), status);
  }
  EXPECT_THAT(directory.Files(), IsEmpty());
}

TEST(Synth, RefusesAVocabularyThatDoesNotFit) {
  TestDirectory directory;
  SynthOptions options = TinyOptions("q8_0", directory.Path("m"));
  options.vocabulary_tokens = 262;
  EXPECT_THAT(std::string(WriteSynthModel(options).message()), HasSubstr("263 tokens"));
  EXPECT_THAT(directory.Files(), IsEmpty());
}

}  // namespace
}  // namespace infer
