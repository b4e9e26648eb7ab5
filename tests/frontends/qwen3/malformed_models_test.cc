// SPDX-License-Identifier: Apache-2.0
//
// Files that are valid GGUF and no valid model, through the way that every tool takes: open,
// metadata, lowering, passes, tokenizer. What is wrong with GGUF itself is in
// tests/frontends/gguf/malformed_cases.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "backends/backends.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tests/frontends/qwen3/toy_model.h"
#include "tools/api/compile_model.h"
#include "tools/api/error_kind.h"
#include "tools/api/model_file.h"

namespace infer {
namespace {

using test::Array;
using test::F32;
using test::GgufImage;
using test::kTypeArray;
using test::kTypeBool;
using test::kTypeI32;
using test::kTypeString;
using test::Remove;
using test::RemoveTensor;
using test::SetF32;
using test::SetTensor;
using test::SetText;
using test::SetU32;
using test::Text;
using test::ToyModelWithTokenizer;
using test::U32;
using test::U8;
using ::testing::HasSubstr;

absl::Status Load(const std::string& path) {
  ASSIGN_OR_RETURN(ModelFile model, ModelFile::Open(path));
  std::unique_ptr<KernelRegistry> kernels = MakeKernelRegistry();
  RETURN_IF_ERROR(CompileModel(model, *kernels, {}).status());
  return model.ReadTokenizer().status();
}

struct Defect {
  const char* name;
  std::function<void(GgufImage&)> damage;
  const char* message;
};

std::vector<std::string> Copies(size_t count, const std::string& element) {
  return std::vector<std::string>(count, element);
}

// The bytes of element `index` of the tokens, replaced.
void SetToken(GgufImage& image, size_t index, std::string_view text) {
  std::string& value = image.Entry("tokenizer.ggml.tokens").value;
  size_t at = 12;  // element type and count
  auto length_at = [&](size_t place) {
    uint64_t length = 0;
    for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<uint8_t>(value[place + i]);
    return length;
  };
  for (size_t i = 0; i < index; ++i) at += 8 + length_at(at);
  value.replace(at, 8 + length_at(at), Text(text));
}

void SetTokenType(GgufImage& image, size_t index, uint32_t type) {
  image.Entry("tokenizer.ggml.token_type").value.replace(12 + 4 * index, 4, U32(type));
}

void SetMerges(GgufImage& image, std::vector<std::string> merges) {
  image.Set("tokenizer.ggml.merges", kTypeArray, Array(kTypeString, merges));
}

const Defect kMetadataDefects[] = {
    {"no_architecture", [](GgufImage& m) { Remove(m, "general.architecture"); },
     "key \"general.architecture\" is missing"},
    {"architecture_moe", [](GgufImage& m) { SetText(m, "general.architecture", "qwen3moe"); },
     "key \"qwen3moe.block_count\" is missing"},
    {"architecture_other", [](GgufImage& m) { SetText(m, "general.architecture", "mamba"); },
     "the model is of architecture \"mamba\"; this runtime runs \"qwen3\", \"qwen3moe\", "
     "\"qwen2\", "},
    {"architecture_neighbour", [](GgufImage& m) { SetText(m, "general.architecture", "llama"); },
     "\"llama.block_count\" is missing"},
    {"architecture_with_control_characters",
     [](GgufImage& m) { SetText(m, "general.architecture", "\x1b[31m\nqwen3"); },
     "the model is of architecture"},
    {"architecture_of_a_megabyte",
     [](GgufImage& m) { SetText(m, "general.architecture", std::string(1 << 20, 'q')); },
     "the model is of architecture"},
    {"no_layers", [](GgufImage& m) { Remove(m, "qwen3.block_count"); }, "qwen3.block_count"},
    {"zero_layers", [](GgufImage& m) { SetU32(m, "qwen3.block_count", 0); }, "is 0, expected 1"},
    {"four_billion_layers", [](GgufImage& m) { SetU32(m, "qwen3.block_count", ~0u); },
     "is 4294967295, expected 1 to 1024"},
    {"layers_as_text", [](GgufImage& m) { SetText(m, "qwen3.block_count", "1"); },
     "has type string"},
    {"no_context", [](GgufImage& m) { Remove(m, "qwen3.context_length"); }, "context_length"},
    {"zero_context", [](GgufImage& m) { SetU32(m, "qwen3.context_length", 0); }, "is 0"},
    {"no_hidden", [](GgufImage& m) { Remove(m, "qwen3.embedding_length"); }, "embedding_length"},
    {"other_hidden", [](GgufImage& m) { SetU32(m, "qwen3.embedding_length", 16); },
     "tensor token_embd.weight has shape [258,8], the metadata asks for [258,16]"},
    {"other_feed_forward", [](GgufImage& m) { SetU32(m, "qwen3.feed_forward_length", 11); },
     "tensor blk.0.ffn_gate.weight has shape [10,8], the metadata asks for [11,8]"},
    {"no_heads", [](GgufImage& m) { Remove(m, "qwen3.attention.head_count"); }, "head_count"},
    {"zero_heads", [](GgufImage& m) { SetU32(m, "qwen3.attention.head_count", 0); }, "is 0"},
    {"other_heads", [](GgufImage& m) { SetU32(m, "qwen3.attention.head_count", 4); },
     "tensor blk.0.attn_q.weight has shape [12,8], the metadata asks for [24,8]"},
    {"kv_heads_do_not_divide", [](GgufImage& m) { SetU32(m, "qwen3.attention.head_count_kv", 3); },
     "does not divide"},
    {"other_kv_heads", [](GgufImage& m) { SetU32(m, "qwen3.attention.head_count_kv", 2); },
     "tensor blk.0.attn_k.weight has shape [6,8], the metadata asks for [12,8]"},
    {"odd_head_dim", [](GgufImage& m) { SetU32(m, "qwen3.attention.key_length", 7); },
     "gives a head size of 7"},
    {"value_length_differs", [](GgufImage& m) { SetU32(m, "qwen3.attention.value_length", 4); },
     "is 4, but the head size is 6"},
    {"no_eps", [](GgufImage& m) { Remove(m, "qwen3.attention.layer_norm_rms_epsilon"); },
     "layer_norm_rms_epsilon"},
    {"eps_not_a_number",
     [](GgufImage& m) {
       SetF32(m, "qwen3.attention.layer_norm_rms_epsilon", std::numeric_limits<float>::quiet_NaN());
     },
     "is nan"},
    {"negative_rope_base", [](GgufImage& m) { SetF32(m, "qwen3.rope.freq_base", -1); }, "is -1"},
    {"unknown_rope_scaling", [](GgufImage& m) { SetText(m, "qwen3.rope.scaling.type", "su\n"); },
     "expected none, linear or yarn"},
    {"zero_rope_factor", [](GgufImage& m) { SetF32(m, "qwen3.rope.scaling.factor", 0); }, "is 0"},
};

const Defect kTensorDefects[] = {
    {"no_token_matrix", [](GgufImage& m) { RemoveTensor(m, "token_embd.weight"); },
     "tensor token_embd.weight is missing"},
    {"no_tensors", [](GgufImage& m) { m.tensors.clear(); }, "token_embd.weight is missing"},
    {"token_matrix_is_a_vector", [](GgufImage& m) { SetTensor(m, "token_embd.weight", {258}); },
     "has shape [258]"},
    {"no_output_norm", [](GgufImage& m) { RemoveTensor(m, "output_norm.weight"); },
     "tensor output_norm.weight is missing"},
    {"no_query", [](GgufImage& m) { RemoveTensor(m, "blk.0.attn_q.weight"); },
     "tensor blk.0.attn_q.weight is missing"},
    {"no_query_norm", [](GgufImage& m) { RemoveTensor(m, "blk.0.attn_q_norm.weight"); },
     "tensor blk.0.attn_q_norm.weight is missing"},
    {"transposed", [](GgufImage& m) { SetTensor(m, "blk.0.ffn_down.weight", {8, 10}); },
     "has shape [10,8], the metadata asks for [8,10]"},
    {"four_dimensions", [](GgufImage& m) { SetTensor(m, "blk.0.ffn_up.weight", {8, 10, 1, 1}); },
     "has shape [1,1,10,8]"},
    {"norm_in_half", [](GgufImage& m) { SetTensor(m, "output_norm.weight", {8}, 1); },
     "is of type f16, expected f32"},
    {"matrix_of_integers",
     [](GgufImage& m) { SetTensor(m, "blk.0.attn_v.weight", {8, 6}, test::kTensorI32); },
     "is of type i32"},
    {"output_matrix_has_other_rows",
     [](GgufImage& m) {
       m.AddTensor("output.weight", {8, 257}, 0, std::string(8 * 257 * 4, '\0'));
     },
     "tensor output.weight has shape [257,8], the metadata asks for [258,8]"},
    {"bias", [](GgufImage& m) { m.AddTensor("blk.0.attn_q.bias", {12}, 0, std::string(48, '\0')); },
     "tensor blk.0.attn_q.bias is not part of a dense Qwen3"},
    {"a_layer_more_than_told",
     [](GgufImage& m) { m.AddTensor("blk.1.attn_norm.weight", {8}, 0, std::string(32, '\0')); },
     "tensor blk.1.attn_norm.weight is not part of a dense Qwen3"},
    {"a_layer_fewer_than_told", [](GgufImage& m) { SetU32(m, "qwen3.block_count", 2); },
     "tensor blk.1.attn_norm.weight is missing"},
    {"experts",
     [](GgufImage& m) {
       m.AddTensor("blk.0.ffn_gate_inp.weight", {8, 4}, 0, std::string(128, '\0'));
     },
     "tensor blk.0.ffn_gate_inp.weight is not part of a dense Qwen3"},
    {"rope_factors",
     [](GgufImage& m) { m.AddTensor("rope_freqs.weight", {3}, 0, std::string(12, '\0')); },
     "tensor rope_freqs.weight is not part of a dense Qwen3"},
};

const Defect kTokenizerDefects[] = {
    {"no_tokenizer_model", [](GgufImage& m) { Remove(m, "tokenizer.ggml.model"); },
     "tokenizer.ggml.model"},
    {"sentencepiece", [](GgufImage& m) { SetText(m, "tokenizer.ggml.model", "llama"); },
     "is \"llama\" (SPM, SentencePiece), expected \"gpt2\""},
    {"other_split", [](GgufImage& m) { SetText(m, "tokenizer.ggml.pre", "gpt-2"); },
     "is \"gpt-2\", expected one of \"qwen2\""},
    {"no_split", [](GgufImage& m) { Remove(m, "tokenizer.ggml.pre"); }, "tokenizer.ggml.pre"},
    {"no_tokens", [](GgufImage& m) { Remove(m, "tokenizer.ggml.tokens"); },
     "tokenizer.ggml.tokens"},
    {"tokens_are_numbers",
     [](GgufImage& m) { m.Set("tokenizer.ggml.tokens", kTypeArray, Array(kTypeI32, {U32(1)})); },
     "expected array of string"},
    {"tokens_empty",
     [](GgufImage& m) { m.Set("tokenizer.ggml.tokens", kTypeArray, Array(kTypeString, {})); },
     "is empty"},
    {"empty_token", [](GgufImage& m) { SetToken(m, 7, ""); }, "tokenizer.ggml.tokens[7] is empty"},
    {"token_twice", [](GgufImage& m) { SetToken(m, 256, "b"); }, "the same text as token"},
    {"byte_missing", [](GgufImage& m) { SetToken(m, 65, "zz"); }, "has no token for the byte 0x41"},
    {"special_token_not_utf8", [](GgufImage& m) { SetToken(m, 257, "<\xff>"); },
     "expected valid UTF-8"},
    {"no_types", [](GgufImage& m) { Remove(m, "tokenizer.ggml.token_type"); },
     "tokenizer.ggml.token_type"},
    {"too_few_types",
     [](GgufImage& m) {
       m.Set("tokenizer.ggml.token_type", kTypeArray, Array(kTypeI32, Copies(257, U32(1))));
     },
     "has 257 entries, tokenizer.ggml.tokens has 258"},
    {"too_many_types",
     [](GgufImage& m) {
       m.Set("tokenizer.ggml.token_type", kTypeArray, Array(kTypeI32, Copies(259, U32(1))));
     },
     "has 259 entries"},
    {"type_zero", [](GgufImage& m) { SetTokenType(m, 3, 0); }, "tokenizer.ggml.token_type[3] is 0"},
    {"type_seven", [](GgufImage& m) { SetTokenType(m, 3, 7); },
     "tokenizer.ggml.token_type[3] is 7"},
    {"no_merges", [](GgufImage& m) { Remove(m, "tokenizer.ggml.merges"); },
     "tokenizer.ggml.merges"},
    {"merge_without_a_space", [](GgufImage& m) { SetMerges(m, {Text("ab")}); },
     "tokenizer.ggml.merges[0] is \"ab\""},
    {"merge_of_no_token", [](GgufImage& m) { SetMerges(m, {Text("a xyz")}); },
     "tokenizer.ggml.merges[0]"},
    {"merge_into_no_token", [](GgufImage& m) { SetMerges(m, {Text("b a")}); },
     "tokenizer.ggml.merges[0]"},
    {"merge_twice", [](GgufImage& m) { SetMerges(m, {Text("a b"), Text("a b")}); },
     "the same merge as entry 0"},
    {"no_end", [](GgufImage& m) { Remove(m, "tokenizer.ggml.eos_token_id"); },
     "eos_token_id is missing"},
    {"end_beyond_vocabulary", [](GgufImage& m) { SetU32(m, "tokenizer.ggml.eos_token_id", 258); },
     "eos_token_id is 258, the vocabulary has ids 0 to 257"},
    {"begin_beyond_vocabulary", [](GgufImage& m) { SetU32(m, "tokenizer.ggml.bos_token_id", ~0u); },
     "bos_token_id is 4294967295"},
    {"padding_beyond_vocabulary",
     [](GgufImage& m) { SetU32(m, "tokenizer.ggml.padding_token_id", 1000); },
     "padding_token_id is 1000"},
    {"end_of_turn_beyond_vocabulary",
     [](GgufImage& m) { SetU32(m, "tokenizer.ggml.eot_token_id", 1000); }, "eot_token_id is 1000"},
    {"begin_wanted_and_missing",
     [](GgufImage& m) { m.Set("tokenizer.ggml.add_bos_token", kTypeBool, U8(1)); },
     "tokenizer.ggml.bos_token_id is missing"},
    {"more_tokens_than_rows", [](GgufImage& m) { SetTensor(m, "token_embd.weight", {8, 257}); },
     "the tokenizer has 258 tokens, but the token matrix has only 257 rows"},
};

class MalformedModels : public ::testing::TestWithParam<Defect> {};

TEST_P(MalformedModels, AreRefusedWithOneLine) {
  GgufImage image = ToyModelWithTokenizer();
  GetParam().damage(image);
  test::ScratchDir dir;
  absl::Status status = Load(dir.Write("model.gguf", image.Bytes()));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(KindOf(status), ErrorKind::kBadInput) << status;
  std::string message(ToStd(status.message()));
  EXPECT_THAT(message, HasSubstr("model.gguf"));
  EXPECT_THAT(message, HasSubstr(GetParam().message));
  EXPECT_LT(message.size(), 600u);
  for (char c : message) EXPECT_TRUE(c >= ' ' && c != 127) << message;
}

std::string DefectName(const ::testing::TestParamInfo<Defect>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Metadata, MalformedModels, ::testing::ValuesIn(kMetadataDefects),
                         DefectName);
INSTANTIATE_TEST_SUITE_P(Tensors, MalformedModels, ::testing::ValuesIn(kTensorDefects), DefectName);
INSTANTIATE_TEST_SUITE_P(Tokenizer, MalformedModels, ::testing::ValuesIn(kTokenizerDefects),
                         DefectName);

// Without damage there is nothing to refuse: each defect above is the only one of its file.
TEST(MalformedModels, TheUndamagedModelLoads) {
  test::ScratchDir dir;
  absl::Status status = Load(dir.Write("model.gguf", ToyModelWithTokenizer().Bytes()));
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace infer
