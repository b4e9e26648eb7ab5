// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/serve_report.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tools/bench/csv_line.h"

namespace infer::load {
namespace {

std::string FailuresText(const LoadSummary& summary) {
  std::string text;
  for (const auto& [name, count] : summary.failures) {
    StrAppend(&text, text.empty() ? "" : ", ", count, " ", name);
  }
  return text;
}

void AddTimes(Json& record, const std::string& name, const Times& times) {
  record[name + "_ms_mean"] = times.mean;
  record[name + "_ms_p50"] = times.p50;
  record[name + "_ms_p90"] = times.p90;
  record[name + "_ms_p99"] = times.p99;
  record[name + "_ms_max"] = times.max;
}

Json Record(const std::string& url, size_t round, const LoadSummary& summary,
            const ServeOptions& options) {
  Json record = {{"schema_version", 1},
                 {"url", url},
                 {"round", round},
                 {"users", options.pace.rate > 0 ? 0 : options.pace.users},
                 {"rate", options.pace.rate},
                 {"prompt_lengths", options.prompt_text},
                 {"output_lengths", options.output_text},
                 {"prefix_tokens", options.prefix_tokens},
                 {"prefix_share", options.prefix_share},
                 {"seed", options.seed},
                 {"seconds", summary.seconds},
                 {"requests", summary.requests},
                 {"failed", summary.failed},
                 {"failures", FailuresText(summary)},
                 {"cancelled", summary.cancelled},
                 {"malformed", summary.malformed},
                 {"malformed_accepted", summary.malformed_accepted},
                 {"malformed_server_errors", summary.malformed_server_errors},
                 {"prompt_tokens", summary.prompt_tokens},
                 {"cached_tokens", summary.cached_tokens},
                 {"output_tokens", summary.output_tokens},
                 {"requests_per_s", summary.requests_per_s()},
                 {"output_tokens_per_s", summary.output_tokens_per_s()}};
  AddTimes(record, "first_token", summary.first_token);
  AddTimes(record, "gap", summary.gap);
  AddTimes(record, "latency", summary.latency);
  AddTimes(record, "intruder_first_token", summary.intruder_first_token);
  AddTimes(record, "intruder_gap", summary.intruder_gap);
  record["slowest_user_over_mean"] = summary.slowest_user;
  record["slowest_request_over_mean"] = summary.slowest_request;
  return record;
}

// The columns of the Markdown table: one for each server.
class Table {
 public:
  Table(const std::vector<ServerRuns>& servers) {
    head_ = "| |";
    std::string line = "| --- |";
    for (const ServerRuns& server : servers) {
      summaries_.push_back(Summarize(server.runs));
      StrAppend(&head_, " ", server.url, " |");
      line += " ---: |";
    }
    StrAppend(&head_, "\n", line, "\n");
    text_ = head_;
  }

  void Row(const std::string& name, const std::function<std::string(const LoadSummary&)>& value) {
    StrAppend(&text_, "| ", name, " |");
    for (const LoadSummary& summary : summaries_) StrAppend(&text_, " ", value(summary), " |");
    text_ += "\n";
  }

  void TimesRow(const std::string& name, Times LoadSummary::* times) {
    if (std::ranges::all_of(summaries_, [&](const auto& s) { return (s.*times).count == 0; })) {
      return;
    }
    Row(name + ", ms: mean, p50, p90, p99, max", [&](const LoadSummary& summary) {
      const Times& t = summary.*times;
      return absl::StrFormat("%.1f, %.1f, %.1f, %.1f, %.1f", t.mean, t.p50, t.p90, t.p99, t.max);
    });
  }

  bool Any(const std::function<int64_t(const LoadSummary&)>& count) const {
    return std::ranges::any_of(summaries_, [&](const auto& s) { return count(s) > 0; });
  }

  std::string Take() { return std::move(text_); }

