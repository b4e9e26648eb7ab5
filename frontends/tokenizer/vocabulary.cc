// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/vocabulary.h"

#include <algorithm>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "frontends/tokenizer/byte_encoder.h"
#include "frontends/tokenizer/split_rules.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

absl::Status Bad(const std::string& message) { return absl::InvalidArgumentError(message); }

// Returns token text for a message: escaped and shortened, since it comes from a file.
std::string QuoteStart(std::string_view text) {
  constexpr size_t kShownBytes = 40;
  std::string escaped = absl::CHexEscape(ToAbsl(text.substr(0, kShownBytes)));
  return StrCat("\"", escaped, text.size() > kShownBytes ? "...\"" : "\"");
}

// What Qwen's, Llama 3's and their relatives' chats end with.
constexpr std::string_view kEndTexts[] = {"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>",
                                          "<|end_of_text|>"};

absl::Status CheckCounts(const TokenizerData& data) {
  if (data.tokens.empty()) return Bad("tokenizer.ggml.tokens is empty: the file has no vocabulary");
  if (data.tokens.size() > Vocabulary::kMaxTokens) {
    return Bad(StrCat("tokenizer.ggml.tokens has ", data.tokens.size(), " tokens, the limit is ",
                      Vocabulary::kMaxTokens));
  }
  if (data.types.size() != data.tokens.size()) {
    return Bad(StrCat("tokenizer.ggml.token_type has ", data.types.size(),
                      " entries, tokenizer.ggml.tokens has ", data.tokens.size(),
                      ": expected one type per token"));
  }
  return absl::OkStatus();
}

