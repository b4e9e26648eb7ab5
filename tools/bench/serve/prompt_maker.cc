// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/prompt_maker.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace infer::load {
namespace {

constexpr char kWords[] =
    "the of and to in is you that it he was for on are as with his they at be this have from or "
    "one had by word but not what all were we when your can said there use an each which she do "
    "how their if will up other about out many then them these so some her would make like him "
    "into time has look two more write go see number no way could people my than first water been "
    "call who oil its now find long down day did get come made may part over new sound take only "
    "little work know place year live me back give most very after thing our just name good "
    "sentence man think say great where help through much before line right too mean old any same "
    "tell boy follow came want show also around form three small set put end does another well "
    "large must big even such because turn here why ask went men read need land different home us "
    "move try kind hand picture again change off play spell air away animal house point page "
    "letter mother answer found study still learn should world high every near add food between "
    "own below country plant last school father keep tree never start city earth eye light thought "
    "head under story saw left few while along might close something seem next hard open example "
    "begin life always those both paper together got group often run";

}  // namespace

std::vector<std::string> CommonWords() {
  std::istringstream stream(kWords);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

PromptMaker::PromptMaker(std::vector<PromptWord> words, int64_t overhead)
    : words_(std::move(words)), overhead_(overhead) {
  std::ranges::sort(words_, {},
                    [](const PromptWord& word) { return std::pair(word.tokens, word.text); });
}

std::string PromptMaker::Words(int64_t tokens, Random& random) const {
  std::string text;
  int64_t left = std::max<int64_t>(tokens, 1);
  while (left > 0) {
    // Words that are too long for the rest are at the end.
    const auto fitting = std::ranges::upper_bound(words_, left, {}, &PromptWord::tokens);
    const auto count = static_cast<uint64_t>(fitting - words_.begin());
    const PromptWord& word = count == 0 ? words_.front() : words_[random.Next() % count];
    text += word.text;
    left -= word.tokens;
  }
  return text;
}

}  // namespace infer::load
