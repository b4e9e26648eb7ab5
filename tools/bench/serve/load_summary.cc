// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/load_summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "ir/base/strings.h"

namespace infer::load {
namespace {

// A time span in seconds since the run began.
struct Span {
  double begin, end;
};

std::string FailureText(const RequestResult& result) {
  if (result.failure == Failure::kStatus) return StrCat("HTTP ", result.status);
  return std::string(Name(result.failure));
}

std::vector<Span> IntruderSpans(const RunResult& run) {
  std::vector<Span> spans;
  for (const RequestResult& request : run.requests) {
    if (request.kind != RequestKind::kIntruder || request.token_s.empty()) continue;
    spans.push_back({request.due_s, request.due_s + request.token_s.front()});
  }
  return spans;
}

// The times of all answers, in seconds.
struct Collected {
  std::vector<double> first_token, gap, latency, intruder_first_token, intruder_gap;
  std::map<int32_t, std::pair<double, int64_t>> users;  // sum of latencies, and their number
};

void CollectGaps(const RequestResult& request, const std::vector<Span>& intruders,
                 Collected* collected) {
  for (size_t i = 1; i < request.token_s.size(); ++i) {
    const double gap = double{request.token_s[i]} - double{request.token_s[i - 1]};
    collected->gap.push_back(gap);
    const Span span = {request.due_s + request.token_s[i - 1], request.due_s + request.token_s[i]};
    const bool overlaps = std::ranges::any_of(intruders, [&](const Span& intruder) {
      return span.begin < intruder.end && intruder.begin < span.end;
    });
    if (overlaps) collected->intruder_gap.push_back(gap);
  }
}

void Count(const RequestResult& request, LoadSummary* summary) {
  if (request.kind == RequestKind::kMalformed) {
    ++summary->malformed;
    summary->malformed_accepted += request.status == 200;
    summary->malformed_server_errors += request.status >= 500 && request.status != 503;
    if (request.failure == Failure::kTimeout || request.failure == Failure::kConnect) {
      ++summary->failed;
      ++summary->failures[FailureText(request)];
    }
    return;
  }
  if (!request.is_ok()) {
    ++summary->failed;
    ++summary->failures[FailureText(request)];
    return;
  }
  if (request.kind == RequestKind::kCancelled) ++summary->cancelled;
  if (request.kind == RequestKind::kNormal) ++summary->requests;
  summary->prompt_tokens += std::max<int64_t>(request.usage.prompt_tokens, 0);
  summary->cached_tokens += std::max<int64_t>(request.usage.cached_tokens, 0);
  summary->output_tokens += request.output_tokens();
}

void Collect(const RequestResult& request, const std::vector<Span>& intruders,
             Collected* collected) {
  if (!request.is_ok()) return;
  if (request.kind == RequestKind::kIntruder) {
    if (!request.token_s.empty()) collected->intruder_first_token.push_back(request.token_s[0]);
    return;
  }
  CollectGaps(request, intruders, collected);
  if (request.kind != RequestKind::kNormal) return;
  if (!request.token_s.empty()) collected->first_token.push_back(request.token_s[0]);
  collected->latency.push_back(request.latency_s());
  auto& [sum, count] = collected->users[request.user];
  sum += request.latency_s();
  ++count;
}

double SlowestUser(const Collected& collected) {
  double sum = 0;
  double slowest = 0;
  for (const auto& [user, latencies] : collected.users) {
    const double mean = latencies.first / static_cast<double>(latencies.second);
    sum += mean;
    slowest = std::max(slowest, mean);
  }
  return sum > 0 ? slowest * static_cast<double>(collected.users.size()) / sum : 0;
}

}  // namespace

Times SummarizeMs(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::ranges::sort(seconds);
  const auto count = static_cast<double>(seconds.size());
  const auto at = [&](double share) {
    const double rank = std::ceil(share * count);
    return seconds[static_cast<size_t>(std::max(rank, 1.0)) - 1] * 1e3;
  };
  return {.count = std::ssize(seconds),
          .mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / count * 1e3,
          .p50 = at(0.5),
          .p90 = at(0.9),
          .p99 = at(0.99),
          .max = seconds.back() * 1e3};
}

LoadSummary Summarize(std::span<const RunResult> runs) {
  LoadSummary summary;
  Collected collected;
  for (const RunResult& run : runs) {
    const std::vector<Span> intruders = IntruderSpans(run);
    summary.seconds += run.seconds;
    for (const RequestResult& request : run.requests) {
      Count(request, &summary);
      Collect(request, intruders, &collected);
    }
  }
  summary.slowest_user = SlowestUser(collected);
  summary.first_token = SummarizeMs(std::move(collected.first_token));
  summary.gap = SummarizeMs(std::move(collected.gap));
  summary.latency = SummarizeMs(std::move(collected.latency));
  summary.intruder_first_token = SummarizeMs(std::move(collected.intruder_first_token));
  summary.intruder_gap = SummarizeMs(std::move(collected.intruder_gap));
  if (summary.latency.mean > 0)
    summary.slowest_request = summary.latency.max / summary.latency.mean;
  return summary;
}

}  // namespace infer::load
