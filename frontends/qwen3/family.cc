// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen3/family.h"

#include "frontends/qwen3/chat_template.h"
#include "frontends/qwen3/config.h"
#include "frontends/qwen3/lower.h"
#include "ir/base/status_macros.h"

namespace infer {
namespace {

constexpr std::string_view kArchitectures[] = {"qwen3"};

absl::StatusOr<ModelConfig> ReadConfig(const GgufFile& file) {
  ASSIGN_OR_RETURN(Qwen3Config config, ReadQwen3Config(file));
  return PublicPart(config);
}

absl::StatusOr<Graph> Lower(const GgufFile& file, const WeightSource& weights,
                            const LowerOptions& options) {
  ASSIGN_OR_RETURN(Qwen3Config config, ReadQwen3Config(file));
  return LowerQwen3(config, weights, options);
}

}  // namespace

// The sampling parameters are those of the model card.
constinit const ModelFamily kQwen3Family = {
    .name = "qwen3",
    .architectures = kArchitectures,
    .read_config = ReadConfig,
    .lower = Lower,
    .check_tokenizer = CheckTokenizerFits,
    .chat = {.name = "Qwen3",
             .render = RenderQwen3Chat,
             .reproduces = IsKnownQwen3ChatTemplate,
             .thought_start = "<think>\n"},
    .sampling = {.temperature = 0.6, .top_k = 20, .top_p = 0.95, .min_p = 0},
    .sampling_without_thinking = {.temperature = 0.7, .top_k = 20, .top_p = 0.8, .min_p = 0},
};

}  // namespace infer
