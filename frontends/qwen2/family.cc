// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen2/family.h"

#include "frontends/family/decoder_config.h"
#include "frontends/family/plain_chat.h"
#include "frontends/qwen2/lower.h"
#include "ir/base/status_macros.h"

namespace infer {
namespace {

constexpr std::string_view kArchitectures[] = {"qwen2"};

absl::StatusOr<ModelConfig> ReadConfig(const GgufFile& file) {
  ASSIGN_OR_RETURN(DecoderConfig config, ReadDecoderConfig(file, kArchitectures[0]));
  return PublicPart(config);
}

absl::StatusOr<Graph> Lower(const GgufFile& file, const WeightSource& weights,
                            const LowerOptions& options) {
  ASSIGN_OR_RETURN(DecoderConfig config, ReadDecoderConfig(file, kArchitectures[0]));
  return LowerQwen2(config, weights, options);
}

// ChatML.
absl::StatusOr<MarkedText> Render(std::span<const ChatMessage> messages,
                                  const ChatOptions& options) {
  return RenderPlainChat({.start = "",
                          .before_role = "<|im_start|>",
                          .after_role = "\n",
                          .after_text = "<|im_end|>\n"},
                         messages, options);
}

}  // namespace

// The sampling parameters are those of the model card of Qwen2.5.
constinit const ModelFamily kQwen2Family = {
    .name = "qwen2",
    .architectures = kArchitectures,
    .read_config = ReadConfig,
    .lower = Lower,
    .check_tokenizer = CheckTokenizerFits,
    .chat = {.name = "Qwen2",
             .render = Render,
             .reproduces = [](std::string_view) { return false; },
             .thought_start = ""},
    .sampling = {.temperature = 0.7, .top_k = 20, .top_p = 0.8, .min_p = 0},
    .sampling_without_thinking = {.temperature = 0.7, .top_k = 20, .top_p = 0.8, .min_p = 0},
};

}  // namespace infer
