// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/thinking_parameters.h"

#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/serve/api/api_error.h"
#include "tools/serve/api/read_content.h"
#include "tools/serve/api/request_json.h"

namespace infer::serve {
namespace {

using Request = GenerationRequest;

constexpr double kMaxBudget = 1 << 24;
constexpr int64_t kUnbounded = -1;

struct Effort {
  std::string_view name;
  bool think;
  int64_t budget;
};
constexpr Effort kEfforts[] = {
    {"none", false, kUnbounded},  {"minimal", true, 128},     {"low", true, 1024},
    {"medium", true, kUnbounded}, {"high", true, kUnbounded}, {"xhigh", true, kUnbounded},
};

// Variables of the template. Only thinking is offered: others would let a request rewrite what the
// template's author fixed.
absl::Status ReadTemplateArguments(const Json& value, std::string_view path, Request* request) {
  static constexpr Parameter kRows[] = {
      {"enable_thinking", &Request::think},
      {"thinking", &Request::think},
      {"thinking_budget", &Request::think_budget, 0, kMaxBudget},
  };
  if (!value.is_object()) return WrongValue(path, "expected an object");
  return ReadParameters(value, StrCat(path, "."), {kRows}, request);
}

absl::Status ReadReasoning(const Json& value, std::string_view path, Request* request) {
  static constexpr Parameter kRows[] = {
      {"enabled", &Request::think},
      {"effort", &ReadEffort},
      {"max_tokens", &Request::think_budget, 0, kMaxBudget},
      {"summary", Accepted()},
      {"generate_summary", Accepted()},
      {"exclude", Accepted()},
  };
  if (!value.is_object()) {
    return WrongValue(path, StrCat("expected an object, got ", KindOfJson(value)));
  }
  request->echoed.reasoning = JsonText(value);
  return ReadParameters(value, StrCat(path, "."), {kRows}, request);
}

}  // namespace

absl::Status ReadEffort(const Json& value, std::string_view path, Request* request) {
  for (const Effort& effort : kEfforts) {
    if (value != effort.name) continue;
    request->think = effort.think;
    if (effort.budget != kUnbounded) request->think_budget = effort.budget;
    return absl::OkStatus();
  }
  return WrongValue(
      path, StrCat("expected none, minimal, low, medium, high or xhigh, got ", ShownJson(value)));
}

absl::Status ReadThinking(const Json& value, std::string_view path, Request* request) {
  static constexpr Parameter kRows[] = {
      {"budget_tokens", &Request::think_budget, 0, kMaxBudget},
      {"type", Accepted()},
      {"display", Accepted()},
  };
  if (!value.is_object()) {
    return WrongValue(path, StrCat("expected an object, got ", KindOfJson(value)));
  }
  ASSIGN_OR_RETURN(const std::string type, TextMember(value, "type", path, true));
  if (type != "enabled" && type != "disabled" && type != "adaptive") {
    return WrongValue(StrCat(path, ".type"), StrCat("expected enabled, disabled or adaptive, got ",
                                                    ShownJson(value["type"])));
  }
  request->think = type != "disabled";
  request->force_thought = type == "enabled";
  return ReadParameters(value, StrCat(path, "."), {kRows}, request);
}

ParameterTable ThinkingParameters() {
  static constexpr Parameter kRows[] = {
      {"chat_template_kwargs", &ReadTemplateArguments},
      {"enable_thinking", &Request::think},
      {"reasoning", &ReadReasoning},
      {"reasoning_budget", &Request::think_budget, 0, kMaxBudget},
      {"reasoning_effort", &ReadEffort},
      {"thinking", &ReadThinking},
      {"thinking_budget", &Request::think_budget, 0, kMaxBudget},
  };
  return kRows;
}

}  // namespace infer::serve
