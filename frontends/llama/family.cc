// SPDX-License-Identifier: Apache-2.0
#include "frontends/llama/family.h"

#include "frontends/family/decoder_config.h"
#include "frontends/family/plain_chat.h"
#include "frontends/llama/lower.h"
#include "ir/base/status_macros.h"

namespace infer {
namespace {

constexpr std::string_view kArchitectures[] = {"llama"};

absl::StatusOr<ModelConfig> ReadConfig(const GgufFile& file) {
  ASSIGN_OR_RETURN(DecoderConfig config, ReadDecoderConfig(file, kArchitectures[0]));
  return PublicPart(config);
}

absl::StatusOr<Graph> Lower(const GgufFile& file, const WeightSource& weights,
                            const LowerOptions& options) {
  ASSIGN_OR_RETURN(DecoderConfig config, ReadDecoderConfig(file, kArchitectures[0]));
  return LowerLlama(config, weights, options);
}

absl::StatusOr<MarkedText> Render(std::span<const ChatMessage> messages,
                                  const ChatOptions& options) {
  return RenderPlainChat({.start = "<|begin_of_text|>",
                          .before_role = "<|start_header_id|>",
                          .after_role = "<|end_header_id|>\n\n",
                          .after_text = "<|eot_id|>"},
                         messages, options);
}

}  // namespace

// The sampling parameters are those of generation_config.json of Llama 3.1 to 3.3 Instruct.
constinit const ModelFamily kLlamaFamily = {
    .name = "llama",
    .architectures = kArchitectures,
    .read_config = ReadConfig,
    .lower = Lower,
    .check_tokenizer = CheckTokenizerFits,
    .chat = {.name = "Llama 3",
             .render = Render,
             .reproduces = [](std::string_view) { return false; },
             .thought_start = ""},
    .sampling = {.temperature = 0.6, .top_k = 0, .top_p = 0.9, .min_p = 0},
    .sampling_without_thinking = {.temperature = 0.6, .top_k = 0, .top_p = 0.9, .min_p = 0},
};

}  // namespace infer
