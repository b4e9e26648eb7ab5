// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/load_run.h"

#include <poll.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace infer::load {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// A user that was refused waits this long, so that a server that is down is not asked in a loop.
constexpr double kRetryS = 0.1;
constexpr int kMaxWaitMs = 100;

bool IsRefusal(const RequestResult& result) {
  return result.failure == Failure::kConnect || result.status == 429 || result.status == 503;
}

}  // namespace

struct LoadRun::Active {
  Active(const ServerUrl& url, RequestSpec spec_value)
      : spec(std::move(spec_value)), exchange(url, spec.message) {}

  RequestSpec spec;
  Exchange exchange;
  StreamReader stream;
  RequestResult result;
  double last_byte_s = 0;
  double leave_s = kNever;
};

LoadRun::LoadRun(const ServerUrl& url, const RequestSource& source, const Pace& pace)
    : url_(url), source_(source), pace_(pace), arrivals_(pace.seed) {}

LoadRun::~LoadRun() = default;

double LoadRun::Now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

bool LoadRun::MayBegin(double now) const {
  return (pace_.requests == 0 || begun_ < pace_.requests) &&
         (pace_.duration_s == 0 || now < pace_.duration_s);
}

RunResult LoadRun::Run(const std::atomic<bool>& stop, const ProgressFn& progress) {
  start_ = Clock::now();
  if (pace_.rate == 0) user_free_s_.assign(static_cast<size_t>(pace_.users), 0);
  next_intruder_s_ = pace_.intruder_every_s > 0 ? pace_.intruder_every_s : kNever;
  double shown_s = 0;
  while (!stop) {
    const double now = Now();
    if (!MayBegin(now) && active_.empty()) break;
    BeginDue(now);
    ServeConnections();
    if (now - shown_s >= 0.1) {
      shown_s = now;
      progress(std::ssize(result_.requests), tokens_);
    }
  }
  active_.clear();
  result_.seconds = 0;
  for (const RequestResult& request : result_.requests) {
    result_.seconds = std::max(result_.seconds, request.end_s);
  }
  return std::move(result_);
}

void LoadRun::BeginDue(double now) {
  for (size_t user = 0; user < user_free_s_.size(); ++user) {
    if (!MayBegin(now)) break;
    if (user_free_s_[user] > now) continue;
    user_free_s_[user] = kNever;  // until its request ends
    Begin(source_.Make(begun_++), static_cast<int32_t>(user), now);
  }
  while (pace_.rate > 0 && MayBegin(now) && next_arrival_s_ <= now) {
    const auto user = static_cast<int32_t>(begun_);
    Begin(source_.Make(begun_++), user, next_arrival_s_);
    const double mean = 1 / pace_.rate;
    next_arrival_s_ += pace_.poisson ? DrawExponential(mean, arrivals_) : mean;
  }
  // Intruders only disturb others: none is sent when nobody is left to be disturbed.
  if (next_intruder_s_ <= now && MayBegin(now)) {
    Begin(source_.MakeIntruder(intruders_++), -1, next_intruder_s_);
    next_intruder_s_ += pace_.intruder_every_s;
  }
}

void LoadRun::Begin(RequestSpec spec, int32_t user, double due_s) {
  auto active = std::make_unique<Active>(url_, std::move(spec));
  active->result.kind = active->spec.kind;
  active->result.index = active->spec.index;
  active->result.user = user;
  active->result.due_s = due_s;
  active->last_byte_s = due_s;
  active->spec.message.clear();
  if (active->spec.kind == RequestKind::kCancelled && latency_count_ > 0) {
    active->leave_s = due_s + active->spec.leave_at * MeanLatency();
  }
  active_.push_back(std::move(active));
}

double LoadRun::MeanLatency() const { return latency_sum_s_ / static_cast<double>(latency_count_); }

int LoadRun::WaitMs(double now) const {
  double next = kNever;
  for (const double free_s : user_free_s_) next = std::min(next, free_s);
  if (pace_.rate > 0) next = std::min(next, next_arrival_s_);
  next = std::min(next, next_intruder_s_);
  if (!MayBegin(now)) next = kNever;
  for (const auto& active : active_) {
    next = std::min(next, active->exchange.is_ended() ? now : active->leave_s);
  }
  return static_cast<int>(std::clamp(std::ceil((next - now) * 1e3), 0.0, double{kMaxWaitMs}));
}

void LoadRun::ServeConnections() {
  std::vector<pollfd> ready;
  ready.reserve(active_.size());
  for (const auto& active : active_) {
    ready.push_back(
        {.fd = active->exchange.fd(), .events = active->exchange.events(), .revents = 0});
  }
  poll(ready.data(), static_cast<nfds_t>(ready.size()), WaitMs(Now()));
  for (size_t i = 0; i < ready.size(); ++i) {
    Active& active = *active_[i];
    if (ready[i].revents != 0) Read(active);
    if (!active.exchange.is_ended()) LeaveIfTime(active, Now());
    if (active.exchange.is_ended()) Finish(active);
  }
  std::erase_if(active_, [](const auto& active) { return active->exchange.is_ended(); });
}

void LoadRun::Read(Active& active) {
  const std::string body = active.exchange.Proceed();
  const double now = Now();
  active.last_byte_s = now;
  active.result.status = active.exchange.response().status();
  if (active.result.status != 200) return;
  const int64_t events = active.stream.Feed(body);
  tokens_ += events;
  for (int64_t i = 0; i < events; ++i) {
    active.result.token_s.push_back(static_cast<float>(now - active.result.due_s));
  }
}

void LoadRun::LeaveIfTime(Active& active, double now) {
  const RequestSpec& spec = active.spec;
  if (now - active.last_byte_s > pace_.timeout_s) {
    active.exchange.Leave(/*reset=*/true);
    active.result.failure = Failure::kTimeout;
  } else if (spec.kind == RequestKind::kCancelled) {
    const double share =
        static_cast<double>(active.result.token_s.size()) / static_cast<double>(spec.output_tokens);
    const bool is_time = now >= active.leave_s || share >= spec.leave_at;
    if (is_time && active.exchange.is_sent()) active.exchange.Leave(spec.reset);
  } else if (spec.kind == RequestKind::kMalformed && active.result.status == 200) {
    active.exchange.Leave(/*reset=*/false);  // accepted; there is nothing to learn from the rest
  }
}

void LoadRun::Finish(Active& active) {
  RequestResult& result = active.result;
  const StreamReader& stream = active.stream;
  result.end_s = Now();
  result.usage = stream.usage();
  if (result.failure == Failure::kNone) result.failure = active.exchange.failure();
  if (active.spec.kind != RequestKind::kMalformed && result.failure == Failure::kNone) {
    const bool left = active.spec.kind == RequestKind::kCancelled && !stream.is_done();
    if (result.status != 200 && !(left && result.status == 0)) {
      result.failure = Failure::kStatus;
    } else if (stream.is_bad()) {
      result.failure = Failure::kBadEvent;
    } else if (stream.has_error()) {
      result.failure = Failure::kErrorEvent;
    } else if (!left && !stream.is_done()) {
      result.failure = Failure::kClosedEarly;
    }
  }
  if (result.is_ok() && result.kind == RequestKind::kNormal) {
    latency_sum_s_ += result.latency_s();
    ++latency_count_;
  }
  if (pace_.rate == 0 && result.user >= 0) {
    const double wait_s = IsRefusal(result) ? kRetryS : 0;
    user_free_s_[static_cast<size_t>(result.user)] = result.end_s + wait_s;
  }
  result_.requests.push_back(std::move(result));
}

}  // namespace infer::load
