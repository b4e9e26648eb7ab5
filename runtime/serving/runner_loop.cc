// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/runner_loop.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "ir/base/strings.h"

namespace infer {
namespace {

// Streams that are looked at between two calls, so that a long queue does not delay the next one.
constexpr int kMaxTries = 32;
// With more requests than this, their list is published every so often only.
constexpr size_t kFewRequests = 64;
constexpr double kPublishMs = 100;

int32_t MostRunning(const Engine& engine, const RunnerOptions& options) {
  const int64_t most = std::min(
      {static_cast<int64_t>(options.max_running), static_cast<int64_t>(engine.max_sequences()),
       engine.max_step_tokens(), engine.program().symbols[Symbol::kR].max});
  return static_cast<int32_t>(std::max<int64_t>(most, 1));
}

// At half the context.
DraftEstimates EstimateDrafts(const Engine& engine, const RunnerOptions& options) {
  DraftEstimates estimates;
  for (size_t sequences = 1; sequences <= estimates.size(); ++sequences) {
    for (size_t drafted = 0; drafted <= kMaxDraft; ++drafted) {
      const auto tokens = static_cast<int64_t>(sequences * (1 + drafted));
      const auto entries = static_cast<int64_t>(sequences) * engine.context() / 2;
      double ms = 0;
      if (options.estimate_ms && tokens <= engine.max_step_tokens()) {
        ms = options.estimate_ms({.t = tokens,
                                  .r = tokens,
                                  .s = std::max(entries, tokens),
                                  .sequences = static_cast<int64_t>(sequences)});
      }
      estimates[sequences - 1][drafted] = ms > 0 ? ms : 1;
    }
  }
  return estimates;
}

}  // namespace

RequestRunner::Loop::Loop(std::shared_ptr<Engine> engine, const RunnerOptions& options)
    : engine_(std::move(engine)),
      options_(options),
      inbox_({.requests = options.max_waiting,
              .tokens = options.max_queued_tokens,
              .running = MostRunning(*engine_, options)}),
      running_(engine_.get(), options.share_prefixes, MostRunning(*engine_, options)),
      cost_(options.estimate_ms) {
  if (options.drafts) draft_estimates_ = EstimateDrafts(*engine_, options);
  Publish(/*always=*/true);
  thread_ = std::thread([this] { Run(); });
}

RequestRunner::Loop::~Loop() { Stop(); }

void RequestRunner::Loop::Stop() {
  inbox_.Stop();
  if (thread_.joinable()) thread_.join();
}

bool RequestRunner::Loop::HasWork() const {
  if (!waiting_.empty()) return true;
  return std::ranges::any_of(running_.all(),
                             [](const RunningStream& running) { return !running.request->paused; });
}

void RequestRunner::Loop::Run() {
  bool has_nothing_to_do = false;
  while (true) {
    report_.Beat();
    if (has_nothing_to_do) report_.SetIdle(true);
    Inbox::Commands commands = inbox_.Take(/*wait=*/has_nothing_to_do);
    report_.SetIdle(false);
    const bool stop = commands.stop;
    try {
      Apply(std::move(commands));
      if (stop) return EndAll(absl::CancelledError("the runner has ended"));
      if (requests_.empty()) StartPrefetch();
      Admit();
      if (HasWork() && BuildStep()) {
        RunStep();
        has_nothing_to_do = false;
      } else {
        has_nothing_to_do = !engine_->cache().ClearOneBlock();
      }
    } catch (const std::exception& error) {
      // Out of memory, for instance: those who run now end, and the next ones find room.
      EndAll(absl::ResourceExhaustedError(StrCat("the runner failed: ", error.what())));
      (void)running_.TakePreempted();
    }
    ended_.clear();
    Publish(/*always=*/has_nothing_to_do);
  }
}

void RequestRunner::Loop::Apply(Inbox::Commands commands) {
  if (!commands.submitted.empty()) StopPrefetch();
  for (std::unique_ptr<ActiveRequest>& request : commands.submitted) {
    waiting_.Add({request.get(), request->streams()[0].get(), request->submitted()});
    requests_.emplace(request->id(), std::move(request));
  }
  for (const auto& [id, paused] : commands.paused) {
    const auto found = requests_.find(id);
    if (found != requests_.end()) found->second->paused = paused;
  }
  for (const RequestId id : commands.cancelled) {
    const auto found = requests_.find(id);
    if (found == requests_.end()) continue;
    ++state_.cancelled_requests;
    EndRequest(found->second.get(), absl::CancelledError("the request was cancelled"));
  }
  for (PrefixToPrefetch& prefix : commands.prefetches) {
    if (prefetches_.size() >= Inbox::kMaxPrefetches) prefetches_.pop_front();
    prefetches_.push_back(std::move(prefix));
  }
}

void RequestRunner::Loop::Admit() {
  if (waiting_.empty() || (!running_.has_place() && !running_.has_paused())) return;
  const ServingClock::time_point now = ServingClock::now();
  waiting_.BeginRound();
  for (int tries = 0; tries < kMaxTries; ++tries) {
    WaitingStream* next = waiting_.Next(now, shares_);
    if (next == nullptr) return;
    ActiveRequest* request = next->request;
    TextStream* stream = next->stream;
    const TokenRequest& asked = request->request();
    if (running_.IsBeingComputed(asked.cache_salt, stream->text())) {
      waiting_.PassOver(next);
      continue;
    }
    const ServingClock::time_point since = next->since;
    if (!running_.Admit(request, stream)) {
      if (running_.all().empty()) {
        EndRequest(request, absl::ResourceExhaustedError(
                                "the cache has no room for the request although nothing runs"));
        return;
      }
      // Who reads too slowly must not keep others waiting.
      if (!running_.PreemptPaused()) return;
      RequeuePreempted();
      continue;
    }
    waiting_.Remove(stream);
    if (!request->was_admitted()) {
      inbox_.Left(std::ssize(asked.prompt));
      state_.prompt_tokens += std::ssize(asked.prompt);
      state_.cached_tokens += request->summary().cached_tokens;
    }
    absl::Status started = absl::OkStatus();
    if (!stream->started()) {
      started = stream->Start(draft_estimates_ ? &*draft_estimates_ : nullptr);
    }
    request->Admitted(since, now);
    if (started.ok() && request->failed()) started = request->failure();
    if (!started.ok()) EndRequest(request, started);
  }
}

void RequestRunner::Loop::EndChoice(ActiveRequest* request, TextStream* stream, ChoiceEnd end) {
  running_.Release(stream);
  waiting_.Remove(stream);
  request->ReportChoiceEnd(stream->choice(), end);
}

void RequestRunner::Loop::EndRequest(ActiveRequest* request, absl::Status status) {
  const auto found = requests_.find(request->id());
  if (found == requests_.end()) return;
  if (!request->was_admitted()) inbox_.Left(std::ssize(request->request().prompt));
  const ChoiceEnd end = absl::IsCancelled(status) ? ChoiceEnd::kCancelled : ChoiceEnd::kError;
  for (std::unique_ptr<TextStream>& stream : request->streams()) {
    if (stream == nullptr || stream->ended) continue;
    stream->ended = true;
    EndChoice(request, stream.get(), end);
  }
  request->ReportStepEnd();
  request->ReportEnd(status);
  ++state_.ended_requests;
  report_.RequestEnded();
  ended_.push_back(std::move(found->second));
  requests_.erase(found);
  const std::string& tenant = request->request().tenant;
  if (std::ranges::none_of(
          requests_, [&](const auto& other) { return other.second->request().tenant == tenant; })) {
    shares_.Forget(tenant);
  }
}

void RequestRunner::Loop::EndAll(const absl::Status& status) {
  StopPrefetch();
  prefetches_.clear();
  while (!requests_.empty()) EndRequest(requests_.begin()->second.get(), status);
}

void RequestRunner::Loop::RequeuePreempted() {
  for (const RunningStream& preempted : running_.TakePreempted()) {
    ++state_.preemptions;
    waiting_.Add({preempted.request, preempted.stream, ServingClock::now(), true});
  }
}

void RequestRunner::Loop::Publish(bool always) {
  const ServingClock::time_point now = ServingClock::now();
  const double now_ms = report_.Now();
  inbox_.SetRunning(std::ssize(running_.all()));
  if (!always && requests_.size() > kFewRequests && now_ms - last_publish_ms_ < kPublishMs) return;
  last_publish_ms_ = now_ms;
  const KvCache& cache = engine_->cache();
  state_.blocks = cache.num_blocks();
  state_.free_blocks = cache.free_blocks();
  state_.cached_blocks = cache.idle_blocks();
  state_.block_positions = cache.block_positions();
  state_.evicted_blocks = running_.evicted_blocks();
  state_.refused_requests = inbox_.refused();
  state_.requests.clear();
  state_.running = state_.waiting = 0;
  for (const auto& [id, request] : requests_) {
    state_.requests.push_back(request->Describe(now));
    ++(state_.requests.back().is_waiting ? state_.waiting : state_.running);
  }
  shown_ = state_;
  report_.Publish(&shown_);
}

}  // namespace infer
