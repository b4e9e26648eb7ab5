// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/tokenizer/bpe.h"
#include "frontends/tokenizer/marked_text.h"
#include "frontends/tokenizer/merge_table.h"
#include "frontends/tokenizer/pretokenizer.h"
#include "frontends/tokenizer/special_tokens.h"
#include "frontends/tokenizer/split_rules.h"
#include "frontends/tokenizer/tokenizer_data.h"
#include "frontends/tokenizer/vocabulary.h"
#include "frontends/tokenizer/whole_words.h"

namespace infer {

struct TokenizerOptions {
  // Splits text by this regex instead of the one that `pre` names.
  std::string split_regex;
};

struct EncodeOptions {
  // Control tokens in the text become their ids; otherwise they are ordinary text. Text of
  // user-defined tokens always becomes their ids, as in Hugging Face's library and llama.cpp.
  bool parse_special = true;
  std::optional<bool> add_bos;  // if not set, as the model file says
};

struct DecodeOptions {
  bool skip_control = false;  // control tokens produce nothing instead of their text
};

// Converts text to token ids and back, as Hugging Face's tokenizers of Qwen and Llama 3 do.
// Immutable after Create; any number of threads may use one object.
class Tokenizer {
 public:
  static constexpr size_t kMaxTextBytes = size_t{1} << 30;

  static absl::StatusOr<Tokenizer> Create(const TokenizerData& data,
                                          const TokenizerOptions& options = {});

  // Each ill-formed part of `text` counts as U+FFFD. Fails if the text is longer than
  // kMaxTextBytes, or if the caller's split_regex exceeds PCRE2's limits.
  absl::StatusOr<std::vector<int32_t>> Encode(std::string_view text,
                                              const EncodeOptions& options = {}) const;

  // Encodes a rendered conversation. Special tokens are found where all of their bytes are trusted;
  // text of the request becomes neither control tokens nor user-defined ones, except those of white
  // space, which are vocabulary and not markup. A text that begins with bos gets no second one.
  absl::StatusOr<std::vector<int32_t>> EncodeMarked(
      const MarkedText& text, std::optional<bool> add_bos = std::nullopt) const;

  // Returns the concatenated bytes of the tokens, which need not be valid UTF-8. Without bos,
  // Decode(Encode(text)) is `text`, or its NFC form if the model normalizes. Fails if an id is not
  // in the vocabulary.
  absl::StatusOr<std::string> Decode(std::span<const int32_t> ids,
                                     const DecodeOptions& options = {}) const;

  // Appends the bytes of one token, or nothing if `id` is not in the vocabulary: a model may have
  // more rows than its vocabulary has tokens.
  void AppendTokenBytes(int32_t id, const DecodeOptions& options, std::string* out) const;

  // Returns the id of a control or user-defined token, such as "<|im_end|>".
  std::optional<int32_t> SpecialTokenId(std::string_view text) const {
    return special_tokens_.IdOf(vocabulary_, text);
  }

  const Vocabulary& vocabulary() const { return vocabulary_; }

  // Returns the heap memory that the object holds, for the memory table of a dry run.
  size_t memory_bytes() const;

 private:
  Tokenizer(Vocabulary vocabulary, MergeTable merges, SpecialTokens special_tokens,
            const SplitRules& rules, std::unique_ptr<Pretokenizer> pretokenizer);
  // Appends the special tokens of text[begin, end), which is either trusted or from a request.
  void FindSpecials(std::string_view text, size_t begin, size_t end, bool from_request,
                    std::vector<SpecialTokens::Found>* found) const;
  BpeEncoder NewEncoder(size_t text_bytes) const;
  absl::Status EncodePlain(std::string_view text, BpeEncoder* bpe, std::vector<int32_t>* ids) const;

  Vocabulary vocabulary_;
  MergeTable merges_;
  SpecialTokens special_tokens_;
  const SplitRules* rules_;
  std::optional<WholeWords> whole_words_;
  std::unique_ptr<Pretokenizer> pretokenizer_;
};

}  // namespace infer
