// SPDX-License-Identifier: Apache-2.0
#include "runtime/common_arena.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/base/status_macros.h"
#include "runtime/zeroed_memory.h"

namespace infer {
namespace {

class CommonArena final : public SpaceMemory {
 public:
  CommonArena(ZeroedMemory memory, std::shared_ptr<CommonArenas::Begins> begins)
      : memory_(std::move(memory)), begins_(std::move(begins)) {
    const std::lock_guard lock(begins_->mutex);
    begins_->set.insert(memory_.data());
  }
  ~CommonArena() override {
    const std::lock_guard lock(begins_->mutex);
    begins_->set.erase(memory_.data());
  }
  CommonArena(const CommonArena&) = delete;
  CommonArena& operator=(const CommonArena&) = delete;

  std::byte* data() const override { return memory_.data(); }
  uint64_t bytes() const override { return memory_.bytes(); }

 private:
  ZeroedMemory memory_;
  std::shared_ptr<CommonArenas::Begins> begins_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SpaceMemory>> CommonArenas::Map(Collective& ranks,
                                                               const HostMemory& common,
                                                               uint64_t own) {
  absl::StatusOr<ZeroedMemory> memory = ZeroedMemory::Create(common.bytes() + own);
  const uint8_t mapped = memory.ok() && common.MapAt(memory->data());
  std::vector<uint8_t> all(static_cast<size_t>(ranks.ranks()));
  RETURN_IF_ERROR(ranks.AllGather(std::as_bytes(std::span(&mapped, 1)),
                                  reinterpret_cast<std::byte*>(all.data())));
  if (std::ranges::find(all, 0) != all.end()) return nullptr;
  return std::make_unique<CommonArena>(*std::move(memory), begins_);
}

bool CommonArenas::Contains(const std::byte* begin) const {
  const std::lock_guard lock(begins_->mutex);
  return begins_->set.contains(begin);
}

}  // namespace infer
