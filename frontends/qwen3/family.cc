// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen3/family.h"

#include "frontends/qwen3/chat_template.h"
#include "frontends/qwen3/config.h"
#include "frontends/qwen3/lower.h"
#include "ir/base/status_macros.h"

namespace infer {
namespace {

constexpr std::string_view kArchitectures[] = {"qwen3"};
constexpr std::string_view kMoeArchitectures[] = {"qwen3moe"};

absl::StatusOr<ModelConfig> ReadConfig(const GgufFile& file) {
  ASSIGN_OR_RETURN(Qwen3Config config, ReadQwen3Config(file));
  return PublicPart(config);
}

absl::StatusOr<ModelConfig> ReadMoeConfig(const GgufFile& file) {
  ASSIGN_OR_RETURN(Qwen3Config config, ReadQwen3Config(file, kMoeArchitectures[0]));
  RETURN_IF_ERROR(ReadQwen3Experts(file).status());
  return PublicPart(config);
}

absl::StatusOr<Graph> Lower(const GgufFile& file, const WeightSource& weights,
                            const LowerOptions& options) {
  ASSIGN_OR_RETURN(Qwen3Config config, ReadQwen3Config(file));
  return LowerQwen3(config, weights, options);
}

absl::StatusOr<Graph> LowerMoe(const GgufFile& file, const WeightSource& weights,
                               const LowerOptions& options) {
  ASSIGN_OR_RETURN(Qwen3Config config, ReadQwen3Config(file, kMoeArchitectures[0]));
  ASSIGN_OR_RETURN(Qwen3Experts experts, ReadQwen3Experts(file));
  return LowerQwen3Moe(config, experts, weights, options);
}

constexpr ChatFormat kChat = {.name = "Qwen3",
                              .render = RenderQwen3Chat,
                              .reproduces = IsKnownQwen3ChatTemplate,
                              .thought_start = "<think>\n"};

// The sampling parameters are those of the model cards.
constexpr SamplingDefaults kSampling = {.temperature = 0.6, .top_k = 20, .top_p = 0.95, .min_p = 0};
constexpr SamplingDefaults kSamplingWithoutThinking = {
    .temperature = 0.7, .top_k = 20, .top_p = 0.8, .min_p = 0};

}  // namespace

constinit const ModelFamily kQwen3Family = {
    .name = "qwen3",
    .architectures = kArchitectures,
    .read_config = ReadConfig,
    .lower = Lower,
    .check_tokenizer = CheckTokenizerFits,
    .chat = kChat,
    .sampling = kSampling,
    .sampling_without_thinking = kSamplingWithoutThinking,
};

constinit const ModelFamily kQwen3MoeFamily = {
    .name = "qwen3moe",
    .architectures = kMoeArchitectures,
    .read_config = ReadMoeConfig,
    .lower = LowerMoe,
    .check_tokenizer = CheckTokenizerFits,
    .chat = kChat,
    .sampling = kSampling,
    .sampling_without_thinking = kSamplingWithoutThinking,
};

}  // namespace infer
