// SPDX-License-Identifier: Apache-2.0
#include "tools/run/chat_settings.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/nearest.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/sampler.h"
#include "tools/cli/flag_text.h"

namespace infer {
namespace {

struct Setting {
  std::string_view name;
  std::string_view other_name;
  std::string_view meaning;
  absl::Status (*set)(std::string_view text, RunOptions* options);
  std::string (*show)(const RunOptions& options, const SamplerOptions& sampler);
};

template <auto member>
absl::Status SetFloat(std::string_view text, RunOptions* options) {
  ASSIGN_OR_RETURN(options->*member, ParseFloat(text));
  return absl::OkStatus();
}

template <auto member>
absl::Status SetInt(std::string_view text, RunOptions* options) {
  ASSIGN_OR_RETURN(options->*member, ParseInt<int32_t>(text));
  return absl::OkStatus();
}

absl::Status SetMaxTokens(std::string_view text, RunOptions* options) {
  ASSIGN_OR_RETURN(const int64_t tokens, ParseInt<int64_t>(text));
  if (tokens < -1) {
    return absl::InvalidArgumentError(StrCat(tokens, " is too small, at least -1 is allowed"));
  }
  options->max_tokens = tokens;
  return absl::OkStatus();
}

absl::Status SetThink(std::string_view text, RunOptions* options) {
  constexpr std::pair<std::string_view, ThinkMode> kModes[] = {
      {"auto", ThinkMode::kAuto}, {"on", ThinkMode::kOn}, {"off", ThinkMode::kOff}};
  for (const auto& [name, mode] : kModes) {
    if (name != text) continue;
    options->think = mode;
    return absl::OkStatus();
  }
  return UnknownWord(text, {"auto", "on", "off"});
}

absl::Status SetSeed(std::string_view text, RunOptions* options) {
  ASSIGN_OR_RETURN(options->seed, ParseSeed(text));
  return absl::OkStatus();
}

std::string ThinkText(const RunOptions& options, const SamplerOptions&) {
  if (options.think == ThinkMode::kAuto) return "auto";
  return options.think == ThinkMode::kOn ? "on" : "off";
}

using Options = const RunOptions&;
using Sampling = const SamplerOptions&;
constexpr Setting kSettings[] = {
    {"temp", "temperature", "0 chooses the most likely token", SetFloat<&RunOptions::temperature>,
     [](Options, Sampling s) { return FloatText(s.temperature); }},
    {"top-k", "", "keep the N most likely; 0 keeps all", SetInt<&RunOptions::top_k>,
     [](Options, Sampling s) { return std::to_string(s.top_k); }},
    {"top-p", "", "keep the most likely that sum to X", SetFloat<&RunOptions::top_p>,
     [](Options, Sampling s) { return FloatText(s.top_p); }},
    {"min-p", "", "drop tokens below X times the most likely", SetFloat<&RunOptions::min_p>,
     [](Options, Sampling s) { return FloatText(s.min_p); }},
    {"repeat-penalty", "", "1 disables it", SetFloat<&RunOptions::repeat_penalty>,
     [](Options, Sampling s) { return FloatText(s.repeat_penalty); }},
    {"presence-penalty", "", "0 disables it", SetFloat<&RunOptions::presence_penalty>,
     [](Options, Sampling s) { return FloatText(s.presence_penalty); }},
    {"repeat-last-n", "", "how many tokens back the two penalties look",
     SetInt<&RunOptions::repeat_last_n>,
     [](Options, Sampling s) { return std::to_string(s.repeat_last_n); }},
    {"seed", "s", "-1 draws a new one for each answer", SetSeed,
     [](Options o, Sampling) { return o.seed ? std::to_string(*o.seed) : std::string("-1"); }},
    {"n", "predict", "maximum number of new tokens; -1: until the end", SetMaxTokens,
     [](Options o, Sampling) { return std::to_string(o.max_tokens); }},
    {"think", "reasoning", "on, off or auto", SetThink, ThinkText},
};

}  // namespace

std::vector<std::string> SettingNames() {
  std::vector<std::string> names;
  for (const Setting& setting : kSettings) names.emplace_back(setting.name);
  return names;
}

absl::Status ChangeSetting(std::string_view name, std::string_view value, const ModelFamily& family,
                           RunOptions* options) {
  std::string dashed(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  for (const Setting& setting : kSettings) {
    if (setting.name != dashed && setting.other_name != dashed) continue;
    RunOptions changed = *options;
    absl::Status status = setting.set(value, &changed);
    if (status.ok()) status = Validate(SamplerFor(changed, family));
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          StrCat("/set ", setting.name, ": ", ToStd(status.message())));
    }
    *options = std::move(changed);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(StrCat("/set: unknown parameter '", name, "'",
                                           DidYouMean(dashed, SettingNames()),
                                           "; /set alone lists all"));
}

std::string SettingsText(const RunOptions& options, const ModelFamily& family) {
  const SamplerOptions sampler = SamplerFor(options, family);
  std::string text;
  for (const Setting& setting : kSettings) {
    StrAppend(&text, text.empty() ? "" : "\n",
              absl::StrFormat("%-17s %-8s %s", ToAbsl(setting.name), setting.show(options, sampler),
                              ToAbsl(setting.meaning)));
  }
  return text;
}

}  // namespace infer
