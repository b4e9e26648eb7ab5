// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "runtime/mpi/mpi_abi.h"

namespace infer {

// Where a rank runs.
struct RankHome {
  char host[64] = {};
  char boot[40] = {};  // names this run of the kernel: hosts may have one name
  int64_t pid = 0;
  int64_t pid_space = 0;  // processes can look for each other only in the same one
};
RankHome ThisHome();
// Whether processes of both see each other.
bool IsSameHost(const RankHome& a, const RankHome& b);

// Knows whether the other ranks are alive. A thread tells them several times a second that this one
// is, wherever its work is; one that is silent for too long is stopped or cut off, and not just
// slow. Processes of the same host are looked for by their number, too, which shows a death at
// once.
class PeerWatch {
 public:
  struct Times {
    std::chrono::milliseconds beat{100};
    // With the second that mpirun gives the others, all have ended within 5 s.
    std::chrono::milliseconds silence{2500};
    // The clock of silences. Tests replace it, so that a busy machine does not look like a dead
    // rank.
    std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  };

  // Everything must outlive the watch. `mpi_mutex` is held for each call of `mpi`. `on_failure` is
  // called, by the thread that finds it, when a rank has failed and nobody but this watch may
  // notice; after a death on this host the launcher tells everybody.
  PeerWatch(const InferMpi* mpi, std::mutex* mpi_mutex, int rank, std::vector<RankHome> homes,
            Times times, std::function<void()> on_failure = nullptr);
  ~PeerWatch();
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

  // Whether a rank failed; failure() says which. Cheap.
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  absl::Status failure() const;
  // Whether this rank has to report the failure, because no other does.
  bool should_report() const;
  // Whether this process has just been stopped for a while, which the others have reported.
  bool was_paused() const;
  // Whether that rank has neither ended nor failed, as far as this one knows.
  bool IsAlive(int rank) const;
  // Returns the first rank that said goodbye at least this long ago, or -1.
  int FirstEnded(std::chrono::milliseconds ago) const;
  // Looks for deaths now instead of at the next beat. `urgent`: the run is ending because of one,
  // so that the rank that missed a few beats is the one.
  void LookNow(bool urgent = false);

  // Tells the others that this rank fails, or that it has nothing left to do or to say.
  void SendFailure(const absl::Status& why);
  void SendEnd();
  // Takes what the others have said by now.
  void TakeNotes();
  // From now on this watch makes no call of MPI. It still sees which processes of its host are
  // alive, but takes none that ends for a failure: its goodbye cannot be read.
  void LeaveMpi();
  // Ends the thread: no more beats. What this rank still does must be short.
  void Stop();
  void SetPlace(std::string place);
  std::string place() const;
  std::string Describe(int rank) const;  // "rank 1 (host node2, process 4711)"

 private:
  struct Peer {
    RankHome home;
    std::chrono::steady_clock::time_point seen;
    std::string place;
    bool ended = false;
    bool dead = false;
  };

  void Run();
  void SendAll(int32_t kind, const std::string& text,
               absl::StatusCode code = absl::StatusCode::kOk);
  bool IsDead(int rank) const;
  void FindDead(std::chrono::milliseconds silence);
  void Fail(absl::Status status, bool report, bool notify);

  const InferMpi* mpi_;
  std::mutex* mpi_mutex_;
  std::atomic<bool> left_mpi_ = false;  // written with mpi_mutex_ held
  const int rank_;
  const Times times_;
  const std::function<void()> on_failure_;
  mutable std::mutex mutex_;  // of what follows
  std::vector<Peer> peers_;
  std::string place_;
  absl::Status failure_;
  bool report_ = false;
  std::chrono::steady_clock::time_point looked_;   // when this rank last looked for the others
  std::chrono::steady_clock::time_point resumed_;  // when it last noticed a pause of its own
  std::atomic<bool> failed_ = false;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace infer
