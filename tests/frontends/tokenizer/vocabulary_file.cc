// SPDX-License-Identifier: Apache-2.0
#include "tests/frontends/tokenizer/vocabulary_file.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

namespace infer {
namespace {

enum GgufType : uint32_t {
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T Read() {
    T value;
    std::memcpy(&value, Take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view ReadString() { return Take(Read<uint64_t>()); }
  void Skip(uint32_t type) {
    if (type == kString) {
      ReadString();
    } else if (type == kArray) {
      auto element_type = Read<uint32_t>();
      for (auto count = Read<uint64_t>(); count > 0; --count) Skip(element_type);
    } else {
      Take(type <= 1 || type == kBool ? 1 : type <= 3 ? 2 : type <= kFloat32 ? 4 : 8);
    }
  }

 private:
  std::string_view Take(size_t count) {
    std::string_view result = bytes_.substr(pos_, count);
    if (result.size() != count) std::abort();
    pos_ += count;
    return result;
  }

  std::string_view bytes_;
  size_t pos_ = 0;
};

void ReadKey(std::string_view key, uint32_t type, Reader* reader, VocabularyFile* file) {
  TokenizerData* data = &file->data;
  if (key == "tokenizer.ggml.model") {
    data->model = reader->ReadString();
  } else if (key == "tokenizer.ggml.pre") {
    data->pre = reader->ReadString();
  } else if (key == "tokenizer.chat_template") {
    file->chat_template = reader->ReadString();
  } else if (key == "tokenizer.ggml.eos_token_id") {
    data->eos = reader->Read<uint32_t>();
  } else if (key == "tokenizer.ggml.bos_token_id") {
    data->bos = reader->Read<uint32_t>();
  } else if (key == "tokenizer.ggml.padding_token_id") {
    data->pad = reader->Read<uint32_t>();
  } else if (key == "tokenizer.ggml.add_bos_token") {
    data->add_bos = reader->Read<uint8_t>() != 0;
  } else if (key == "tokenizer.ggml.tokens" || key == "tokenizer.ggml.merges") {
    reader->Read<uint32_t>();
    auto* list = key == "tokenizer.ggml.tokens" ? &data->tokens : &data->merges;
    list->resize(reader->Read<uint64_t>());
    for (auto& text : *list) text = reader->ReadString();
  } else if (key == "tokenizer.ggml.token_type") {
    reader->Read<uint32_t>();
    data->types.resize(reader->Read<uint64_t>());
    for (auto& value : data->types) value = reader->Read<int32_t>();
  } else {
    reader->Skip(type);
  }
}

const Tokenizer& Load(const std::string& path) {
  std::unique_ptr<const VocabularyFile> file = LoadVocabularyFile(path);
  if (file == nullptr) {
    std::fprintf(stderr, "%s: missing test fixture\n", path.c_str());
    std::exit(1);
  }
  auto tokenizer = Tokenizer::Create(file->data);
  if (!tokenizer.ok()) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), tokenizer.status().ToString().c_str());
    std::exit(1);
  }
  return *new Tokenizer(*std::move(tokenizer));
}

}  // namespace

std::unique_ptr<const VocabularyFile> LoadVocabularyFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return nullptr;
  auto file = std::make_unique<VocabularyFile>();
  file->bytes.assign(std::istreambuf_iterator<char>(stream), {});
  Reader reader(file->bytes);
  reader.Read<uint64_t>();  // magic and version
  reader.Read<uint64_t>();  // tensor count
  for (auto keys = reader.Read<uint64_t>(); keys > 0; --keys) {
    std::string_view key = reader.ReadString();
    auto type = reader.Read<uint32_t>();
    ReadKey(key, type, &reader, file.get());
  }
  return file;
}

const Tokenizer& Qwen3Tokenizer() {
  static const Tokenizer& tokenizer = Load(INFER_TEST_DATA "/qwen3-vocab.gguf");
  return tokenizer;
}

const Tokenizer& TinyTalesTokenizer() {
  static const Tokenizer& tokenizer = Load(INFER_SOURCE_DIR "/tools/assets/tiny-tales-q8_0.gguf");
  return tokenizer;
}

}  // namespace infer
