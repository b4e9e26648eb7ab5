// SPDX-License-Identifier: Apache-2.0
//
// Any tokenizer data: refused with one line, or a tokenizer that encodes and decodes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "frontends/tokenizer/tokenizer.h"
#include "tests/frontends/tokenizer/small_vocabulary.h"

namespace infer {
namespace {

// Lines of the input become, by their first byte, tokens of some type, merges or roles.
TokenizerData DataOf(std::string_view input, const TestVocabulary& base) {
  TokenizerData data = base.Data();
  while (!input.empty()) {
    size_t end = std::min(input.find('\n'), input.size());
    std::string_view line = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
    if (line.empty()) continue;
    std::string_view value = line.substr(1);
    switch (line[0]) {
      case 'm':
        data.merges.push_back(value);
        break;
      case 'e':
        data.eos = value.empty() ? 0 : static_cast<int8_t>(value[0]) * 8;
        break;
      case 'b':
        data.bos = value.empty() ? 0 : static_cast<int8_t>(value[0]) * 8;
        data.add_bos = value.size() > 1;
        break;
      case 'r':
        data.tokens[static_cast<uint8_t>(value.empty() ? 0 : value[0])] = value;
        break;
      default:
        data.tokens.push_back(value);
        data.types.push_back(line[0] - '0');
    }
  }
  return data;
}

}  // namespace
}  // namespace infer

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const infer::TestVocabulary* const base = new infer::TestVocabulary();
  std::string_view input(reinterpret_cast<const char*>(data), size);
  auto tokenizer = infer::Tokenizer::Create(infer::DataOf(input, *base));
  if (!tokenizer.ok()) {
    if (tokenizer.status().code() != absl::StatusCode::kInvalidArgument) std::abort();
    if (tokenizer.status().message().find('\n') != absl::string_view::npos) std::abort();
    return 0;
  }
  auto ids = tokenizer->Encode(input);
  if (!ids.ok() || !tokenizer->Decode(*ids).ok()) std::abort();
  return 0;
}
