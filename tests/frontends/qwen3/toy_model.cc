// SPDX-License-Identifier: Apache-2.0
#include "tests/frontends/qwen3/toy_model.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "frontends/tokenizer/byte_encoder.h"

namespace infer::test {
namespace {

std::string Zeros(const std::vector<uint64_t>& dims, uint32_t type) {
  uint64_t elements = 1;
  for (uint64_t dim : dims) elements *= dim;
  uint64_t bytes = type == kTensorF16    ? elements * 2
                   : type == kTensorQ8_0 ? elements / 32 * 34
                                         : elements * 4;
  return std::string(bytes, '\0');
}

void AddZeros(GgufImage& image, std::string name, std::vector<uint64_t> dims) {
  std::string data = Zeros(dims, kTensorF32);
  image.AddTensor(std::move(name), std::move(dims), kTensorF32, std::move(data));
}

void AddLayer(GgufImage& image, uint64_t layer, std::string_view architecture,
              const ToyShape& shape) {
  std::string prefix = "blk." + std::to_string(layer) + ".";
  uint64_t q = shape.heads * shape.head_dim;
  uint64_t kv = shape.kv_heads * shape.head_dim;
  AddZeros(image, prefix + "attn_norm.weight", {shape.hidden});
  AddZeros(image, prefix + "attn_q.weight", {shape.hidden, q});
  AddZeros(image, prefix + "attn_k.weight", {shape.hidden, kv});
  AddZeros(image, prefix + "attn_v.weight", {shape.hidden, kv});
  if (architecture == "qwen2") {
    AddZeros(image, prefix + "attn_q.bias", {q});
    AddZeros(image, prefix + "attn_k.bias", {kv});
    AddZeros(image, prefix + "attn_v.bias", {kv});
  }
  if (architecture.starts_with("qwen3")) {
    AddZeros(image, prefix + "attn_q_norm.weight", {shape.head_dim});
    AddZeros(image, prefix + "attn_k_norm.weight", {shape.head_dim});
  }
  AddZeros(image, prefix + "attn_output.weight", {q, shape.hidden});
  AddZeros(image, prefix + "ffn_norm.weight", {shape.hidden});
  if (shape.experts > 0) {
    const uint64_t width = shape.expert_feed_forward;
    AddZeros(image, prefix + "ffn_gate_inp.weight", {shape.hidden, shape.experts});
    AddZeros(image, prefix + "ffn_gate_exps.weight", {shape.hidden, width, shape.experts});
    AddZeros(image, prefix + "ffn_up_exps.weight", {shape.hidden, width, shape.experts});
    AddZeros(image, prefix + "ffn_down_exps.weight", {width, shape.hidden, shape.experts});
    return;
  }
  AddZeros(image, prefix + "ffn_gate.weight", {shape.hidden, shape.feed_forward});
  AddZeros(image, prefix + "ffn_up.weight", {shape.hidden, shape.feed_forward});
  AddZeros(image, prefix + "ffn_down.weight", {shape.feed_forward, shape.hidden});
}

}  // namespace

GgufImage ToyNeighbour(std::string_view architecture, ToyShape shape) {
  GgufImage image;
  auto number = [&](const char* key, uint64_t value) {
    SetU32(image, std::string(architecture) + "." + key, static_cast<uint32_t>(value));
  };
  SetText(image, "general.architecture", architecture);
  SetText(image, "general.name", "toy");
  number("block_count", shape.layers);
  number("context_length", 64);
  number("embedding_length", shape.hidden);
  number("feed_forward_length", shape.feed_forward);
  number("attention.head_count", shape.heads);
  number("attention.head_count_kv", shape.kv_heads);
  number("attention.key_length", shape.head_dim);
  number("attention.value_length", shape.head_dim);
  if (shape.experts > 0) {
    number("expert_count", shape.experts);
    number("expert_used_count", shape.experts_used);
    number("expert_feed_forward_length", shape.expert_feed_forward);
  }
  SetF32(image, std::string(architecture) + ".attention.layer_norm_rms_epsilon", 0.5f);
  SetF32(image, std::string(architecture) + ".rope.freq_base", 1000.0f);
  AddZeros(image, "token_embd.weight", {shape.hidden, shape.vocabulary});
  for (uint64_t layer = 0; layer < shape.layers; ++layer)
    AddLayer(image, layer, architecture, shape);
  AddZeros(image, "output_norm.weight", {shape.hidden});
  if (!shape.tied) AddZeros(image, "output.weight", {shape.hidden, shape.vocabulary});
  return image;
}

GgufImage ToyModel(const ToyShape& shape) {
  return ToyNeighbour(shape.experts == 0 ? "qwen3" : "qwen3moe", shape);
}

GgufImage ToyModelWithTokenizer() {
  ToyShape shape;
  shape.vocabulary = 258;
  GgufImage image = ToyModel(shape);
  std::vector<std::string> tokens, types;
  for (int byte = 0; byte < 256; ++byte) {
    tokens.push_back(Text(ByteToAlphabet(static_cast<uint8_t>(byte))));
    types.push_back(U32(1));
  }
  tokens.push_back(Text("ab"));
  types.push_back(U32(1));
  tokens.push_back(Text("<|endoftext|>"));
  types.push_back(U32(3));
  SetText(image, "tokenizer.ggml.model", "gpt2");
  SetText(image, "tokenizer.ggml.pre", "qwen2");
  image.Set("tokenizer.ggml.tokens", kTypeArray, Array(kTypeString, tokens));
  image.Set("tokenizer.ggml.token_type", kTypeArray, Array(kTypeI32, types));
  image.Set("tokenizer.ggml.merges", kTypeArray, Array(kTypeString, {Text("a b")}));
  SetU32(image, "tokenizer.ggml.eos_token_id", 257);
  return image;
}

void SetU32(GgufImage& image, std::string_view key, uint32_t value) {
  image.Set(key, kTypeU32, U32(value));
}
void SetF32(GgufImage& image, std::string_view key, float value) {
  image.Set(key, kTypeF32, F32(value));
}
void SetText(GgufImage& image, std::string_view key, std::string_view value) {
  image.Set(key, kTypeString, Text(value));
}

void Remove(GgufImage& image, std::string_view key) {
  image.Entry(key);  // throws if it is not there
  std::erase_if(image.metadata, [&](const ImageEntry& entry) { return entry.key == key; });
}

void RemoveTensor(GgufImage& image, std::string_view name) {
  image.Tensor(name);
  std::erase_if(image.tensors, [&](const ImageTensor& tensor) { return tensor.name == name; });
}

void SetTensor(GgufImage& image, std::string_view name, std::vector<uint64_t> dims, uint32_t type) {
  ImageTensor& tensor = image.Tensor(name);
  tensor.data = Zeros(dims, type);
  tensor.dims = std::move(dims);
  tensor.type = type;
}

OpenedImage::OpenedImage(const GgufImage& image) : bytes(image.Bytes()) {
  auto opened = GgufFile::FromBytes("toy.gguf", std::as_bytes(std::span(bytes)));
  if (!opened.ok()) throw std::runtime_error(opened.status().ToString());
  file = *std::move(opened);
}

}  // namespace infer::test
