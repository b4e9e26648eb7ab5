// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/common_arena.h"
#include "runtime/host_memory.h"
#include "runtime/mpi/mpi_abi.h"
#include "runtime/mpi/peer_watch.h"
#include "runtime/shared_ranks.h"

namespace infer {

// Returns how many processes `mpirun` has started this one with; 1 if it was started alone.
int LaunchedRanks();
// Returns which of them this is.
int LaunchedRank();
// Returns how many of them run on this host.
int RanksOfThisHost();

// The ranks as processes of Open MPI. Exists once in a process.
class MpiRanks final : public SharedRanks {
 public:
  struct Options {
    const std::atomic<bool>* stop = nullptr;  // set when the process is asked to end
    // Called by another thread if the process is asked to end while MPI does not return: it waits
    // for the other ranks to start (StartWatch), or for the launcher after it has lost one.
    std::function<void(const absl::Status& error, bool report)> on_abandoned = nullptr;
    // Called, possibly by another thread, when a rank has failed while this one may be waiting for
    // its user.
    std::function<void()> on_failure = nullptr;
    PeerWatch::Times times = {};
  };

  // Loads the library infer_mpi, which lies beside the program or in ../lib, and meets the others.
  // Returns kUnavailable if it is not there.
  static absl::StatusOr<std::unique_ptr<MpiRanks>> Start(const Options& options);
  // The same over a library that is loaded already.
  static absl::StatusOr<std::unique_ptr<MpiRanks>> StartOn(const InferMpi* mpi,
                                                           const Options& options);
  // Says goodbye and waits for the others, unless something failed: then rank 0 says goodbye, which
  // the others may be waiting for, if it may still call MPI.
  ~MpiRanks() override;

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  absl::Status AllGather(std::span<const std::byte> send, std::byte* receive) override;
  absl::Status AllToAll(const std::byte* send, std::byte* receive, size_t part_bytes) override;
  absl::Status Broadcast(std::span<std::byte> data) override;
  void Abort(const absl::Status& why) override;
  void SetPlace(std::string place) override;

  // The ranks have memory in common only if all of them run on one host.
  absl::StatusOr<std::unique_ptr<SpaceMemory>> Allocate(uint64_t common, uint64_t own) override;
  bool IsCommon(const std::byte* begin) const override { return arenas_.Contains(begin); }
  absl::Status Meet() override;
  std::span<std::byte> TermsRoom() override;
  absl::StatusOr<std::span<const std::byte* const>> ShareTerms(const std::byte* terms) override;

  bool failed() const { return failed_.load() || (watch_ != nullptr && watch_->failed()); }
  // The failure of another rank; Ok if there is none.
  absl::Status failure() const { return watch_ == nullptr ? absl::OkStatus() : watch_->failure(); }
  // For a rank that has nothing left to do: says goodbye, and waits until rank 0 does. Returns the
  // failure that ends the run instead; nobody may then wait in MPI_Finalize.
  absl::Status AwaitEndOfRank0();
  // Stops looking for failures, and calls on_failure no more. Returns the one found before, if any.
  absl::Status StopWatching();
  // Whether an error of this run is this rank's to report, so that it is reported once.
  bool should_report() const { return watch_ == nullptr || watch_->should_report(); }
  // Whether this process was stopped for so long that the others have ended the run.
  bool was_paused() const { return watch_ != nullptr && watch_->was_paused(); }
  bool IsAlive(int rank) const { return watch_ != nullptr && watch_->IsAlive(rank); }
  std::string Describe(int rank) const { return watch_->Describe(rank); }

 private:
  MpiRanks(const InferMpi* mpi, const Options& options) : mpi_(mpi), options_(options) {}
  absl::Status Introduce();
  absl::Status ShareMemory(const std::vector<RankHome>& homes);
  void WatchEnd();
  // Calls begin(), which starts sending and receiving, and waits for the end of both.
  template <class Begin>
  absl::Status Exchange(const Begin& begin);
  absl::Status SendToAll(const void* send, size_t send_stride, void* receive, size_t bytes);
  absl::Status Send(const void* data, size_t bytes, int to);
  absl::Status Receive(void* data, size_t bytes, int from);
  absl::Status WaitForAll();
  // Calls is_done(), which returns absl::StatusOr<bool>, until it is true or a rank has failed.
  template <class IsDone>
  absl::Status WaitUntil(const IsDone& is_done);
  std::atomic<uint32_t>& meetings_of(int rank) const;
  absl::Status ErrorOf(int error, std::string_view what) const;

  const InferMpi* mpi_;
  Options options_;
  int rank_ = 0;
  int ranks_ = 1;
  std::optional<std::chrono::steady_clock::time_point> asked_to_end_;
  int cpus_ = 1;          // that this process may use
  bool crowded_ = false;  // more processes on this host than CPUs: a waiting one must make room
  std::mutex mutex_;      // of mpi_
  std::atomic<uint64_t> returned_ = 0;  // how often it has looked for the end of an exchange
  std::unique_ptr<PeerWatch> watch_;
  // Of each rank: how often it has called Meet, then its terms. Empty: they have none in common.
  std::vector<HostMemory> memory_;
  std::vector<const std::byte*> terms_;  // in it
  uint32_t meetings_ = 0;
  int64_t first_pid_ = 0;  // of rank 0
  CommonArenas arenas_;
  std::atomic<bool> failed_ = false;
  absl::Status gave_up_;  // why an exchange did not end
  std::atomic<bool> over_ = false;
  std::thread end_watch_;
};

}  // namespace infer
