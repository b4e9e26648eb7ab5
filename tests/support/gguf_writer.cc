// SPDX-License-Identifier: Apache-2.0
#include "tests/support/gguf_writer.h"

#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace infer::test {

std::string LittleEndian(uint64_t value, int count_bytes) {
  std::string bytes;
  for (int i = 0; i < count_bytes; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
  return bytes;
}

std::string U8(uint64_t value) { return LittleEndian(value, 1); }
std::string U16(uint64_t value) { return LittleEndian(value, 2); }
std::string U32(uint64_t value) { return LittleEndian(value, 4); }
std::string U64(uint64_t value) { return LittleEndian(value, 8); }

std::string F32(float value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

std::string F64(double value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

std::string Text(std::string_view text, std::optional<uint64_t> length) {
  return U64(length.value_or(text.size())).append(text);
}

std::string Array(uint32_t element_type, const std::vector<std::string>& elements,
                  std::optional<uint64_t> count) {
  std::string bytes = U32(element_type) + U64(count.value_or(elements.size()));
  for (const std::string& element : elements) bytes += element;
  return bytes;
}

void GgufImage::Add(std::string key, uint32_t type, std::string value) {
  metadata.push_back({std::move(key), type, std::move(value), std::nullopt});
}

void GgufImage::Set(std::string_view key, uint32_t type, std::string value) {
  for (ImageEntry& entry : metadata) {
    if (entry.key != key) continue;
    entry.type = type;
    entry.value = std::move(value);
    return;
  }
  Add(std::string(key), type, std::move(value));
}

void GgufImage::AddTensor(std::string name, std::vector<uint64_t> dims, uint32_t type,
                          std::string data) {
  tensors.push_back({std::move(name), std::move(dims), type, std::move(data), std::nullopt,
                     std::nullopt, std::nullopt});
}

ImageEntry& GgufImage::Entry(std::string_view key) {
  for (ImageEntry& entry : metadata) {
    if (entry.key == key) return entry;
  }
  throw std::out_of_range(std::string(key));
}

ImageTensor& GgufImage::Tensor(std::string_view name) {
  for (ImageTensor& tensor : tensors) {
    if (tensor.name == name) return tensor;
  }
  throw std::out_of_range(std::string(name));
}

namespace {

std::string Pad(std::string bytes, uint64_t alignment) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment, '\0');
  return bytes;
}

}  // namespace

std::string GgufImage::Header() const {
  std::string bytes = magic + U32(version) + U64(tensor_count.value_or(tensors.size())) +
                      U64(metadata_count.value_or(metadata.size()));
  for (const ImageEntry& entry : metadata) {
    bytes += Text(entry.key, entry.key_length) + U32(entry.type) + entry.value;
  }
  uint64_t next_offset = 0;
  for (const ImageTensor& tensor : tensors) {
    bytes += Text(tensor.name, tensor.name_length) +
             U32(tensor.dim_count.value_or(static_cast<uint32_t>(tensor.dims.size())));
    for (uint64_t dim : tensor.dims) bytes += U64(dim);
    bytes += U32(tensor.type) + U64(tensor.offset.value_or(next_offset));
    next_offset += Pad(tensor.data, alignment).size();
  }
  return bytes;
}

std::string GgufImage::Bytes() const {
  std::string bytes = Pad(Header(), alignment);
  for (const ImageTensor& tensor : tensors) bytes += Pad(tensor.data, alignment);
  return bytes;
}

GgufImage SmallImage() {
  GgufImage image;
  image.Add("general.architecture", 8, Text("qwen3"));
  image.Add("test.u8", 0, U8(200));
  image.Add("test.i8", 1, U8(0xfe));
  image.Add("test.u16", 2, U16(60000));
  image.Add("test.i16", 3, U16(0xfffe));
  image.Add("test.u32", 4, U32(4000000000));
  image.Add("test.i32", 5, U32(0xfffffffe));
  image.Add("test.f32", 6, F32(1.5f));
  image.Add("test.bool", 7, U8(1));
  image.Add("test.string", 8, Text("gr\xc3\xbc\xc3\x9f"));
  image.Add("test.u64", 10, U64(uint64_t{1} << 63));
  image.Add("test.i64", 11, U64(~uint64_t{1}));
  image.Add("test.f64", 12, F64(0.1));
  image.Add("test.numbers", 9, Array(5, {U32(1), U32(2), U32(0xffffffff)}));
  image.Add("test.bools", 9, Array(7, {U8(0), U8(1)}));
  image.Add("tokenizer.ggml.tokens", 9, Array(8, {Text("a"), Text(""), Text("bc")}));
  image.Add("tokenizer.ggml.merges", 9, Array(8, {Text("b c")}));
  image.Add("tokenizer.chat_template", 8, Text("{{ x }}"));
  image.AddTensor("a.weight", {4, 2}, 0,
                  F32(0) + F32(1) + F32(2) + F32(3) + F32(4) + F32(5) + F32(6) + F32(7));
  image.AddTensor("b.weight", {32, 3}, 8, std::string(3 * 34, '\x11'));
  image.AddTensor("c.weight", {8}, 1, std::string(16, '\x22'));
  return image;
}

ScratchDir::ScratchDir() {
  path_ = (std::filesystem::temp_directory_path() / "infer-test-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchDir::Write(std::string_view name, std::string_view bytes) const {
  std::string path = path_ + "/" + std::string(name);
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::runtime_error("cannot write " + path);
  return path;
}

}  // namespace infer::test
