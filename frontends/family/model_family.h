// SPDX-License-Identifier: Apache-2.0
//
// Everything the project knows about a family of models, in one record. A family is a folder in
// frontends/ that defines such a record, and a line in frontends/families.cc; nothing else names
// it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/family/chat.h"
#include "frontends/gguf/reader.h"
#include "frontends/tokenizer/tokenizer.h"
#include "ir/graph/dtype.h"
#include "ir/graph/graph.h"
#include "ir/program/weight_source.h"

namespace infer {

// What becomes of the vectors of a text's tokens, as files number it: all stay, their mean, that of
// the first or of the last token, or the score of a reranker.
enum class Pooling : uint8_t { kNone, kMean, kCls, kLast, kRank };

// The numbers that every family has, read from a file's metadata alone.
struct ModelConfig {
  std::string name;                      // general.name, or the file's name if it has none
  int64_t layers = 0;                    // number of scopes layer.0, layer.1, ...
  int64_t vocabulary = 0;                // rows of the token matrix, columns of the logits
  int64_t context = 0;                   // positions the model was trained for
  int64_t hidden = 0;                    // length of a token's vector
  Pooling pooling = Pooling::kNone;      // of an embedding model or a reranker
  std::vector<std::string> labels = {};  // of a classifier: columns of its result
};

struct LowerOptions {
  DType kv_type = DType::kF16;
  // Origins of further results, after the logits: "embed", "layer.3/ffn/residual", "output/norm".
  std::vector<std::string> extra_results;
  // The first result is the normed vectors [R, hidden] and not the logits.
  bool vectors = false;
};

// The sampling parameters that a model's makers recommend.
struct SamplingDefaults {
  double temperature = 0.6;
  int32_t top_k = 20;
  double top_p = 0.95;
  double min_p = 0.0;
};

struct ChatFormat {
  std::string_view name;  // "Qwen3"
  // Returns the prompt for the next turn, with the text of the messages marked.
  absl::StatusOr<MarkedText> (*render)(std::span<const ChatMessage> messages,
                                       const ChatOptions& options) = nullptr;
  // Returns whether `render` reproduces this template, the text of tokenizer.chat_template.
  bool (*reproduces)(std::string_view template_text) = nullptr;
  // Text after the prompt that makes the model think; empty for a model that cannot.
  std::string_view thought_start = "";
};

struct ModelFamily {
  std::string_view name;                            // "qwen3"
  std::span<const std::string_view> architectures;  // values of general.architecture
  absl::StatusOr<ModelConfig> (*read_config)(const GgufFile& file) = nullptr;
  // Returns the model as a graph at stage imported: inputs %tokens and %batch, first result the
  // logits [R, vocabulary], or a classifier's [R, labels]. An error names the tensor that is
  // missing, misshapen, mistyped or unknown.
  absl::StatusOr<Graph> (*lower)(const GgufFile& file, const WeightSource& weights,
                                 const LowerOptions& options) = nullptr;
  // Refuses a tokenizer that does not fit the model.
  absl::Status (*check_tokenizer)(const Tokenizer& tokenizer, const ModelConfig& config) = nullptr;
  ChatFormat chat;
  SamplingDefaults sampling;                   // for plain text, and for chats that may think
  SamplingDefaults sampling_without_thinking;  // for chats that must not think
};

// Returns the family in `families` that the file's architecture belongs to. An error lists the
// known architectures.
absl::StatusOr<const ModelFamily*> FindFamily(const GgufFile& file,
                                              std::span<const ModelFamily* const> families);

// A check_tokenizer for families without further conditions: every id must be a row of the token
// matrix.
absl::Status CheckTokenizerFits(const Tokenizer& tokenizer, const ModelConfig& config);

}  // namespace infer
