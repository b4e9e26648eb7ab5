// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/synth/parsed_gguf.h"

#include <filesystem>

namespace infer {
namespace {

class Cursor {
 public:
  explicit Cursor(const std::string& bytes) : bytes_(bytes) {}

  uint64_t Number(size_t count) {
    uint64_t value = 0;
    if (at + count > bytes_.size()) {
      ADD_FAILURE() << "file ends at " << bytes_.size() << ", wanted " << at + count;
      return 0;
    }
    for (size_t i = 0; i < count; ++i) {
      value |= uint64_t{static_cast<unsigned char>(bytes_[at + i])} << (8 * i);
    }
    at += count;
    return value;
  }

  std::string Text() {
    const uint64_t count = Number(8);
    if (count > bytes_.size() - at) {
      ADD_FAILURE() << "string of " << count << " bytes at " << at;
      return {};
    }
    at += count;
    return bytes_.substr(at - count, count);
  }

  ParsedValue Value() {
    ParsedValue value;
    value.type = static_cast<uint32_t>(Number(4));
    if (value.type == 8) {
      value.text = Text();
    } else if (value.type == 9) {
      value.element_type = static_cast<uint32_t>(Number(4));
      const uint64_t count = Number(8);
      EXPECT_TRUE(value.element_type == 8 || value.element_type == 5) << value.element_type;
      for (uint64_t i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
        if (value.element_type == 8) {
          value.texts.push_back(Text());
        } else {
          value.numbers.push_back(static_cast<int32_t>(Number(4)));
        }
      }
    } else {
      EXPECT_TRUE(value.type == 4 || value.type == 6 || value.type == 7) << value.type;
      value.number = Number(value.type == 7 ? 1 : 4);
    }
    return value;
  }

  size_t at = 0;

 private:
  const std::string& bytes_;
};

}  // namespace

TestDirectory::TestDirectory() : path_(::testing::TempDir() + "synth-XXXXXX") {
  EXPECT_NE(mkdtemp(path_.data()), nullptr);
}

TestDirectory::~TestDirectory() { std::filesystem::remove_all(path_); }

std::vector<std::string> TestDirectory::Files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

ParsedGguf ParseGguf(const std::string& bytes) {
  ParsedGguf parsed;
  Cursor cursor(bytes);
  EXPECT_EQ(bytes.substr(0, 4), "GGUF");
  cursor.at = 4;
  EXPECT_EQ(cursor.Number(4), 3u);
  const uint64_t tensors = cursor.Number(8), entries = cursor.Number(8);
  for (uint64_t i = 0; i < entries && !::testing::Test::HasFailure(); ++i) {
    parsed.keys.push_back(cursor.Text());
    EXPECT_TRUE(parsed.values.emplace(parsed.keys.back(), cursor.Value()).second);
  }
  for (uint64_t i = 0; i < tensors && !::testing::Test::HasFailure(); ++i) {
    ParsedTensor tensor;
    tensor.name = cursor.Text();
    const uint64_t rank = cursor.Number(4);
    for (uint64_t d = 0; d < rank && d < 4; ++d) tensor.dims.push_back(cursor.Number(8));
    tensor.type = static_cast<uint32_t>(cursor.Number(4));
    tensor.offset = cursor.Number(8);
    parsed.tensors.push_back(tensor);
  }
  parsed.data_start = (cursor.at + 31) / 32 * 32;
  return parsed;
}

uint64_t HashOf(const std::string& bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char c : bytes) hash = (hash ^ c) * 0x100000001b3u;
  return hash;
}

}  // namespace infer
