// SPDX-License-Identifier: Apache-2.0
//
// tokenizer_speed VOCABULARY.gguf TEXT...: how fast each text is encoded, best of 5, in time of one
// core (so that a busy machine gives the same figures). An argument of the form LETTER*BYTES stands
// for that letter repeated.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>

#include "tests/frontends/tokenizer/vocabulary_file.h"

namespace {

double MillisecondsSince(std::clock_t start) {
  return 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

std::string TextOf(const std::string& argument) {
  if (argument.size() > 2 && argument[1] == '*') {
    return std::string(std::strtoul(argument.c_str() + 2, nullptr, 10), argument[0]);
  }
  std::ifstream stream(argument, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  infer::VocabularyFixture file = infer::LoadVocabularyFixture(argv[1]);
  auto load_start = std::clock();
  auto tokenizer = infer::Tokenizer::Create(file.data);
  if (!tokenizer.ok()) return 3;
  std::printf("load %.1f ms, holds %.2f MiB\n", MillisecondsSince(load_start),
              static_cast<double>(tokenizer->memory_bytes()) / (1 << 20));
  for (int i = 2; i < argc; ++i) {
    std::string text = TextOf(argv[i]);
    double best_ms = 1e30;
    size_t tokens = 0;
    for (int run = 0; run < 5; ++run) {
      auto start = std::clock();
      tokens = tokenizer->Encode(text)->size();
      best_ms = std::min(best_ms, MillisecondsSince(start));
    }
    std::printf("%.40s: %zu bytes, %zu tokens, %.1f ms, %.1f MB/s\n", argv[i], text.size(), tokens,
                best_ms, static_cast<double>(text.size()) / 1e3 / best_ms);
  }
  return 0;
}