 private:
  std::vector<LoadSummary> summaries_;
  std::string head_;
  std::string text_;
};

std::vector<double> Rates(const ServerRuns& server) {
  std::vector<double> rates;
  for (const RunResult& run : server.runs) {
    rates.push_back(Summarize({&run, 1}).output_tokens_per_s());
  }
  return rates;
}

std::string Markdown(const std::vector<ServerRuns>& servers) {
  Table table(servers);
  const auto number = [](double value) { return absl::StrFormat("%.1f", value); };
  table.Row("output tokens/s", [&](const auto& s) { return number(s.output_tokens_per_s()); });
  table.Row("requests/s",
            [&](const auto& s) { return absl::StrFormat("%.2f", s.requests_per_s()); });
  table.TimesRow("first token", &LoadSummary::first_token);
  table.TimesRow("between tokens", &LoadSummary::gap);
  table.TimesRow("latency", &LoadSummary::latency);
  table.TimesRow("intruder's first token", &LoadSummary::intruder_first_token);
  table.TimesRow("between tokens while an intruder's prompt runs", &LoadSummary::intruder_gap);
  table.Row("slowest user, request over the mean", [&](const auto& s) {
    return absl::StrFormat("%.2f, %.2f", s.slowest_user, s.slowest_request);
  });
  table.Row("prompt, cached, output tokens", [](const auto& s) {
    return StrCat(s.prompt_tokens, ", ", s.cached_tokens, ", ", s.output_tokens);
  });
  table.Row("requests, seconds",
            [&](const auto& s) { return StrCat(s.requests, ", ", number(s.seconds)); });
  if (table.Any([](const auto& s) { return s.cancelled; })) {
    table.Row("clients that left", [](const auto& s) { return StrCat(s.cancelled); });
  }
  if (table.Any([](const auto& s) { return s.malformed; })) {
    table.Row("malformed: sent, accepted, 5xx", [](const auto& s) {
      return StrCat(s.malformed, ", ", s.malformed_accepted, ", ", s.malformed_server_errors);
    });
  }
  table.Row("failed", [](const auto& s) {
    return s.failed == 0 ? std::string("0") : StrCat(s.failed, ": ", FailuresText(s));
  });
  std::string text = table.Take();
  if (servers.front().runs.size() > 1) {
    for (const ServerRuns& server : servers) {
      const Spread spread = SpreadOf(Rates(server));
      text += absl::StrFormat("\n%s: %.1f output tokens/s over %d rounds, from %.1f to %.1f\n",
                              server.url, spread.mean, server.runs.size(), spread.low, spread.high);
    }
  }
  if (servers.size() == 2) {
    const Spread ratio = RatioOf(servers[0], servers[1]);
    text += absl::StrFormat(
        "\noutput tokens/s of the first over the second: %.2f; of single rounds %.2f to %.2f\n",
        ratio.mean, ratio.low, ratio.high);
  }
  return text;
}

}  // namespace

Spread SpreadOf(std::span<const double> values) {
  if (values.empty()) return {};
  const auto [low, high] = std::ranges::minmax(values);
  return {.mean = std::accumulate(values.begin(), values.end(), 0.0) /
                  static_cast<double>(values.size()),
          .low = low,
          .high = high};
}

Spread RatioOf(const ServerRuns& first, const ServerRuns& second) {
  const std::vector<double> one = Rates(first);
  const std::vector<double> other = Rates(second);
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
    if (other[i] > 0) ratios.push_back(one[i] / other[i]);
  }
  return SpreadOf(ratios);
}

std::string ServeReport(const std::vector<ServerRuns>& servers, const ServeOptions& options,
                        BenchFormat format) {
  if (format == BenchFormat::kMd) return Markdown(servers);
  std::string text;
  Json records = Json::array();
  for (size_t round = 0; round < servers.front().runs.size(); ++round) {
    for (const ServerRuns& server : servers) {
      const LoadSummary summary = Summarize({&server.runs[round], 1});
      records.push_back(Record(server.url, round + 1, summary, options));
      if (format == BenchFormat::kJsonl) StrAppend(&text, JsonText(records.back()), "\n");
      if (format == BenchFormat::kCsv) {
        if (text.empty()) text = CsvLine(records.back(), /*names=*/true);
        text += CsvLine(records.back(), /*names=*/false);
      }
    }
  }
  return format == BenchFormat::kJson ? JsonText(records, 2) + "\n" : text;
}

std::string RequestsCsv(const std::vector<ServerRuns>& servers) {
  constexpr std::string_view kKinds[] = {"normal", "cancelled", "malformed", "intruder"};
  std::string text =
      "url,round,kind,index,user,due_s,first_token_ms,latency_ms,status,failure,prompt_tokens,"
      "cached_tokens,output_tokens,longest_gap_ms\n";
  for (const ServerRuns& server : servers) {
    for (size_t round = 0; round < server.runs.size(); ++round) {
      for (const RequestResult& r : server.runs[round].requests) {
        float gap = 0;
        for (size_t i = 1; i < r.token_s.size(); ++i) {
          gap = std::max(gap, r.token_s[i] - r.token_s[i - 1]);
        }
        text += absl::StrFormat("%s,%d,%s,%d,%d,%.4f,%.2f,%.2f,%d,%s,%d,%d,%d,%.2f\n", server.url,
                                round + 1, ToAbsl(kKinds[static_cast<size_t>(r.kind)]), r.index,
                                r.user, r.due_s, r.token_s.empty() ? 0.0 : r.token_s.front() * 1e3,
                                r.latency_s() * 1e3, r.status, ToAbsl(Name(r.failure)),
                                r.usage.prompt_tokens, r.usage.cached_tokens, r.output_tokens(),
                                gap * 1e3);
      }
    }
  }
  return text;
}

}  // namespace infer::load
