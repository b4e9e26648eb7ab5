// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/server_probe.h"

#include <poll.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "ir/base/control_chars.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/bench/serve/exchange.h"
#include "tools/bench/serve/stream_reader.h"

namespace infer::load {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kProbeTimeoutS = 120;
constexpr size_t kMaxProbeBody = 64 << 20;
constexpr int64_t kShortProbe = 32;
constexpr int64_t kLongProbe = 96;

// Returns the number of tokens of a text, or nullopt if the server has no /tokenize.
absl::StatusOr<std::optional<int64_t>> CountTokens(const ServerUrl& url, const RequestForm& form,
                                                   const std::string& text,
                                                   const std::atomic<bool>& stop) {
  // llama-server reads `content`, vLLM `prompt`.
  const Json body = {{"model", form.model},
                     {"content", text},
                     {"prompt", text},
                     {"add_special", false},
                     {"add_special_tokens", false}};
  ASSIGN_OR_RETURN(
      const FetchedText fetched,
      Fetch(url, HttpText(url, form, "POST", "/tokenize", JsonText(body)), kProbeTimeoutS, stop));
  if (fetched.status != 200) return std::optional<int64_t>();
  const Json answer = ParseJson(fetched.body);
  if (!answer.is_object() || !answer.contains("tokens") || !answer["tokens"].is_array()) {
    return std::optional<int64_t>();
  }
  return std::optional<int64_t>(std::ssize(answer["tokens"]));
}

absl::StatusOr<std::vector<PromptWord>> MeasureWords(const ServerUrl& url, const RequestForm& form,
                                                     const std::atomic<bool>& stop, bool* known) {
  std::vector<PromptWord> words;
  std::string all;
  for (const std::string& word : CommonWords()) {
    words.push_back({.text = " " + word, .tokens = 1});
    all += words.back().text;
  }
  ASSIGN_OR_RETURN(const std::optional<int64_t> total, CountTokens(url, form, all, stop));
  *known = total.has_value();
  if (!total || *total == std::ssize(words)) return words;
  for (PromptWord& word : words) {
    ASSIGN_OR_RETURN(const std::optional<int64_t> tokens, CountTokens(url, form, word.text, stop));
    word.tokens = std::max<int64_t>(tokens.value_or(1), 1);
  }
  return words;
}

// Returns how many prompt tokens the server counts for a text of `tokens`; -1 if it does not say.
absl::StatusOr<int64_t> CountedTokens(const ServerUrl& url, const RequestForm& form,
                                      const PromptMaker& maker, int64_t tokens,
                                      const std::atomic<bool>& stop) {
  Random random(static_cast<uint64_t>(tokens));
  const std::string message =
      CompletionText(url, form, maker.Text(tokens, random), /*output_tokens=*/1, /*stream=*/false);
  ASSIGN_OR_RETURN(const FetchedText fetched, Fetch(url, message, kProbeTimeoutS, stop));
  if (fetched.status != 200) {
    return absl::UnavailableError(StrCat(url.text, " answers a completion with HTTP ",
                                         fetched.status, ": ",
                                         FirstLine(fetched.body).substr(0, 200)));
  }
  return UsageOf(fetched.body).prompt_tokens;
}

}  // namespace

absl::StatusOr<FetchedText> Fetch(const ServerUrl& url, const std::string& message,
                                  double timeout_s, const std::atomic<bool>& stop) {
  const Clock::time_point deadline =
      Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(timeout_s * 1e3));
  Exchange exchange(url, message);
  FetchedText fetched;
  while (!exchange.is_ended()) {
    if (stop) return absl::CancelledError("interrupted");
    if (Clock::now() > deadline || fetched.body.size() > kMaxProbeBody) {
      return absl::UnavailableError(
          StrCat(url.text, " did not answer within ", timeout_s, " s; is it overloaded?"));
    }
    pollfd ready = {.fd = exchange.fd(), .events = exchange.events(), .revents = 0};
    if (poll(&ready, 1, /*timeout=*/100) > 0) fetched.body += exchange.Proceed();
  }
  if (exchange.failure() != Failure::kNone) {
    return absl::UnavailableError(
        StrCat(url.text, ": ", Name(exchange.failure()), "; is a server running there?"));
  }
  fetched.status = exchange.response().status();
  return fetched;
}

absl::StatusOr<std::string> FirstModel(const ServerUrl& url, const RequestForm& form,
                                       const std::atomic<bool>& stop) {
  ASSIGN_OR_RETURN(const FetchedText fetched,
                   Fetch(url, HttpText(url, form, "GET", "/v1/models", ""), kProbeTimeoutS, stop));
  if (fetched.status == 401 || fetched.status == 403) {
    return absl::UnavailableError(StrCat(url.text, " asks for an API key; give --api-key"));
  }
  const Json answer = ParseJson(fetched.body);
  if (answer.is_object() && answer.contains("data") && answer["data"].is_array() &&
      !answer["data"].empty()) {
    const Json& first = answer["data"].front();
    if (first.is_object() && first.contains("id") && first["id"].is_string()) {
      return first["id"].get<std::string>();
    }
  }
  return std::string("default");
}

absl::StatusOr<PromptMaker> MakePromptMaker(const ServerUrl& url, const RequestForm& form,
                                            const std::atomic<bool>& stop,
                                            const std::function<void(const std::string&)>& warn) {
  bool known = false;
  ASSIGN_OR_RETURN(std::vector<PromptWord> words, MeasureWords(url, form, stop, &known));
  const PromptMaker plain(words, /*overhead=*/0);
  ASSIGN_OR_RETURN(const int64_t counted, CountedTokens(url, form, plain, kShortProbe, stop));
  if (counted < 0) {
    warn(StrCat(url.text, " does not say how many tokens a prompt has; its lengths are estimates"));
    return plain;
  }
  if (known) return PromptMaker(std::move(words), counted - kShortProbe);
  ASSIGN_OR_RETURN(const int64_t longer, CountedTokens(url, form, plain, kLongProbe, stop));
  const double tokens_per_word =
      static_cast<double>(longer - counted) / static_cast<double>(kLongProbe - kShortProbe);
  if (std::abs(tokens_per_word - 1) > 0.02) {
    warn(StrCat(url.text, " has no /tokenize and counts ", tokens_per_word,
                " tokens for a word; prompts are this many times longer than asked for"));
  }
  return PromptMaker(std::move(words), counted - kShortProbe);
}

}  // namespace infer::load
