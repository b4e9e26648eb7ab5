// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/metrics/access_entry.h"

#include <cmath>
#include <ctime>
#include <string_view>

#include "absl/strings/str_format.h"
#include "ir/base/json.h"

namespace infer::metrics {
namespace {

// A line stays below what a pipe takes in one piece (4 KiB), even if each byte is escaped.
constexpr size_t kMaxText = 256;

std::string Cut(std::string_view text) {
  if (text.size() <= kMaxText) return std::string(text);
  return std::string(text.substr(0, kMaxText)) + "...";
}

std::string TimeText(std::chrono::system_clock::time_point time) {
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  const std::time_t seconds = static_cast<std::time_t>(ms / 1000);
  std::tm utc = {};
  gmtime_r(&seconds, &utc);
  return absl::StrFormat("%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", utc.tm_year + 1900, utc.tm_mon + 1,
                         utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, ms % 1000);
}

double Rounded(double ms) { return std::round(ms * 1000) / 1000; }

}  // namespace

void ModelAccess::Add(const ModelAccess& other) {
  if (has_ended_well && !other.has_ended_well) {
    has_ended_well = false;
    end_reason = other.end_reason;
  }
  prompts += other.prompts;
  const RequestSummary& more = other.summary;
  summary.prompt_tokens += more.prompt_tokens;
  summary.cached_tokens += more.cached_tokens;
  summary.generated_tokens += more.generated_tokens;
  summary.queue_ms += more.queue_ms;
  summary.prefill_ms += more.prefill_ms;
  summary.decode_ms += more.decode_ms;
  summary.prompt_chunks += more.prompt_chunks;
  summary.preemptions += more.preemptions;
}

std::string AccessLine(const HttpAccess& http, const std::optional<ModelAccess>& model) {
  Json line = {{"time", TimeText(http.time)},     {"request_id", Cut(http.request_id)},
               {"peer", Cut(http.peer)},          {"key", Cut(http.key_name)},
               {"method", Cut(http.method)},      {"path", Cut(http.path)},
               {"status", http.status},           {"bytes", http.sent_bytes},
               {"ms", Rounded(http.duration_ms)}, {"client_left", http.is_cut}};
  if (model) {
    const RequestSummary& summary = model->summary;
    line["model"] = Cut(model->model);
    line["prompts"] = model->prompts;
    line["prompt_tokens"] = summary.prompt_tokens;
    line["cached_tokens"] = summary.cached_tokens;
    line["cache_end"] = Cut(summary.cache_end);
    line["generated_tokens"] = summary.generated_tokens;
    line["queue_ms"] = Rounded(summary.queue_ms);
    line["prefill_ms"] = Rounded(summary.prefill_ms);
    line["decode_ms"] = Rounded(summary.decode_ms);
    line["prompt_chunks"] = summary.prompt_chunks;
    line["preemptions"] = summary.preemptions;
    line["end"] = Cut(model->end_reason);
  }
  return line.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace infer::metrics
