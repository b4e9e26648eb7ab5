// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/prepared_request.h"

#include <algorithm>
#include <limits>
#include <random>
#include <span>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/serve/api/api_error.h"

namespace infer::serve {
namespace {

// tool_choice none: the model is not told of the tools.
bool OffersTools(const GenerationRequest& request) {
  return !request.tools.empty() && request.tool_choice != ToolChoice::kNone;
}

std::string_view MessagesPath(ApiKind api) {
  switch (api) {
    case ApiKind::kCompletions:
      return "prompt";
    case ApiKind::kResponses:
      return "input";
    default:
      return "messages";
  }
}

SamplerOptions SamplerFor(const GenerationRequest& request, const ModelFamily& family) {
  const bool answers_at_once = request.api != ApiKind::kCompletions && request.think == false;
  const SamplingDefaults& defaults =
      answers_at_once ? family.sampling_without_thinking : family.sampling;
  SamplerOptions sampler;
  sampler.temperature = request.temperature.value_or(defaults.temperature);
  sampler.top_k =
      static_cast<int32_t>(std::max<int64_t>(0, request.top_k.value_or(defaults.top_k)));
  sampler.top_p = request.top_p.value_or(defaults.top_p);
  // Keeps the likeliest token alone, as top_p does when it goes to 0.
  if (sampler.top_p <= 0) sampler.top_p = std::numeric_limits<float>::min();
  sampler.min_p = request.min_p.value_or(defaults.min_p);
  sampler.repeat_penalty = request.repeat_penalty.value_or(1.0);
  sampler.presence_penalty = request.presence_penalty.value_or(0.0);
  sampler.frequency_penalty = request.frequency_penalty.value_or(0.0);
  for (const auto& [id, bias] : request.logit_bias) sampler.logit_bias.push_back({id, bias});
  sampler.repeat_last_n =
      static_cast<int32_t>(request.repeat_last_n.value_or(sampler.repeat_last_n));
  sampler.seed = request.seed ? static_cast<uint64_t>(*request.seed) : std::random_device()();
  return sampler;
}

absl::StatusOr<std::vector<int32_t>> EncodePrompt(const TextPrompt& prompt,
                                                  const ServedModel& model, std::string_view path) {
  if (!prompt.is_ids) {
    ASSIGN_OR_RETURN(std::vector<int32_t> ids, model.tokenizer().Encode(prompt.text));
    return PromptOrStart(std::move(ids), model.tokenizer().vocabulary());
  }
  for (size_t i = 0; i < prompt.ids.size(); ++i) {
    if (prompt.ids[i] < model.config().vocabulary) continue;
    return WrongValue(StrCat(path, "[", i, "]"),
                      StrCat("token ", prompt.ids[i], " is not in the vocabulary of ",
                             model.config().vocabulary));
  }
  return prompt.ids;
}

absl::Status CheckLogitBias(const GenerationRequest& request, const ServedModel& model) {
  for (const auto& [id, bias] : request.logit_bias) {
    if (id < model.config().vocabulary) continue;
    return WrongValue(StrCat("logit_bias.", id),
                      StrCat("is not a token of the vocabulary of ", model.config().vocabulary));
  }
  return absl::OkStatus();
}

absl::Status CheckFits(int64_t tokens, const ServedModel& model, std::string_view path) {
  if (tokens < model.context()) return absl::OkStatus();
  return ContextLengthExceeded(path, tokens, model.context());
}

absl::StatusOr<std::vector<std::vector<int32_t>>> PromptIds(const GenerationRequest& request,
                                                            const ServedModel& model,
                                                            PreparedRequest* prepared) {
  std::vector<std::vector<int32_t>> all;
  if (request.api == ApiKind::kCompletions) {
    const bool is_list = request.prompts.size() > 1;
    for (size_t i = 0; i < request.prompts.size(); ++i) {
      const std::string path = is_list ? StrCat("prompt[", i, "]") : "prompt";
      ASSIGN_OR_RETURN(std::vector<int32_t> ids, EncodePrompt(request.prompts[i], model, path));
      RETURN_IF_ERROR(CheckFits(std::ssize(ids), model, path));
      all.push_back(std::move(ids));
    }
    return all;
  }
  ASSIGN_OR_RETURN(MarkedText text, RenderPrompt(request, model));
  const std::string_view start = model.family().chat.thought_start;
  prepared->thought_is_open = !start.empty() && text.text().ends_with(start);
  ASSIGN_OR_RETURN(std::vector<int32_t> ids, model.tokenizer().EncodeMarked(text));
  RETURN_IF_ERROR(CheckFits(std::ssize(ids), model, MessagesPath(request.api)));
  all.push_back(std::move(ids));
  return all;
}

absl::StatusOr<std::shared_ptr<const AnswerRules>> RulesFor(const GenerationRequest& request,
                                                            const ServedModel& model) {
  AnswerRulesRequest rules;
  rules.json_schema = request.json_schema;
  rules.may_think = request.api != ApiKind::kCompletions;
  const std::string path = request.json_schema.empty() ? "tools" : request.schema_path;
  if (OffersTools(request)) {
    for (const FunctionTool& tool : request.tools) rules.tools.push_back(tool.rules);
    rules.tool_choice = request.tool_choice;
    rules.tool_name = request.tool_name;
    rules.parallel_tool_calls = request.parallel_tool_calls;
    if (model.chat().calls_are_xml()) rules.tool_form = ToolCallForm::kXml;
  }
  if (request.think != false && model.can_think() && request.api != ApiKind::kCompletions) {
    rules.think_budget = request.think_budget.value_or(-1);
  }
  if (!rules.any()) return std::shared_ptr<const AnswerRules>();
  absl::StatusOr<std::shared_ptr<const AnswerRules>> made = model.RulesFor(rules);
  if (made.ok()) return made;
  return WithPath(absl::InvalidArgumentError(StrCat(path, ": ", ToStd(made.status().message()))),
                  path);
}

}  // namespace

absl::StatusOr<MarkedText> RenderPrompt(const GenerationRequest& request,
                                        const ServedModel& model) {
  ChatOptions options;
  options.enable_thinking = request.think.value_or(true);
  if (OffersTools(request)) {
    for (const FunctionTool& tool : request.tools) options.tools.push_back(tool.json);
  }
  absl::StatusOr<MarkedText> text = model.chat().Render(request.messages, options);
  if (!text.ok()) {
    return WithPath(absl::InvalidArgumentError(text.status().message()), MessagesPath(request.api));
  }
  const std::string_view start = model.family().chat.thought_start;
  const bool is_open = !start.empty() && text->text().ends_with(start);
  if (request.force_thought && !is_open) text->AppendTrusted(start);
  return text;
}

absl::StatusOr<PreparedRequest> Prepare(const GenerationRequest& request,
                                        const ServedModel& model) {
  PreparedRequest prepared;
  prepared.choices = static_cast<int32_t>(request.n.value_or(1));
  if (prepared.choices > model.max_choices()) {
    return WrongValue("n",
                      StrCat("expected at most ", model.max_choices(), ", got ", prepared.choices));
  }
  RETURN_IF_ERROR(CheckLogitBias(request, model));
  prepared.is_chat = request.api != ApiKind::kCompletions;
  prepared.one_call = !request.parallel_tool_calls;
  prepared.stop = request.stop;
  if (OffersTools(request)) {
    for (const FunctionTool& tool : request.tools) prepared.tools.push_back(tool.json);
  }
  ASSIGN_OR_RETURN(std::vector<std::vector<int32_t>> prompts, PromptIds(request, model, &prepared));
  ASSIGN_OR_RETURN(const std::shared_ptr<const AnswerRules> rules, RulesFor(request, model));
  prepared.has_unbound_tools = rules != nullptr && !rules->warnings().empty();
  TokenRequest common;
  common.choices = prepared.choices;
  common.sampler = SamplerFor(request, model.family());
  RETURN_IF_ERROR(Validate(common.sampler));
  if (!request.ignore_eos) common.end_ids = model.tokenizer().vocabulary().end_ids();
  if (request.logprobs) {
    common.top_logprobs = static_cast<int32_t>(request.top_logprobs.value_or(0));
  }
  common.priority = static_cast<int32_t>(request.priority.value_or(0));
  common.cache_salt = request.cache_salt;
  if (rules != nullptr) {
    common.new_constraint = [rules, is_open = prepared.thought_is_open] {
      return rules->NewConstraint(is_open);
    };
  }
  for (std::vector<int32_t>& prompt : prompts) {
    TokenRequest& made = prepared.token_requests.emplace_back(common);
    const int64_t room = model.context() - std::ssize(prompt);
    made.max_tokens = std::min(request.max_tokens.value_or(room), room);
    made.prompt = std::move(prompt);
  }
  return prepared;
}

absl::StatusOr<std::vector<int32_t>> HistoryTokens(const GenerationRequest& request,
                                                   const ChatMessage& answer,
                                                   const ServedModel& model) {
  GenerationRequest next = request;
  next.force_thought = false;
  next.messages.push_back(answer);
  ChatMessage& follower = next.messages.emplace_back();
  follower.role = answer.tool_calls.empty() ? "user" : "tool";
  // What two different followers share does not depend on the follower.
  std::vector<int32_t> tokens[2];
  for (const size_t i : {0, 1}) {
    next.messages.back().content = i == 0 ? "a" : "1";
    ASSIGN_OR_RETURN(MarkedText text, RenderPrompt(next, model));
    ASSIGN_OR_RETURN(tokens[i], model.tokenizer().EncodeMarked(text));
  }
  const auto end = std::ranges::mismatch(tokens[0], tokens[1]).in1;
  return std::vector<int32_t>(tokens[0].begin(), end);
}

}  // namespace infer::serve
