// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "frontends/tokenizer/tokenizer_data.h"

namespace infer {

// The values are those of tokenizer.ggml.token_type.
enum class TokenType : uint8_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};

std::string_view TokenTypeName(TokenType type);

// Token text -> id; the keys are views into the Vocabulary it was made from.
using TokenIndex = absl::flat_hash_map<absl::string_view, int32_t>;

// The checked tokens of a model: texts (in one string), types and the ids with a role. Every id it
// returns is below token_count(), and no text is empty. Immutable. The texts are known to be unique
// once BuildIndex has succeeded.
class Vocabulary {
 public:
  static constexpr size_t kMaxTokens = size_t{4} << 20;
  static constexpr size_t kMaxTextBytes = size_t{64} << 10;
  // Limit for control and user-defined tokens, which are markup of some ten bytes.
  static constexpr size_t kMaxSpecialTextBytes = 1024;
  static constexpr size_t kMaxTotalTextBytes = size_t{256} << 20;

  static absl::StatusOr<Vocabulary> Create(const TokenizerData& data);
  // Checks the names of the model and of its split, which are all that Create needs to refuse
  // another kind of tokenizer.
  static absl::Status CheckKind(const TokenizerData& data);

  int32_t token_count() const { return static_cast<int32_t>(types_.size()); }
  bool contains(int64_t id) const { return id >= 0 && id < token_count(); }

  // Returns the text as the file has it: in GPT-2's byte alphabet if the token is a normal one.
  std::string_view text(int32_t id) const {
    return std::string_view(arena_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  TokenType type(int32_t id) const { return static_cast<TokenType>(types_[id]); }
  // Control and user-defined tokens are matched in text as they are, before it is normalized.
  bool is_special(int32_t id) const {
    return type(id) == TokenType::kControl || type(id) == TokenType::kUserDefined;
  }

  int32_t eos() const { return eos_; }
  std::optional<int32_t> bos() const { return bos_; }
  std::optional<int32_t> pad() const { return pad_; }
  bool add_bos() const { return add_bos_; }
  bool add_eos() const { return add_eos_; }  // after text that is not continued

  // Tokens that end a generation: eos, eot, and those of kEndTexts that are control tokens, since a
  // chat model may end with any of them. Ascending.
  const std::vector<int32_t>& end_ids() const { return end_ids_; }

  // Appends the bytes that the token stands for; nothing if it is unused.
  void AppendBytes(int32_t id, std::string* out) const;

  // Needed only while loading: about 6 MiB for Qwen3's 151,936 tokens. Fails if two tokens have the
  // same text.
  absl::StatusOr<TokenIndex> BuildIndex() const;

  size_t memory_bytes() const;

 private:
  Vocabulary() = default;
  absl::Status AddTokens(const TokenizerData& data);
  absl::Status SetRoles(const TokenizerData& data);
  void CollectEndIds(const TokenizerData& data);

  std::string arena_;
  std::vector<uint32_t> offsets_;  // token_count() + 1
  std::vector<uint8_t> types_;
  int32_t eos_ = 0;
  std::optional<int32_t> bos_;
  std::optional<int32_t> pad_;
  bool add_bos_ = false;
  bool add_eos_ = false;
  std::vector<int32_t> end_ids_;
};

}  // namespace infer
