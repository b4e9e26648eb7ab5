// SPDX-License-Identifier: Apache-2.0
//
// The smallest complete Qwen3, as a file image that tests damage.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "frontends/gguf/reader.h"
#include "tests/support/gguf_writer.h"

namespace infer::test {

// Ids of GGUF's value types and tensor types, as numbers of the format.
enum ValueTypeId : uint32_t {
  kTypeU32 = 4,
  kTypeI32 = 5,
  kTypeF32 = 6,
  kTypeBool = 7,
  kTypeString = 8,
  kTypeArray = 9
};
enum TensorTypeId : uint32_t { kTensorF32 = 0, kTensorF16 = 1, kTensorQ8_0 = 8, kTensorI32 = 26 };

struct ToyShape {
  uint64_t layers = 1;
  uint64_t hidden = 8;
  uint64_t heads = 2;
  uint64_t kv_heads = 1;
  uint64_t head_dim = 6;  // not hidden / heads
  uint64_t feed_forward = 10;
  uint64_t vocabulary = 12;
  bool tied = true;
  uint64_t experts = 0;  // 0: dense
  uint64_t experts_used = 0;
  uint64_t expert_feed_forward = 0;
};

// Metadata and f32 tensors, all zeros; no tokenizer.
GgufImage ToyModel(const ToyShape& shape = ToyShape());
// The same as a model of architecture "qwen2" (biases and no q and k norms) or "llama" (neither).
GgufImage ToyNeighbour(std::string_view architecture, ToyShape shape = ToyShape());
// ToyModel with a tokenizer of the 256 bytes, "ab" = "a b" and <|endoftext|>: ids 0 to 257, as many
// as the token matrix has rows.
GgufImage ToyModelWithTokenizer();

void SetU32(GgufImage& image, std::string_view key, uint32_t value);
void SetF32(GgufImage& image, std::string_view key, float value);
void SetText(GgufImage& image, std::string_view key, std::string_view value);
void Remove(GgufImage& image, std::string_view key);
void RemoveTensor(GgufImage& image, std::string_view name);
// Gives the tensor these dimensions, innermost first, this type and zeros for data.
void SetTensor(GgufImage& image, std::string_view name, std::vector<uint64_t> dims,
               uint32_t type = kTensorF32);

// The image opened as the file "toy.gguf"; the bytes are kept with it.
struct OpenedImage {
  explicit OpenedImage(const GgufImage& image);
  std::string bytes;
  std::shared_ptr<const GgufFile> file;
};

}  // namespace infer::test
