// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/status_json.h"

#include <ctime>
#include <utility>

#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tools/serve/api/limits.h"
#include "tools/serve/api/request_json.h"

namespace infer::serve {
namespace {

// Both vendors' clients read the list, so an entry has the members of both.
Json ModelEntry(const ServedModel& model, std::string_view name) {
  const std::time_t created = model.created();
  std::tm utc = {};
  gmtime_r(&created, &utc);
  char date[32];
  std::strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {{"id", name},          {"object", "model"},
          {"type", "model"},     {"created", model.created()},
          {"created_at", date},  {"display_name", model.config().name},
          {"owned_by", "infer"}, {"max_model_len", model.context()}};
}

Json DefaultsOf(const SamplingDefaults& defaults) {
  return {{"temperature", defaults.temperature},
          {"top_k", defaults.top_k},
          {"top_p", defaults.top_p},
          {"min_p", defaults.min_p}};
}

Json StateJson(const RunnerState& state) {
  return {{"running", state.running},
          {"waiting", state.waiting},
          {"blocks", state.blocks},
          {"free_blocks", state.free_blocks},
          {"cached_blocks", state.cached_blocks},
          {"block_positions", state.block_positions},
          {"steps", state.steps},
          {"prompt_tokens", state.prompt_tokens},
          {"cached_tokens", state.cached_tokens},
          {"computed_prompt_tokens", state.computed_prompt_tokens},
          {"generated_tokens", state.generated_tokens},
          {"preemptions", state.preemptions},
          {"evicted_blocks", state.evicted_blocks},
          {"ended_requests", state.ended_requests},
          {"cancelled_requests", state.cancelled_requests},
          {"refused_requests", state.refused_requests}};
}

Json RequestJson(const RunningRequest& request) {
  return {{"id", StrCat(request.id)},
          {"tenant", request.tenant},
          {"waiting", request.is_waiting},
          {"paused", request.is_paused},
          {"prompt_tokens", request.prompt_tokens},
          {"prompt_done", request.prompt_done},
          {"cached_tokens", request.cached_tokens},
          {"generated_tokens", request.generated_tokens},
          {"age_ms", request.age_ms}};
}

Json StepJson(const StepRecord& step) {
  return {{"number", step.number},
          {"start_ms", step.start_ms},
          {"call_ms", step.call_ms},
          {"sample_ms", step.sample_ms},
          {"report_ms", step.report_ms},
          {"estimated_ms", step.estimated_ms},
          {"decode_rows", step.decode_rows},
          {"draft_tokens", step.draft_tokens},
          {"prompt_tokens", step.prompt_tokens},
          {"regime", step.regime},
          {"running", step.running},
          {"waiting", step.waiting}};
}

}  // namespace

std::string ModelJson(const ServedModel& model, std::string_view name) {
  return JsonText(ModelEntry(model, name));
}

std::string ModelsJson(const ServedModel& model) {
  Json data = Json::array();
  for (const std::string& name : model.names()) data.push_back(ModelEntry(model, name));
  return JsonText({{"object", "list"},
                   {"data", std::move(data)},
                   {"first_id", model.names().front()},
                   {"last_id", model.names().back()},
                   {"has_more", false}});
}

std::string PropsJson(const ServedModel& model, std::string_view version) {
  return JsonText(
      {{"model", model.name()},
       {"names", model.names()},
       {"family", model.family().name},
       {"context", model.context()},
       {"trained_context", model.config().context},
       {"vocabulary", model.config().vocabulary},
       {"layers", model.config().layers},
       {"version", version},
       {"max_choices", std::min<int64_t>(model.max_choices(), kMaxChoices)},
       {"thinking",
        {{"available", model.can_think()},
         {"switchable", model.can_think() && model.chat().knows_thinking()}}},
       {"tools", model.chat().knows_tools()},
       {"defaults", DefaultsOf(model.family().sampling)},
       {"defaults_without_thinking", DefaultsOf(model.family().sampling_without_thinking)}});
}

std::string LiveJson(const ServedModel& model, const TokenRunner& runner,
                     const std::vector<RegimeSummary>& regimes, double uptime_ms, uint64_t since) {
  const RunnerState state = runner.state();
  Json live = {{"model", model.name()},
               {"uptime_ms", uptime_ms},
               {"heartbeat_age_ms", runner.heartbeat_age_ms()},
               {"state", StateJson(state)},
               {"regimes", Json::array()},
               {"requests", Json::array()},
               {"steps", Json::array()}};
  for (const RegimeSummary& regime : regimes) {
    Json targets = Json::object();
    for (const auto& [name, nodes] : regime.targets) targets[name] = nodes;
    live["regimes"].push_back({{"min_tokens", regime.min_tokens},
                               {"max_tokens", regime.max_tokens},
                               {"targets", std::move(targets)}});
  }
  for (const RunningRequest& request : state.requests) {
    live["requests"].push_back(RequestJson(request));
  }
  for (const StepRecord& step : runner.steps(since)) live["steps"].push_back(StepJson(step));
  return JsonText(live);
}

}  // namespace infer::serve
