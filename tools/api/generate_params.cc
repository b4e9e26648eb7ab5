// SPDX-License-Identifier: Apache-2.0
#include "tools/api/generate_params.h"

#include <random>
#include <utility>

#include "ir/base/status_macros.h"
#include "runtime/serving/check_request.h"
#include "runtime/stop_strings.h"
#include "tools/api/answer_reader.h"

namespace infer::engine {

absl::StatusOr<GenerationOptions> OptionsFor(const GenerateParams& params, const ModelHandle& model,
                                             bool is_chat) {
  const SamplingDefaults& defaults = is_chat && params.think == Thinking::kOff
                                         ? model.family->sampling_without_thinking
                                         : model.family->sampling;
  GenerationOptions options;
  options.max_tokens = params.max_tokens;
  options.sampler = {.temperature = params.temperature.value_or(defaults.temperature),
                     .top_k = params.top_k.value_or(defaults.top_k),
                     .top_p = params.top_p.value_or(defaults.top_p),
                     .min_p = params.min_p.value_or(defaults.min_p),
                     .repeat_penalty = params.repeat_penalty,
                     .presence_penalty = params.presence_penalty,
                     .repeat_last_n = params.repeat_last_n,
                     .seed = params.seed ? *params.seed : std::random_device()(),
                     .frequency_penalty = params.frequency_penalty};
  for (const auto& [id, bias] : params.logit_bias) {
    options.sampler.logit_bias.push_back({id, bias});
  }
  options.stop = params.stop;
  if (!params.ignore_end) options.end_ids = model.tokenizer.vocabulary().end_ids();
  RETURN_IF_ERROR(AsUsageError(Validate(options.sampler)));
  RETURN_IF_ERROR(AsUsageError(StopStrings::Create(options.stop).status()));
  if (options.max_tokens < 0) return UsageError("max_tokens is negative");
  if (params.top_logprobs < -1 || params.top_logprobs > kMaxTopLogprobs) {
    return UsageError(
        StrCat("top_logprobs must be -1 to ", kMaxTopLogprobs, ", got ", params.top_logprobs));
  }
  return options;
}

absl::StatusOr<std::shared_ptr<const AnswerRules>> RulesFor(const GenerateParams& params,
                                                            const ModelHandle& model,
                                                            bool is_chat) {
  AnswerRulesRequest request = {.json_schema = params.json_schema,
                                .grammar = params.grammar,
                                .json = params.json,
                                .think_budget = params.think_budget,
                                .may_think = is_chat || params.think_budget >= 0};
  if (is_chat) {
    request.tools = params.tools;
    request.tool_choice = static_cast<ToolChoice>(params.tool_use);
    request.tool_name = params.tool_name;
    request.parallel_tool_calls = params.parallel_tool_calls;
    request.bind_arguments = params.bind_tool_arguments;
    if (model.chat.calls_are_xml()) request.tool_form = ToolCallForm::kXml;
  }
  if (!request.any()) return nullptr;
  const int rules = (params.json_schema.empty() ? 0 : 1) + (params.grammar.empty() ? 0 : 1) +
                    (params.json ? 1 : 0);
  if (rules > 1) return UsageError("set one of json_schema, grammar and json");
  absl::StatusOr<std::shared_ptr<const AnswerRules>> made =
      model.rules.Get(request, &model.tokenizer);
  if (!made.ok()) return AsUsageError(made.status());
  return made;
}

ChatTurn TurnOf(std::string_view text, bool thought_is_open,
                const std::vector<std::string>& tools) {
  AnswerReader reader(thought_is_open, tools, [](AnswerPart, std::string_view) { return true; });
  reader.Feed(text);
  reader.Finish();
  ChatMessage message = reader.TakeMessage();
  ChatTurn turn{std::move(message.role),
                std::move(message.content),
                std::move(message.reasoning_content),
                {}};
  for (ChatToolCall& call : message.tool_calls) {
    turn.calls.push_back({std::move(call.name), std::move(call.arguments)});
  }
  return turn;
}

absl::Status CheckIds(const std::vector<int32_t>& ids, int64_t vocabulary) {
  for (int32_t id : ids) {
    if (id >= 0 && id < vocabulary) continue;
    return UsageError(StrCat("token ", id, " is not in the vocabulary of ", vocabulary));
  }
  return absl::OkStatus();
}

absl::StatusOr<ChatPrompt> PromptFor(const ModelHandle& model,
                                     const std::vector<ChatTurn>& messages,
                                     const GenerateParams& params) {
  ASSIGN_OR_RETURN(MarkedText prompt, RenderTurns(model, messages, params.think, params.tools));
  ASSIGN_OR_RETURN(std::vector<int32_t> ids, model.tokenizer.EncodeMarked(prompt));
  // Templates of models that always think open the thought themselves.
  const std::string_view start = model.family->chat.thought_start;
  const bool thinks = !start.empty() && prompt.text().ends_with(start);
  return ChatPrompt{std::move(ids), thinks ? start : std::string_view()};
}

}  // namespace infer::engine
