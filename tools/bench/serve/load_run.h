// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tools/bench/serve/load_result.h"
#include "tools/bench/serve/request_source.h"

namespace infer::load {

// When requests are sent.
struct Pace {
  int64_t users = 1;      // closed loop: each sends its next request when the last one ended
  double rate = 0;        // open loop if above 0: requests per second, whatever happens to them
  bool poisson = true;    // of an open loop; else at equal distances
  int64_t requests = 0;   // 0: no limit
  double duration_s = 0;  // no more requests are begun after it; 0: no limit
  double intruder_every_s = 0;  // 0: none
  double timeout_s = 600;       // without a byte from the server
  uint64_t seed = 1;
};

// Sends the requests of a source to a server on one thread and measures the answers.
class LoadRun {
 public:
  using Clock = std::chrono::steady_clock;

  // `progress` is called about ten times a second with the numbers of ended requests and of tokens.
  using ProgressFn = std::function<void(int64_t requests, int64_t tokens)>;

  LoadRun(const ServerUrl& url, const RequestSource& source, const Pace& pace);
  ~LoadRun();

  // Runs until all requests have ended. After `stop` no request is begun, and those that run are
  // left.
  RunResult Run(const std::atomic<bool>& stop, const ProgressFn& progress);

 private:
  struct Active;

  double Now() const;
  bool MayBegin(double now) const;
  void BeginDue(double now);
  void Begin(RequestSpec spec, int32_t user, double due_s);
  // Waits for the connections, reads them, and ends those that are done.
  void ServeConnections();
  void Read(Active& active);
  void LeaveIfTime(Active& active, double now);
  void Finish(Active& active);
  int WaitMs(double now) const;
  double MeanLatency() const;

  const ServerUrl& url_;
  const RequestSource& source_;
  const Pace pace_;
  Random arrivals_;
  Clock::time_point start_;
  std::vector<std::unique_ptr<Active>> active_;
  std::vector<double> user_free_s_;  // when each user without a request may send the next one
  double next_arrival_s_ = 0;
  double next_intruder_s_ = 0;
  int64_t begun_ = 0;
  int64_t intruders_ = 0;
  int64_t tokens_ = 0;
  double latency_sum_s_ = 0;
  int64_t latency_count_ = 0;
  RunResult result_;
};

}  // namespace infer::load
