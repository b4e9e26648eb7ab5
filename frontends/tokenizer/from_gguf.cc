// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/from_gguf.h"

#include <optional>
#include <string_view>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

absl::StatusOr<std::optional<int64_t>> TokenId(const Metadata& metadata, std::string_view key) {
  if (!metadata.Has(key)) return std::nullopt;
  ASSIGN_OR_RETURN(uint32_t id, metadata.GetUint32(key));
  return std::optional<int64_t>(id);
}

absl::Status CheckTokenizerKind(const std::string& file, const TokenizerData& data) {
  absl::Status kind = Vocabulary::CheckKind(data);
  if (kind.ok()) return kind;
  return absl::Status(kind.code(), StrCat(file, ": ", ToStd(kind.message())));
}

}  // namespace

absl::StatusOr<TokenizerData> ReadTokenizerData(const GgufFile& file) {
  const Metadata& metadata = file.metadata();
  TokenizerData data;
  ASSIGN_OR_RETURN(std::string_view model, metadata.GetString("tokenizer.ggml.model"));
  ASSIGN_OR_RETURN(std::string_view pre, metadata.GetStringOr("tokenizer.ggml.pre", ""));
  data.model = std::string(model);
  data.pre = std::string(pre);
  // First, because files of other kinds lack the keys below.
  RETURN_IF_ERROR(CheckTokenizerKind(metadata.file(), data));
  ASSIGN_OR_RETURN(data.tokens, metadata.GetStrings("tokenizer.ggml.tokens"));
  ASSIGN_OR_RETURN(data.types, metadata.GetInt32s("tokenizer.ggml.token_type"));
  ASSIGN_OR_RETURN(data.merges, metadata.GetStrings("tokenizer.ggml.merges"));
  ASSIGN_OR_RETURN(data.bos, TokenId(metadata, "tokenizer.ggml.bos_token_id"));
  ASSIGN_OR_RETURN(data.eos, TokenId(metadata, "tokenizer.ggml.eos_token_id"));
  ASSIGN_OR_RETURN(data.eot, TokenId(metadata, "tokenizer.ggml.eot_token_id"));
  ASSIGN_OR_RETURN(data.pad, TokenId(metadata, "tokenizer.ggml.padding_token_id"));
  if (metadata.Has("tokenizer.ggml.add_bos_token")) {
    ASSIGN_OR_RETURN(data.add_bos, metadata.GetBool("tokenizer.ggml.add_bos_token"));
  }
  ASSIGN_OR_RETURN(data.add_eos, metadata.GetBoolOr("tokenizer.ggml.add_eos_token", false));
  return data;
}

absl::StatusOr<Tokenizer> LoadTokenizer(const GgufFile& file) {
  ASSIGN_OR_RETURN(TokenizerData data, ReadTokenizerData(file));
  absl::StatusOr<Tokenizer> tokenizer = Tokenizer::Create(data);
  if (tokenizer.ok()) return tokenizer;
  return absl::Status(tokenizer.status().code(),
                      StrCat(file.metadata().file(), ": ", ToStd(tokenizer.status().message())));
}

}  // namespace infer