absl::Status CheckToken(size_t id, std::string_view text, int32_t type) {
  if (text.empty()) return Bad(StrCat("tokenizer.ggml.tokens[", id, "] is empty"));
  if (text.size() > Vocabulary::kMaxTextBytes) {
    return Bad(StrCat("tokenizer.ggml.tokens[", id, "] has ", text.size(), " bytes, the limit is ",
                      Vocabulary::kMaxTextBytes));
  }
  if (type < static_cast<int32_t>(TokenType::kNormal) ||
      type > static_cast<int32_t>(TokenType::kByte)) {
    return Bad(StrCat("tokenizer.ggml.token_type[", id, "] is ", type,
                      ", expected 1 to 6 (normal, unknown, control, user-defined, unused, byte)"));
  }
  bool special = type == static_cast<int32_t>(TokenType::kControl) ||
                 type == static_cast<int32_t>(TokenType::kUserDefined);
  if (!special) return absl::OkStatus();
  if (text.size() > Vocabulary::kMaxSpecialTextBytes) {
    return Bad(StrCat("tokenizer.ggml.tokens[", id, "] is a special token of ", text.size(),
                      " bytes, the limit is ", Vocabulary::kMaxSpecialTextBytes));
  }
  // Matched in text, such a token would cut the text inside a sequence.
  std::string storage;
  if (ReplaceInvalidUtf8(text, &storage).data() != text.data()) {
    return Bad(StrCat("tokenizer.ggml.tokens[", id, "] is the special token ", QuoteStart(text),
                      ", expected valid UTF-8"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<int32_t>> CheckRole(std::string_view key, std::optional<int64_t> id,
                                                 const Vocabulary& vocabulary) {
  if (!id.has_value()) return std::optional<int32_t>();
  if (!vocabulary.contains(*id)) {
    return Bad(StrCat("tokenizer.ggml.", key, " is ", *id, ", the vocabulary has ids 0 to ",
                      vocabulary.token_count() - 1));
  }
  return std::optional<int32_t>(static_cast<int32_t>(*id));
}

}  // namespace

std::string_view TokenTypeName(TokenType type) {
  switch (type) {
    case TokenType::kNormal:
      return "normal";
    case TokenType::kUnknown:
      return "unknown";
    case TokenType::kControl:
      return "control";
    case TokenType::kUserDefined:
      return "user-defined";
    case TokenType::kUnused:
      return "unused";
    case TokenType::kByte:
      return "byte";
  }
  return "invalid";
}

absl::Status Vocabulary::CheckKind(const TokenizerData& data) {
  if (data.model == "llama") {
    return Bad(
        "tokenizer.ggml.model is \"llama\" (SPM, SentencePiece), expected \"gpt2\" (byte-level "
        "BPE): models with such a tokenizer, Llama 2 among them, are not supported; Llama 3 is");
  }
  if (data.model != "gpt2") {
    return Bad(StrCat("tokenizer.ggml.model is ", QuoteStart(data.model),
                      ", expected \"gpt2\" (byte-level BPE): this tokenizer is not supported"));
  }
  if (FindSplitRules(data.pre) == nullptr) {
    return Bad(StrCat("tokenizer.ggml.pre is ", QuoteStart(data.pre), ", expected one of ",
                      KnownSplitRules(), ": the split used by this model is not supported"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Vocabulary> Vocabulary::Create(const TokenizerData& data) {
  RETURN_IF_ERROR(CheckKind(data));
  RETURN_IF_ERROR(CheckCounts(data));
  Vocabulary vocabulary;
  RETURN_IF_ERROR(vocabulary.AddTokens(data));
  RETURN_IF_ERROR(vocabulary.SetRoles(data));
  return vocabulary;
}

absl::Status Vocabulary::AddTokens(const TokenizerData& data) {
  size_t total_bytes = 0;
  for (size_t id = 0; id < data.tokens.size(); ++id) {
    RETURN_IF_ERROR(CheckToken(id, data.tokens[id], data.types[id]));
    total_bytes += data.tokens[id].size();  // at most 4 Mi times 64 KiB
  }
  if (total_bytes > kMaxTotalTextBytes) {
    return Bad(StrCat("tokenizer.ggml.tokens has ", total_bytes, " bytes of text, the limit is ",
                      kMaxTotalTextBytes));
  }
  arena_.reserve(total_bytes);
  offsets_.reserve(data.tokens.size() + 1);
  types_.reserve(data.tokens.size());
  offsets_.push_back(0);
  for (size_t id = 0; id < data.tokens.size(); ++id) {
    arena_.append(data.tokens[id]);
    offsets_.push_back(static_cast<uint32_t>(arena_.size()));
    types_.push_back(static_cast<uint8_t>(data.types[id]));
  }
  return absl::OkStatus();
}

absl::Status Vocabulary::SetRoles(const TokenizerData& data) {
  if (!data.eos.has_value()) {
    return Bad(
        "tokenizer.ggml.eos_token_id is missing: without it generation would never end; convert "
        "the "
        "model again");
  }
  ASSIGN_OR_RETURN(std::optional<int32_t> eos, CheckRole("eos_token_id", data.eos, *this));
  eos_ = *eos;
  ASSIGN_OR_RETURN(bos_, CheckRole("bos_token_id", data.bos, *this));
  ASSIGN_OR_RETURN(pad_, CheckRole("padding_token_id", data.pad, *this));
  RETURN_IF_ERROR(CheckRole("eot_token_id", data.eot, *this).status());
  add_bos_ = data.add_bos.value_or(FindSplitRules(data.pre)->add_bos && bos_.has_value());
  add_eos_ = data.add_eos;
  if (add_bos_ && !bos_.has_value()) {
    return Bad("tokenizer.ggml.add_bos_token is true, but tokenizer.ggml.bos_token_id is missing");
  }
  CollectEndIds(data);
  return absl::OkStatus();
}

void Vocabulary::CollectEndIds(const TokenizerData& data) {
  end_ids_.push_back(eos_);
  if (data.eot.has_value()) end_ids_.push_back(static_cast<int32_t>(*data.eot));
  for (int32_t id = 0; id < token_count(); ++id) {
    if (type(id) != TokenType::kControl) continue;
    if (std::ranges::find(kEndTexts, text(id)) != std::end(kEndTexts)) end_ids_.push_back(id);
  }
  std::sort(end_ids_.begin(), end_ids_.end());
  end_ids_.erase(std::unique(end_ids_.begin(), end_ids_.end()), end_ids_.end());
}

void Vocabulary::AppendBytes(int32_t id, std::string* out) const {
  switch (type(id)) {
    case TokenType::kUnused:
      return;
    case TokenType::kControl:
    case TokenType::kUserDefined:
      out->append(text(id));
      return;
    default:
      // A normal token outside the byte alphabet stands for its own text, as in Hugging Face's
      // byte-level decoder.
      if (!AppendBytesOfAlphabet(text(id), out)) out->append(text(id));
  }
}

absl::StatusOr<TokenIndex> Vocabulary::BuildIndex() const {
  TokenIndex index;
  index.reserve(types_.size());
  for (int32_t id = 0; id < token_count(); ++id) {
    auto [entry, is_new] = index.try_emplace(ToAbsl(text(id)), id);
    if (!is_new) {
      return Bad(StrCat("tokenizer.ggml.tokens[", id, "] is ", QuoteStart(text(id)),
                        ", the same text as token ", entry->second, ": expected unique texts"));
    }
  }
  return index;
}

size_t Vocabulary::memory_bytes() const {
  return arena_.capacity() + offsets_.capacity() * sizeof(offsets_[0]) + types_.capacity() +
         end_ids_.capacity() * sizeof(end_ids_[0]);
}

}  // namespace infer
