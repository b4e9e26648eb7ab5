// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/synthetic_vocabulary.h"

#include <iterator>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "ir/base/strings.h"
#include "tools/synth/random_stream.h"

namespace infer {
namespace {

constexpr uint32_t kQwen3Merges = 151387;
constexpr uint32_t kLlama3Pieces = 127744;

struct SpecialToken {
  std::string_view text;
  SynthTokenType type;
};

// Ids 151643 to 151668 of Qwen3, with the types that its converted files give them.
constexpr SpecialToken kQwen3Special[] = {
    {"<|endoftext|>", SynthTokenType::kControl},
    {"<|im_start|>", SynthTokenType::kControl},
    {"<|im_end|>", SynthTokenType::kControl},
    {"<|object_ref_start|>", SynthTokenType::kControl},
    {"<|object_ref_end|>", SynthTokenType::kControl},
    {"<|box_start|>", SynthTokenType::kControl},
    {"<|box_end|>", SynthTokenType::kControl},
    {"<|quad_start|>", SynthTokenType::kControl},
    {"<|quad_end|>", SynthTokenType::kControl},
    {"<|vision_start|>", SynthTokenType::kControl},
    {"<|vision_end|>", SynthTokenType::kControl},
    {"<|vision_pad|>", SynthTokenType::kControl},
    {"<|image_pad|>", SynthTokenType::kControl},
    {"<|video_pad|>", SynthTokenType::kControl},
    {"<tool_call>", SynthTokenType::kUserDefined},
    {"</tool_call>", SynthTokenType::kUserDefined},
    {"<|fim_prefix|>", SynthTokenType::kUserDefined},
    {"<|fim_middle|>", SynthTokenType::kUserDefined},
    {"<|fim_suffix|>", SynthTokenType::kUserDefined},
    {"<|fim_pad|>", SynthTokenType::kUserDefined},
    {"<|repo_name|>", SynthTokenType::kUserDefined},
    {"<|file_sep|>", SynthTokenType::kUserDefined},
    {"<tool_response>", SynthTokenType::kUserDefined},
    {"</tool_response>", SynthTokenType::kUserDefined},
    {"<think>", SynthTokenType::kUserDefined},
    {"</think>", SynthTokenType::kUserDefined},
};

constexpr SpecialToken kSmallSpecial[] = {
    {"<|endoftext|>", SynthTokenType::kControl},    {"<|im_start|>", SynthTokenType::kControl},
    {"<|im_end|>", SynthTokenType::kControl},       {"<tool_call>", SynthTokenType::kUserDefined},
    {"</tool_call>", SynthTokenType::kUserDefined}, {"<think>", SynthTokenType::kUserDefined},
    {"</think>", SynthTokenType::kUserDefined},
};

// ChatML without tools and thinking.
constexpr std::string_view kChatTemplate =
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}";

// Special tokens of Llama 3 that are not reserved ones, counted from the first.
constexpr std::pair<uint32_t, std::string_view> kLlama3Special[] = {
    {0, "<|begin_of_text|>"},   {1, "<|end_of_text|>"},   {4, "<|finetune_right_pad_id|>"},
    {6, "<|start_header_id|>"}, {7, "<|end_header_id|>"}, {8, "<|eom_id|>"},
    {9, "<|eot_id|>"},          {10, "<|python_tag|>"},
};
constexpr uint32_t kLlama3SpecialCount = 256;
constexpr uint32_t kLlama3EndOfTurn = 9;

constexpr std::string_view kLlama3ChatTemplate =
    "{{- bos_token }}{%- for message in messages %}"
    "{{- '<|start_header_id|>' + message.role + '<|end_header_id|>\n\n' + message.content + "
    "'<|eot_id|>' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}"
    "{{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{%- endif %}";

// Encodes code points up to U+07FF.
std::string Utf8(uint32_t code_point) {
  if (code_point < 0x80) return std::string(1, static_cast<char>(code_point));
  return {static_cast<char>(0xc0 | code_point >> 6), static_cast<char>(0x80 | (code_point & 0x3f))};
}

bool StandsForItself(uint32_t byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

void AddBytes(SynthVocabulary* vocabulary) {
  for (std::string& token : ByteTokens())
    vocabulary->Add(std::move(token), SynthTokenType::kNormal);
}

// <|endoftext|> must be the first and <|im_end|> the third of `special`.
void AddSpecial(std::span<const SpecialToken> special, std::span<const std::string> merges,
                SynthVocabulary* vocabulary) {
  const auto end_of_text = static_cast<uint32_t>(vocabulary->tokens.size());
  for (const SpecialToken& token : special) vocabulary->Add(std::string(token.text), token.type);
  vocabulary->other_entries = {
      StringEntry("tokenizer.ggml.model", "gpt2"),
      StringEntry("tokenizer.ggml.pre", "qwen2"),
      StringsEntry("tokenizer.ggml.merges", merges),
      Uint32Entry("tokenizer.ggml.eos_token_id", end_of_text + 2),
      Uint32Entry("tokenizer.ggml.padding_token_id", end_of_text),
      Uint32Entry("tokenizer.ggml.bos_token_id", end_of_text),
      BoolEntry("tokenizer.ggml.add_bos_token", false),
      StringEntry("tokenizer.chat_template", kChatTemplate),
  };
}

// Builds words from letters: a piece is an older piece followed by an older one that does not begin
// with a space. The limits on lengths give pieces of 8.8 bytes on average; Qwen3's have 9.0.
class PieceMaker {
 public:
  explicit PieceMaker(uint64_t seed) : stream_(StreamKey(seed, "vocabulary"), 0) {
    for (char letter = 'a'; letter <= 'z'; ++letter) Remember(std::string(1, letter));
    Remember("\xc4\xa0");  // U+0120, the space of byte-level vocabularies
  }

  // Returns the two halves of a piece that did not exist before.
  std::pair<std::string, std::string> Next() {
    while (true) {
      const std::string& left = lefts_[stream_.Below(static_cast<uint32_t>(lefts_.size()))];
      const std::string& right = rights_[stream_.Below(static_cast<uint32_t>(rights_.size()))];
      if (made_.contains(left + right)) continue;
      std::pair<std::string, std::string> halves = {left, right};
      Remember(left + right);
      return halves;
    }
  }

 private:
  void Remember(std::string piece) {
    if (piece.size() <= 6) lefts_.push_back(piece);
    if (piece.size() <= 4 && piece[0] != '\xc4') rights_.push_back(piece);
    made_.insert(std::move(piece));
  }

  RandomStream stream_;
  std::vector<std::string> lefts_, rights_;
  std::unordered_set<std::string> made_;
};

// Adds this many pieces and returns the merge that makes each.
std::vector<std::string> AddPieces(uint32_t count, uint64_t seed, SynthVocabulary* vocabulary) {
  PieceMaker maker(seed);
  std::vector<std::string> merges;
  for (uint32_t i = 0; i < count; ++i) {
    auto [left, right] = maker.Next();
    merges.push_back(StrCat(left, " ", right));
    vocabulary->Add(left + right, SynthTokenType::kNormal);
  }
  return merges;
}

}  // namespace

std::vector<std::string> ByteTokens() {
  std::vector<std::string> tokens;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    if (StandsForItself(byte)) tokens.push_back(Utf8(byte));
  }
  for (uint32_t code_point = 256; tokens.size() < 256; ++code_point) {
    tokens.push_back(Utf8(code_point));
  }
  return tokens;
}

