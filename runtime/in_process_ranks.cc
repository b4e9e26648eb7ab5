// SPDX-License-Identifier: Apache-2.0
#include "runtime/in_process_ranks.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/common_arena.h"
#include "runtime/host_memory.h"

namespace infer {
namespace {

// Checks before a waiting rank sleeps: about 20 us, longer than most ranks are apart.
constexpr int kSpins = 4000;

// Where the ranks meet. Each publishes the address of what it sends; between two meetings all of
// these stay valid.
class MeetingPoint {
 public:
  explicit MeetingPoint(int ranks) : sent_(static_cast<size_t>(ranks)) {}

  int ranks() const { return static_cast<int>(sent_.size()); }
  const std::byte* sent(int rank) const { return sent_[rank]; }
  std::span<const std::byte* const> sent() const { return sent_; }

  absl::Status Publish(int rank, const std::byte* data) {
    sent_[rank] = data;
    return Meet();
  }

  // Returns once all ranks have called it.
  absl::Status Meet() {
    const uint32_t meeting = meeting_.load(std::memory_order_acquire);
    if (failed_.load(std::memory_order_acquire)) return failure();
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks()) {
      arrived_.store(0, std::memory_order_relaxed);
      Open();
    } else {
      for (int i = 0; i < kSpins && meeting_.load(std::memory_order_acquire) == meeting; ++i) {
      }
      meeting_.wait(meeting, std::memory_order_acquire);
    }
    return failed_.load(std::memory_order_acquire) ? failure() : absl::OkStatus();
  }

  void SetMemory(std::shared_ptr<const HostMemory> memory) {
    const std::lock_guard lock(mutex_);
    memory_ = std::move(memory);
  }
  std::shared_ptr<const HostMemory> memory() {
    const std::lock_guard lock(mutex_);
    return memory_;
  }

  void Abort(absl::Status why) {
    {
      const std::lock_guard lock(mutex_);
      if (!failure_.ok()) return;
      failure_ = std::move(why);
    }
    failed_.store(true, std::memory_order_release);
    Open();
  }

 private:
  void Open() {
    meeting_.fetch_add(1, std::memory_order_acq_rel);
    meeting_.notify_all();
  }
  absl::Status failure() {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

  std::vector<const std::byte*> sent_;
  std::atomic<int> arrived_ = 0;
  std::atomic<uint32_t> meeting_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  absl::Status failure_;
  std::shared_ptr<const HostMemory> memory_;  // that rank 0 has made last
};

class InProcessRank final : public SharedRanks {
 public:
  InProcessRank(int rank, std::shared_ptr<MeetingPoint> point)
      : rank_(rank), point_(std::move(point)) {}

  int rank() const override { return rank_; }
  int ranks() const override { return point_->ranks(); }

  absl::Status AllGather(std::span<const std::byte> send, std::byte* receive) override {
    RETURN_IF_ERROR(point_->Publish(rank_, send.data()));
    for (int from = 0; from < ranks(); ++from) {
      std::memcpy(receive + static_cast<size_t>(from) * send.size(), point_->sent(from),
                  send.size());
    }
    return point_->Meet();
  }

  absl::Status AllToAll(const std::byte* send, std::byte* receive, size_t part_bytes) override {
    RETURN_IF_ERROR(point_->Publish(rank_, send));
    for (int from = 0; from < ranks(); ++from) {
      std::memcpy(receive + static_cast<size_t>(from) * part_bytes,
                  point_->sent(from) + static_cast<size_t>(rank_) * part_bytes, part_bytes);
    }
    return point_->Meet();
  }

  absl::Status Broadcast(std::span<std::byte> data) override {
    RETURN_IF_ERROR(point_->Publish(rank_, data.data()));
    if (rank_ != 0) std::memcpy(data.data(), point_->sent(0), data.size());
    return point_->Meet();
  }

  void Abort(const absl::Status& why) override {
    point_->Abort(absl::Status(why.code(), StrCat("rank ", rank_, ": ", ToStd(why.message()))));
  }

  absl::StatusOr<std::unique_ptr<SpaceMemory>> Allocate(uint64_t common, uint64_t own) override {
    // Kept where they meet, because rank 0 may leave early if another one fails.
    if (rank_ == 0) {
      point_->SetMemory(std::make_shared<const HostMemory>(HostMemory::Create(common)));
    }
    RETURN_IF_ERROR(point_->Meet());
    const std::shared_ptr<const HostMemory> memory = point_->memory();
    RETURN_IF_ERROR(point_->Meet());
    return arenas_.Map(*this, *memory, own);
  }
  bool IsCommon(const std::byte* begin) const override { return arenas_.Contains(begin); }
  absl::Status Meet() override { return point_->Meet(); }
  std::span<std::byte> TermsRoom() override { return {}; }
  absl::StatusOr<std::span<const std::byte* const>> ShareTerms(const std::byte* terms) override {
    RETURN_IF_ERROR(point_->Publish(rank_, terms));
    return point_->sent();
  }

 private:
  int rank_;
  std::shared_ptr<MeetingPoint> point_;
  CommonArenas arenas_;
};

}  // namespace

std::vector<std::shared_ptr<SharedRanks>> MakeInProcessRanks(int ranks) {
  auto point = std::make_shared<MeetingPoint>(ranks);
  std::vector<std::shared_ptr<SharedRanks>> ends;
  for (int rank = 0; rank < ranks; ++rank) {
    ends.push_back(std::make_shared<InProcessRank>(rank, point));
  }
  return ends;
}

}  // namespace infer
