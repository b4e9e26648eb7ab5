// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as text: the scanner splits as PCRE2 does, ids decode to the NFC form of the text, a
// stream gives the same bytes, and special tokens are found or not as asked.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/tokenizer/normalizer.h"
#include "frontends/tokenizer/pretokenizer.h"
#include "frontends/tokenizer/pretokenizer_pcre2.h"
#include "frontends/tokenizer/streaming_decoder.h"
#include "frontends/tokenizer/tokenizer.h"
#include "frontends/tokenizer/utf8.h"
#include "tests/frontends/tokenizer/small_vocabulary.h"

namespace infer {
namespace {

void Expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

const Tokenizer& GetTokenizer() {
  static const Tokenizer* const tokenizer = [] {
    TestVocabulary vocabulary;
    for (const char* pair : {"a b", "ab ab", "a a", "aa aa", "\xC4\xA0 a", "\xC3\xA4 \xC2\xB8"}) {
      std::string text = pair;
      size_t space = text.find(' ');
      vocabulary.Merge(text.substr(0, space), text.substr(space + 1));
    }
    vocabulary.Add("<a>", TokenType::kControl);
    vocabulary.Add("<a><b>", TokenType::kUserDefined);
    return new Tokenizer(*Tokenizer::Create(vocabulary.Data()));
  }();
  return *tokenizer;
}

std::vector<size_t> WordBytes(const Pretokenizer& pretokenizer, std::string_view text) {
  std::vector<size_t> bytes;
  Expect(
      pretokenizer.Split(text, [&](std::string_view word) { bytes.push_back(word.size()); }).ok(),
      "splitting succeeds");
  return bytes;
}

void CheckSplit(std::string_view text) {
  static const Pretokenizer* const scanner = MakeScanningPretokenizer(1).release();
  static const Pretokenizer* const regex = MakePcre2Pretokenizer(kQwen2SplitRegex)->release();
  // A code point that PCRE2's Unicode version has not assigned may be a letter to utf8proc.
  static const Pretokenizer* const unassigned = MakePcre2Pretokenizer("\\p{Cn}")->release();
  const bool is_ascii =
      std::ranges::all_of(text, [](char c) { return static_cast<uint8_t>(c) < 0x80; });
  if (!is_ascii && WordBytes(*unassigned, "a" + std::string(text)).size() > 1) return;
  Expect(WordBytes(*scanner, text) == WordBytes(*regex, text), "the scanner equals the regex");
}

// The text between special tokens is normalized part by part, so they are left alone here.
void CheckRoundTrip(std::string_view text) {
  const Tokenizer& tokenizer = GetTokenizer();
  std::string storage;
  std::string nfc_storage;
  std::string_view valid = ReplaceInvalidUtf8(text, &storage);
  std::string_view nfc = NormalizeNfc(valid, &nfc_storage);
  for (bool parse_special : {true, false}) {
    EncodeOptions options;
    options.parse_special = parse_special;
    auto ids = tokenizer.Encode(text, options);
    Expect(ids.ok(), "encoding succeeds");
    auto decoded = tokenizer.Decode(*ids);
    Expect(decoded.ok(), "decoding succeeds");
    if (text.find("<a>") == std::string_view::npos) {
      Expect(*decoded == nfc, "decoding gives the NFC form");
    }
    StreamingDecoder stream(&tokenizer);
    std::string streamed;
    for (int32_t id : *ids) stream.Append(id, &streamed);
    std::string rest;
    stream.Flush(&rest);
    Expect(rest.empty() && streamed == *decoded, "a stream gives what Decode gives");
  }
  std::string again;
  Expect(NormalizeNfc(nfc, &again) == nfc, "normalizing twice changes nothing");
  CheckSplit(valid);
}

}  // namespace
}  // namespace infer

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  infer::CheckRoundTrip(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
