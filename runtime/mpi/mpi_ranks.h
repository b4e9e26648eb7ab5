// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/collective.h"
#include "runtime/mpi/mpi_abi.h"
#include "runtime/mpi/peer_watch.h"

namespace infer {

// Returns how many processes `mpirun` has started this one with; 1 if it was started alone.
int LaunchedRanks();

// The ranks as processes of Open MPI. Exists once in a process.
class MpiRanks final : public Collective {
 public:
  struct Options {
    const std::atomic<bool>* stop = nullptr;  // set when the process is asked to end
    PeerWatch::Times times = {};
  };

  // Loads the library infer_mpi, which lies beside the program or in ../lib, and meets the others.
  // Returns kUnavailable if it is not there.
  static absl::StatusOr<std::unique_ptr<MpiRanks>> Start(const Options& options);
  // Says goodbye and waits for the others, unless something failed.
  ~MpiRanks() override;

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  absl::Status AllGather(std::span<const std::byte> send, std::byte* receive) override;
  absl::Status AllToAll(const std::byte* send, std::byte* receive, size_t part_bytes) override;
  absl::Status Broadcast(std::span<std::byte> data) override;
  void Abort(const absl::Status& why) override;
  void SetPlace(std::string place) override;

  bool failed() const { return failed_.load() || (watch_ != nullptr && watch_->failed()); }
  // Whether an error of this run is this rank's to report, so that it is reported once.
  bool should_report() const { return watch_ == nullptr || watch_->should_report(); }
  bool IsAlive(int rank) const { return watch_ != nullptr && watch_->IsAlive(rank); }
  std::string Describe(int rank) const { return watch_->Describe(rank); }

 private:
  MpiRanks(const InferMpi* mpi, const Options& options) : mpi_(mpi), options_(options) {}
  absl::Status Meet();
  absl::Status Begin(const void* send, size_t send_stride, void* receive, size_t bytes);
  absl::Status WaitForAll();
  absl::Status ErrorOf(int error, std::string_view what) const;

  const InferMpi* mpi_;
  Options options_;
  int rank_ = 0;
  int ranks_ = 1;
  std::optional<std::chrono::steady_clock::time_point> asked_to_end_;
  bool crowded_ = false;  // more processes on this host than CPUs: a waiting one must make room
  std::mutex mutex_;      // of mpi_
  std::unique_ptr<PeerWatch> watch_;
  std::atomic<bool> failed_ = false;
};

}  // namespace infer
