// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/tokenizer.h"

#include <utility>

#include "frontends/tokenizer/normalizer.h"
#include "frontends/tokenizer/pretokenizer_pcre2.h"
#include "frontends/tokenizer/unicode_classes.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {

Tokenizer::Tokenizer(Vocabulary vocabulary, MergeTable merges, SpecialTokens special_tokens,
                     const SplitRules& rules, std::unique_ptr<Pretokenizer> pretokenizer)
    : vocabulary_(std::move(vocabulary)),
      merges_(std::move(merges)),
      special_tokens_(std::move(special_tokens)),
      rules_(&rules),
      pretokenizer_(std::move(pretokenizer)) {
  if (rules.whole_words) whole_words_.emplace(vocabulary_);
}

BpeEncoder Tokenizer::NewEncoder(size_t text_bytes) const {
  return BpeEncoder(merges_, whole_words_ ? &*whole_words_ : nullptr, text_bytes);
}

absl::StatusOr<Tokenizer> Tokenizer::Create(const TokenizerData& data,
                                            const TokenizerOptions& options) {
  ASSIGN_OR_RETURN(Vocabulary vocabulary, Vocabulary::Create(data));
  ASSIGN_OR_RETURN(TokenIndex index, vocabulary.BuildIndex());
  ASSIGN_OR_RETURN(MergeTable merges, MergeTable::Create(data.merges, index));
  ASSIGN_OR_RETURN(SpecialTokens special_tokens, SpecialTokens::Create(vocabulary));
  const SplitRules& rules = *FindSplitRules(data.pre);
  std::unique_ptr<Pretokenizer> pretokenizer = MakeScanningPretokenizer(rules.max_digits);
  if (!options.split_regex.empty()) {
    ASSIGN_OR_RETURN(pretokenizer, MakePcre2Pretokenizer(options.split_regex));
  }
  return Tokenizer(std::move(vocabulary), std::move(merges), std::move(special_tokens), rules,
                   std::move(pretokenizer));
}

absl::StatusOr<std::vector<int32_t>> Tokenizer::Encode(std::string_view text,
                                                       const EncodeOptions& options) const {
  if (text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(StrCat("the text has ", text.size(),
                                             " bytes, the tokenizer's limit is ", kMaxTextBytes,
                                             ": encode it in parts"));
  }
  std::string valid_storage;
  text = ReplaceInvalidUtf8(text, &valid_storage);
  std::vector<int32_t> ids;
  if (options.add_bos.value_or(vocabulary_.add_bos()) && vocabulary_.bos().has_value()) {
    ids.push_back(*vocabulary_.bos());
  }
  BpeEncoder bpe = NewEncoder(text.size());
  size_t plain_begin = 0;
  size_t pos = 0;
  SpecialTokens::Search search(special_tokens_, vocabulary_, text);
  while (auto found = search.Next(pos)) {
    pos = found->end;
    if (!options.parse_special && vocabulary_.type(found->id) == TokenType::kControl) continue;
    RETURN_IF_ERROR(EncodePlain(text.substr(plain_begin, found->begin - plain_begin), &bpe, &ids));
    ids.push_back(found->id);
    plain_begin = pos;
  }
  RETURN_IF_ERROR(EncodePlain(text.substr(plain_begin), &bpe, &ids));
  return ids;
}

absl::Status Tokenizer::EncodePlain(std::string_view text, BpeEncoder* bpe,
                                    std::vector<int32_t>* ids) const {
  std::string nfc_storage;
  return pretokenizer_->Split(rules_->nfc ? NormalizeNfc(text, &nfc_storage) : text,
                              [&](std::string_view word) { bpe->Encode(word, ids); });
}

absl::StatusOr<std::string> Tokenizer::Decode(std::span<const int32_t> ids,
                                              const DecodeOptions& options) const {
  std::string bytes;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (!vocabulary_.contains(ids[i])) {
      return absl::InvalidArgumentError(StrCat("token ", i, " of the sequence is ", ids[i],
                                               ", the vocabulary has ids 0 to ",
                                               vocabulary_.token_count() - 1));
    }
    AppendTokenBytes(ids[i], options, &bytes);
  }
  return bytes;
}

void Tokenizer::AppendTokenBytes(int32_t id, const DecodeOptions& options, std::string* out) const {
  if (!vocabulary_.contains(id)) return;
  if (options.skip_control && vocabulary_.type(id) == TokenType::kControl) return;
  vocabulary_.AppendBytes(id, out);
}

size_t Tokenizer::memory_bytes() const {
  return vocabulary_.memory_bytes() + merges_.memory_bytes() + special_tokens_.memory_bytes() +
         (whole_words_ ? whole_words_->memory_bytes() : 0) + sizeof(UnicodeClasses);
}

}  // namespace infer
