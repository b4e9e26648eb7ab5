// SPDX-License-Identifier: Apache-2.0
//
// A GGUF v3 file taken apart independently of the code that wrote it. Fails the running test where
// the file is not well formed.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace infer {

inline std::string ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// A directory of its own for each test, removed with all it holds.
class TestDirectory {
 public:
  TestDirectory();
  ~TestDirectory();
  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  std::vector<std::string> Files() const;

 private:
  std::string path_;
};

struct ParsedTensor {
  std::string name;
  std::vector<uint64_t> dims;
  uint32_t type = 0;
  uint64_t offset = 0;  // from the start of the data
};

struct ParsedValue {
  uint32_t type = 0;
  uint64_t number = 0;  // bits of a scalar
  std::string text;
  uint32_t element_type = 0;
  std::vector<std::string> texts;  // of an array of strings
  std::vector<int32_t> numbers;    // of an array of int32
};

struct ParsedGguf {
  std::vector<std::string> keys;
  std::map<std::string, ParsedValue> values;
  std::vector<ParsedTensor> tensors;
  uint64_t data_start = 0;
};

ParsedGguf ParseGguf(const std::string& bytes);

// FNV-1a, enough to pin the bytes of a file.
uint64_t HashOf(const std::string& bytes);

}  // namespace infer
