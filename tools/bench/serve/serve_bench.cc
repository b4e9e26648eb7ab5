// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/serve_bench.h"

#include <sys/resource.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/bench/serve/load_run.h"
#include "tools/bench/serve/serve_report.h"
#include "tools/bench/serve/server_probe.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/progress.h"

namespace infer::load {
namespace {

// A server with what is needed to make requests for it.
struct Target {
  ServerUrl url;
  RequestForm form;
  PromptMaker maker;
};

// Each connection is a descriptor, and shells allow 1024 of them unless asked.
void RaiseDescriptorLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

class ServeBench {
 public:
  ServeBench(const ServeOptions& options, ToolContext& context)
      : options_(options), context_(context), stop_(context.interrupt().stop_flag()) {}

  absl::Status Open() {
    RaiseDescriptorLimit();
    for (const std::string& text : options_.urls) {
      ASSIGN_OR_RETURN(const ServerUrl url, ParseServerUrl(text));
      RequestForm form = options_.form;
      if (form.model.empty()) {
        ASSIGN_OR_RETURN(form.model, FirstModel(url, form, stop_));
      }
      const auto warn = [this](const std::string& note) { context_.console().Warning(note); };
      ASSIGN_OR_RETURN(PromptMaker maker, MakePromptMaker(url, form, stop_, warn));
      targets_.push_back({url, form, std::move(maker)});
      servers_.push_back({.url = text, .runs = {}});
    }
    return absl::OkStatus();
  }

  absl::Status RunAll() {
    for (int64_t round = 0; round < options_.rounds; ++round) {
      for (size_t turn = 0; turn < targets_.size(); ++turn) {
        // Every second round begins with the other server, so that a drift of the machine favours
        // neither.
        const size_t server = round % 2 == 0 ? turn : targets_.size() - 1 - turn;
        if (round == 0) RETURN_IF_ERROR(WarmUp(server));
        servers_[server].runs.push_back(Measure(server, round));
        if (stop_) return absl::OkStatus();  // what was measured is reported
      }
    }
    return absl::OkStatus();
  }

  const std::vector<ServerRuns>& servers() const { return servers_; }

 private:
  RunResult RunOnce(size_t server, const Pace& pace, const Mix& mix, uint64_t round,
                    const std::string& label) {
    const Target& target = targets_[server];
    const RequestSource source(target.url, target.form, mix, target.maker, options_.seed, round);
    Progress progress(&context_.console(), label, static_cast<uint64_t>(pace.requests), "requests");
    LoadRun run(target.url, source, pace);
    return run.Run(stop_, [&](int64_t requests, int64_t tokens) {
      progress.SetNote(absl::StrFormat("%d tokens", tokens));
      progress.Update(static_cast<uint64_t>(requests));
    });
  }

  RunResult Measure(size_t server, int64_t round) {
    Pace pace = options_.pace;
    pace.seed += static_cast<uint64_t>(round);
    return RunOnce(server, pace, *options_.mix, static_cast<uint64_t>(round),
                   StrCat(servers_[server].url, ", round ", round + 1));
  }

  // Requests that are not counted: the first ones meet cold code and pages.
  absl::Status WarmUp(size_t server) {
    if (options_.warmup == 0) return absl::OkStatus();
    const int64_t users = options_.pace.rate > 0 ? 1 : options_.pace.users;
    const Pace pace = {
        .users = users, .requests = options_.warmup * users, .timeout_s = options_.pace.timeout_s};
    Mix mix = *options_.mix;
    mix.cancel_share = mix.bad_share = 0;
    constexpr uint64_t kWarmUpRound = ~uint64_t{0};
    const RunResult result =
        RunOnce(server, pace, mix, kWarmUpRound, StrCat(servers_[server].url, ", warm-up"));
    const LoadSummary summary = Summarize({&result, 1});
    if (stop_ || summary.requests > 0) return absl::OkStatus();
    return absl::UnavailableError(
        StrCat(servers_[server].url, " answered none of ", result.requests.size(), " requests (",
               summary.failures.empty() ? "no answer" : summary.failures.begin()->first,
               "); try one by hand, for example with curl"));
  }

  const ServeOptions& options_;
  ToolContext& context_;
  const std::atomic<bool>& stop_;
  std::vector<Target> targets_;
  std::vector<ServerRuns> servers_;
};

// Returns an error if no request was answered, or with --strict if one was not.
absl::Status Judge(const std::vector<ServerRuns>& servers, bool strict) {
  for (const ServerRuns& server : servers) {
    const LoadSummary summary = Summarize(server.runs);
    if (summary.requests + summary.cancelled == 0 && summary.failed > 0) {
      return absl::UnavailableError(StrCat(server.url, " answered no request; see the report"));
    }
    const int64_t wrong =
        summary.failed + summary.malformed_accepted + summary.malformed_server_errors;
    if (strict && wrong > 0) {
      return VerificationFailed(
          StrCat(server.url, ": ", wrong, " requests failed, or were malformed and yet accepted"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ServeMain(const ServeOptions& options, BenchFormat format, ToolContext& context) {
  ServeBench bench(options, context);
  RETURN_IF_ERROR(bench.Open());
  std::unique_ptr<AtomicFile> file;
  if (!options.requests_file.empty()) {
    ASSIGN_OR_RETURN(file, context.OpenOutput(options.requests_file));
  }
  RETURN_IF_ERROR(bench.RunAll());
  std::vector<ServerRuns> servers = bench.servers();
  // A signal may have left a server with one round less.
  if (servers.front().runs.empty()) return context.interrupt().Check();
  while (servers.size() > 1 && servers.back().runs.empty()) servers.pop_back();
  for (ServerRuns& server : servers) {
    server.runs.resize(std::min(server.runs.size(), servers.front().runs.size()));
    servers.front().runs.resize(server.runs.size());
  }
  RETURN_IF_ERROR(context.out().Write(ServeReport(servers, options, format)));
  if (file != nullptr) {
    RETURN_IF_ERROR(file->Write(RequestsCsv(servers)));
    RETURN_IF_ERROR(file->Commit());
  }
  if (context.interrupt().requested()) return context.interrupt().Check();
  return Judge(servers, options.strict);
}

}  // namespace infer::load
