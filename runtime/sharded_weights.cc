// SPDX-License-Identifier: Apache-2.0
#include "runtime/sharded_weights.h"

#include <algorithm>
#include <cstring>

#include "ir/base/hash.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// A part as equal pieces of the whole weight: `count` pieces of `bytes`, `stride` apart.
struct Pieces {
  uint64_t count = 1;
  uint64_t stride = 0;
  uint64_t bytes = 0;
};

Pieces PiecesOf(const WeightInfo& whole, const WeightSlice& slice) {
  Pieces pieces;
  for (int axis = 0; axis < slice.axis; ++axis) {
    pieces.count *= static_cast<uint64_t>(whole.dims[axis]);
  }
  pieces.stride = whole.bytes / pieces.count;
  pieces.bytes = pieces.stride / static_cast<uint64_t>(slice.parts);
  return pieces;
}

}  // namespace

absl::Status CheckRanks(const Program& program, const Collective* transport) {
  const int found = transport == nullptr ? 1 : transport->ranks();
  const int wanted = program.policy.shard.ranks;
  if (found == wanted) return absl::OkStatus();
  return absl::FailedPreconditionError(StrCat(
      "the program is ",
      wanted == 1 ? std::string("for one process") : StrCat("divided over ", wanted, " ranks"),
      ", but ", found, found == 1 ? " process runs it" : " processes run it",
      "; start one process for each rank, or compile it again for this number"));
}

absl::StatusOr<std::unique_ptr<ShardedWeights>> ShardedWeights::Create(const WeightSource& whole,
                                                                       const Program& program,
                                                                       int rank) {
  auto weights = std::unique_ptr<ShardedWeights>(new ShardedWeights(whole, rank));
  for (const Weight& weight : program.weights) {
    const WeightInfo* found = whole.Find(weight.FileName());
    if (found == nullptr || TypeOf(*found) != weight.WholeType() ||
        whole.DataBytes(*found) != weight.WholeBytes()) {
      return absl::InvalidArgumentError(
          StrCat("weight ", weight.FileName(),
                 " of the model file is not the one that the program was compiled for"));
    }
    WeightInfo info = *found;
    info.name = weight.name;
    if (weight.slice.parts != 0) {
      info.dims[weight.slice.axis] /= weight.slice.parts;
      info.bytes = weight.bytes;
      info.offset += static_cast<uint64_t>(rank) * PiecesOf(*found, weight.slice).bytes;
    }
    weights->infos_.push_back(std::move(info));
    weights->parts_[weight.name] = {found, weight.slice, nullptr};
  }
  return weights;
}

const WeightInfo* ShardedWeights::Find(std::string_view name) const {
  auto found = std::ranges::lower_bound(infos_, name, {}, &WeightInfo::name);
  return found == infos_.end() || found->name != name ? nullptr : &*found;
}

std::span<const std::byte> ShardedWeights::InFile(const WeightInfo& weight,
                                                  const Part& part) const {
  const std::span<const std::byte> whole = whole_.Data(*part.whole);
  return whole.subspan(weight.offset - part.whole->offset, weight.bytes);
}

std::span<const std::byte> ShardedWeights::Data(const WeightInfo& weight) const {
  Part& part = PartOf(weight);
  if (IsInFile(part)) return InFile(weight, part);
  const std::lock_guard lock(mutex_);
  if (part.copy == nullptr) {
    part.copy = std::make_unique_for_overwrite<std::byte[]>(weight.bytes);
    const Pieces pieces = PiecesOf(*part.whole, part.slice);
    const std::byte* from =
        whole_.Data(*part.whole).data() + static_cast<uint64_t>(rank_) * pieces.bytes;
    for (uint64_t i = 0; i < pieces.count; ++i) {
      std::memcpy(part.copy.get() + i * pieces.bytes, from + i * pieces.stride, pieces.bytes);
    }
    whole_.Release(*part.whole);
  }
  return {part.copy.get(), weight.bytes};
}

std::span<const std::byte> ShardedWeights::Matrix(const WeightInfo& weight, int64_t number) const {
  const Part& part = PartOf(weight);
  const bool has_rows = weight.dims.size() == 3 && part.slice.parts != 0 && part.slice.axis == 1;
  if (!has_rows) return WeightSource::Matrix(weight, number);
  const Pieces pieces = PiecesOf(*part.whole, part.slice);
  const uint64_t offset =
      static_cast<uint64_t>(number) * pieces.stride + static_cast<uint64_t>(rank_) * pieces.bytes;
  return whole_.Data(*part.whole).subspan(offset, pieces.bytes);
}

bool ShardedWeights::IsCopy(std::span<const std::byte> bytes) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, part] : parts_) {
    if (part.copy == nullptr) continue;
    const auto first = reinterpret_cast<uintptr_t>(part.copy.get());
    const auto at = reinterpret_cast<uintptr_t>(bytes.data());
    if (at >= first && at - first < Find(name)->bytes) return true;
  }
  return false;
}

void ShardedWeights::Release(const WeightInfo& weight) const {
  Part& part = PartOf(weight);
  if (part.slice.parts == 0) return whole_.Release(*part.whole);
  if (IsInFile(part)) return whole_.ReleasePart(InFile(weight, part));
  const std::lock_guard lock(mutex_);
  part.copy.reset();
  whole_.Release(*part.whole);
}

void ShardedWeights::ReleasePart(std::span<const std::byte> part) const {
  if (!IsCopy(part)) whole_.ReleasePart(part);
}

void ShardedWeights::Prefetch(std::span<const std::byte> part) const {
  if (!IsCopy(part)) whole_.Prefetch(part);
}

// Of the whole weight: parts of one name differ only by their rank.
uint64_t ShardedWeights::SampleHash(const WeightInfo& weight) const {
  return Hasher().Add(whole_.SampleHash(*PartOf(weight).whole)).Add(uint64_t(rank_)).Finish();
}

uint64_t ShardedWeights::FullHash(const WeightInfo& weight) const {
  return Hasher().Add(whole_.FullHash(*PartOf(weight).whole)).Add(uint64_t(rank_)).Finish();
}

}  // namespace infer