absl::StatusOr<SynthVocabulary> SmallVocabulary::Load() const {
  SynthVocabulary vocabulary;
  AddBytes(&vocabulary);
  AddSpecial(kSmallSpecial, {}, &vocabulary);
  return vocabulary;
}

absl::StatusOr<SynthVocabulary> Qwen3SizedVocabulary::Load() const {
  SynthVocabulary vocabulary;
  AddBytes(&vocabulary);
  const std::vector<std::string> merges = AddPieces(kQwen3Merges, seed_, &vocabulary);
  AddSpecial(kQwen3Special, merges, &vocabulary);
  return vocabulary;
}

absl::StatusOr<SynthVocabulary> Llama3SizedVocabulary::Load() const {
  SynthVocabulary vocabulary;
  AddBytes(&vocabulary);
  const std::vector<std::string> merges = AddPieces(kLlama3Pieces, seed_, &vocabulary);
  const auto first = static_cast<uint32_t>(vocabulary.tokens.size());
  auto named = std::begin(kLlama3Special);
  for (uint32_t i = 0; i < kLlama3SpecialCount; ++i) {
    const bool has_name = named != std::end(kLlama3Special) && named->first == i;
    vocabulary.Add(
        has_name ? std::string((named++)->second) : StrCat("<|reserved_special_token_", i, "|>"),
        SynthTokenType::kControl);
  }
  vocabulary.other_entries = {
      StringEntry("tokenizer.ggml.model", "gpt2"),
      StringEntry("tokenizer.ggml.pre", "llama-bpe"),
      StringsEntry("tokenizer.ggml.merges", merges),
      Uint32Entry("tokenizer.ggml.bos_token_id", first),
      Uint32Entry("tokenizer.ggml.eos_token_id", first + kLlama3EndOfTurn),
      BoolEntry("tokenizer.ggml.add_bos_token", true),
      StringEntry("tokenizer.chat_template", kLlama3ChatTemplate),
  };
  return vocabulary;
}

}  // namespace infer
