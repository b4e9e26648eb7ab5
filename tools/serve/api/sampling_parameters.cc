// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/sampling_parameters.h"

#include <charconv>
#include <limits>

#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/stop_strings.h"
#include "tools/serve/api/api_error.h"
#include "tools/serve/api/limits.h"
#include "tools/serve/api/request_json.h"

namespace infer::serve {
namespace {

using Request = GenerationRequest;

constexpr double kMaxBias = 100;
constexpr double kSeedMin = -9.2e18;
constexpr double kSeedMax = 9.2e18;

absl::Status ReadLogitBias(const Json& value, std::string_view path, Request* request) {
  if (!value.is_object()) {
    return WrongValue(path, "expected an object of token ids and numbers from -100 to 100");
  }
  if (value.size() > kMaxLogitBias) {
    return WrongValue(path, StrCat("expected at most ", kMaxLogitBias, " tokens"));
  }
  for (const auto& [key, bias] : value.items()) {
    int32_t id = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
    if (error != std::errc() || end != key.data() + key.size() || id < 0) {
      return WrongValue(path, "expected token ids as keys, such as \"1024\"");
    }
    const std::string where = StrCat(path, ".", id);
    if (!bias.is_number() || !(bias.get<double>() >= -kMaxBias && bias.get<double>() <= kMaxBias)) {
      return WrongValue(where, StrCat("expected a number from -100 to 100, got ", ShownJson(bias)));
    }
    request->logit_bias.emplace_back(id, bias.get<float>());
  }
  return absl::OkStatus();
}

absl::Status ReadStreamOptions(const Json& value, std::string_view path, Request* request) {
  static constexpr Parameter kRows[] = {
      {"include_usage", &Request::include_usage},
      {"include_obfuscation", Accepted()},
  };
  if (!value.is_object()) return WrongValue(path, "expected an object");
  return ReadParameters(value, StrCat(path, "."), {kRows}, request);
}

}  // namespace

absl::Status ReadStop(const Json& value, std::string_view path, Request* request) {
  request->stop.clear();
  const auto add = [&](const Json& stop, std::string_view where) -> absl::Status {
    if (!stop.is_string()) {
      return WrongValue(where, StrCat("expected a string, got ", KindOfJson(stop)));
    }
    const auto& text = stop.get_ref<const std::string&>();
    if (text.empty() || text.size() > kMaxStopStringBytes) {
      return WrongValue(where,
                        StrCat("expected 1 to ", kMaxStopStringBytes, " bytes, got ", text.size()));
    }
    request->stop.push_back(text);
    return absl::OkStatus();
  };
  if (!value.is_array()) return add(value, path);
  if (value.size() > kMaxStopStrings) {
    return WrongValue(path,
                      StrCat("expected at most ", kMaxStopStrings, " strings, got ", value.size()));
  }
  for (size_t i = 0; i < value.size(); ++i) {
    RETURN_IF_ERROR(add(value[i], StrCat(path, "[", i, "]")));
  }
  return absl::OkStatus();
}

ParameterTable SamplingParameters() {
  static constexpr Parameter kRows[] = {
      {"model", &Request::model, 0, 512},
      {"temperature", &Request::temperature, 0, 2},
      {"top_p", &Request::top_p, 0, 1},
      {"top_k", &Request::top_k, -1, 1 << 20},
      {"min_p", &Request::min_p, 0, 0.999},
      {"seed", &Request::seed, kSeedMin, kSeedMax},
      {"presence_penalty", &Request::presence_penalty, -2, 2},
      {"frequency_penalty", &Request::frequency_penalty, -2, 2},
      {"repeat_penalty", &Request::repeat_penalty, 0.01, 10},
      {"repetition_penalty", &Request::repeat_penalty, 0.01, 10},
      {"repeat_last_n", &Request::repeat_last_n, 0, 1 << 20},
      {"logit_bias", &ReadLogitBias},
      {"stop", &ReadStop},
      {"stream", &Request::stream},
      {"stream_options", &ReadStreamOptions},
      {"ignore_eos", &Request::ignore_eos},
      {"priority", &Request::priority, -1000, 1000},
      {"cache_salt", &Request::cache_salt, 0, kMaxSaltBytes},
      {"metadata", Accepted()},
      {"prompt_cache_key", Accepted()},
      {"prompt_cache_retention", Accepted()},
      {"safety_identifier", Accepted()},
      {"service_tier", Accepted()},
      {"store", Accepted()},
      {"user", Accepted()},
      {"verbosity", Accepted()},
  };
  return kRows;
}

}  // namespace infer::serve
