// SPDX-License-Identifier: Apache-2.0
//
// Builds GGUF files for tests, valid or not: every field of the image can be set to a wrong value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace infer::test {

// Returns the bytes of a value as they are stored in a file.
std::string LittleEndian(uint64_t value, int count_bytes);
std::string U8(uint64_t value);
std::string U16(uint64_t value);
std::string U32(uint64_t value);
std::string U64(uint64_t value);
std::string F32(float value);
std::string F64(double value);
// Returns a length followed by the text; `length` overrides the true length.
std::string Text(std::string_view text, std::optional<uint64_t> length = std::nullopt);
// Returns element type, count and the elements' bytes; `count` overrides the true count.
std::string Array(uint32_t element_type, const std::vector<std::string>& elements,
                  std::optional<uint64_t> count = std::nullopt);

struct ImageEntry {
  std::string key;
  uint32_t type = 0;
  std::string value;                   // bytes made by the functions above
  std::optional<uint64_t> key_length;  // instead of the true one
};

struct ImageTensor {
  std::string name;
  std::vector<uint64_t> dims;  // in the file's order, innermost first
  uint32_t type = 0;
  std::string data;
  std::optional<uint64_t> offset;       // instead of the next free one
  std::optional<uint64_t> name_length;  // instead of the true one
  std::optional<uint32_t> dim_count;    // instead of the true one
};

struct GgufImage {
  std::string magic = "GGUF";
  uint32_t version = 3;
  std::vector<ImageEntry> metadata;
  std::vector<ImageTensor> tensors;
  uint64_t alignment = 32;                 // of the data; no metadata key is written for it
  std::optional<uint64_t> tensor_count;    // instead of the true one
  std::optional<uint64_t> metadata_count;  // instead of the true one

  void Add(std::string key, uint32_t type, std::string value);
  // Replaces the last entry with this key, or adds one.
  void Set(std::string_view key, uint32_t type, std::string value);
  void AddTensor(std::string name, std::vector<uint64_t> dims, uint32_t type, std::string data);
  ImageEntry& Entry(std::string_view key);
  ImageTensor& Tensor(std::string_view name);

  std::string Header() const;  // up to the end of the tensor index
  std::string Bytes() const;   // the whole file
};

// A valid small model: every value type, arrays, and tensors of three types.
GgufImage SmallImage();

// A temporary folder for one test, removed with its contents.
class ScratchDir {
 public:
  ScratchDir();
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;

  const std::string& path() const { return path_; }
  // Writes a file into the folder and returns its path.
  std::string Write(std::string_view name, std::string_view bytes) const;

 private:
  std::string path_;
};

}  // namespace infer::test
