// SPDX-License-Identifier: Apache-2.0
#include "runtime/kv_blocks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/base/checked_math.h"
#include "ir/base/status_macros.h"

namespace infer {
namespace {

// A layer's K and V each start on a cache line.
constexpr uint64_t kAlignmentBytes = 64;

// Bytes of K, or of V, of one layer, rounded up to where the next may begin.
std::optional<uint64_t> AlignedBytes(const KvLayer& layer, DType dtype, int64_t blocks,
                                     int64_t block_positions) {
  std::optional<uint64_t> elements = CheckedMul(blocks, block_positions);
  if (elements) elements = CheckedMul(*elements, layer.kv_heads);
  if (elements) elements = CheckedMul(*elements, layer.head_dim);
  const std::optional<uint64_t> bytes = elements ? BytesFor(dtype, *elements) : std::nullopt;
  return bytes ? CheckedAlignUp(*bytes, kAlignmentBytes) : std::nullopt;
}

// `elements` must be whole vectors, which are whole blocks of the type.
size_t BytesOf(const KvView& view, size_t elements) {
  return elements / Info(view.dtype).block_elements * Info(view.dtype).block_bytes;
}

}  // namespace

absl::StatusOr<uint64_t> KvBlocks::PredictBytes(std::span<const KvLayer> layers, DType dtype,
                                                int64_t blocks, int64_t block_positions) {
  std::optional<uint64_t> total = 0;
  for (const KvLayer& layer : layers) {
    const std::optional<uint64_t> bytes = AlignedBytes(layer, dtype, blocks, block_positions);
    for (int part = 0; part < 2 && total; ++part) {
      total = bytes ? CheckedAdd(*total, *bytes) : std::nullopt;
    }
  }
  if (!total) return absl::ResourceExhaustedError("the size in bytes exceeds 64 bits");
  return *total;
}

absl::StatusOr<KvBlocks> KvBlocks::Create(std::span<const KvLayer> layers, DType dtype,
                                          int64_t blocks, int64_t block_positions) {
  RETURN_IF_ERROR(PredictBytes(layers, dtype, blocks, block_positions).status());
  std::vector<std::pair<MemorySpace*, uint64_t>> bytes_in;
  std::vector<uint64_t> offset_of;
  for (const KvLayer& layer : layers) {
    auto in = std::ranges::find(bytes_in, layer.space, &std::pair<MemorySpace*, uint64_t>::first);
    if (in == bytes_in.end()) in = bytes_in.insert(in, {layer.space, 0});
    offset_of.push_back(in->second);
    in->second += 2 * *AlignedBytes(layer, dtype, blocks, block_positions);
  }
  KvBlocks result;
  for (const auto& [space, bytes] : bytes_in) {
    ASSIGN_OR_RETURN(std::unique_ptr<SpaceMemory> memory, space->Allocate(bytes));
    result.parts_.push_back({space, std::move(memory)});
  }
  for (size_t i = 0; i < layers.size(); ++i) {
    const KvLayer& layer = layers[i];
    const Part& part = *std::ranges::find(result.parts_, layer.space, &Part::space);
    std::byte* k = part.memory->data() + offset_of[i];
    result.views_.push_back({.k = k,
                             .v = k + *AlignedBytes(layer, dtype, blocks, block_positions),
                             .dtype = dtype,
                             .kv_heads = layer.kv_heads,
                             .head_dim = layer.head_dim,
                             .block_positions = static_cast<int32_t>(block_positions)});
    result.space_of_.push_back(layer.space);
  }
  result.uses_.resize(static_cast<size_t>(blocks));
  result.clean_.reserve(result.uses_.size());
  result.dirty_.reserve(result.uses_.size());
  for (int64_t block = blocks; block-- > 0;) result.clean_.push_back(static_cast<int32_t>(block));
  return result;
}

uint64_t KvBlocks::bytes() const {
  uint64_t bytes = 0;
  for (const Part& part : parts_) bytes += part.memory->bytes();
  return bytes;
}

std::span<const std::byte> KvBlocks::cpu_memory() const {
  auto part = std::ranges::find(parts_, &CpuSpace(), &Part::space);
  if (part == parts_.end()) return {};
  return {part->memory->data(), part->memory->bytes()};
}

int32_t KvBlocks::Take() {
  if (clean_.empty()) ClearOne();
  const int32_t block = clean_.back();
  clean_.pop_back();
  uses_[block].users = 1;
  return block;
}

int32_t KvBlocks::TakeCopy(int32_t block, int32_t positions) {
  const int32_t copy = Take();
  Expose(copy, positions);
  CopyPositions(block, copy, positions);
  return copy;
}

void KvBlocks::Apply(const KvBlockChange& change) {
  if (change.from < 0) {
    Zero(change.block, change.positions);
  } else {
    CopyPositions(change.from, change.block, change.positions);
  }
}

void KvBlocks::CopyPositions(int32_t block, int32_t copy, int32_t positions) {
  if (changes_ != nullptr) changes_->push_back({block, copy, positions});
  for (size_t layer = 0; layer < views_.size(); ++layer) {
    const KvView& view = views_[layer];
    const size_t bytes = BytesOf(view, static_cast<size_t>(positions) * view.head_dim);
    for (int32_t head = 0; head < view.kv_heads; ++head) {
      const size_t from = BytesOf(view, view.Index(block * view.block_positions, head));
      const size_t to = BytesOf(view, view.Index(copy * view.block_positions, head));
      space_of_[layer]->Copy(view.k + from, view.k + to, bytes);
      space_of_[layer]->Copy(view.v + from, view.v + to, bytes);
    }
  }
}

void KvBlocks::Share(int32_t block) {
  Use& use = uses_[block];
  if (use.kept && use.users == 1) --idle_;
  ++use.users;
}

void KvBlocks::Drop(int32_t block) {
  Use& use = uses_[block];
  --use.users;
  if (use.kept && use.users == 1) ++idle_;
  if (use.users == 0) (use.exposed_positions == 0 ? clean_ : dirty_).push_back(block);
}

bool KvBlocks::ClearOne() {
  if (dirty_.empty()) return false;
  const int32_t block = dirty_.back();
  Zero(block, uses_[block].exposed_positions);
  uses_[block].exposed_positions = 0;
  dirty_.pop_back();
  clean_.push_back(block);
  return true;
}

void KvBlocks::Keep(int32_t block) {
  Share(block);
  uses_[block].kept = true;
}

void KvBlocks::Unkeep(int32_t block) {
  if (uses_[block].users == 1) --idle_;
  uses_[block].kept = false;
  Drop(block);
}

void KvBlocks::Expose(int32_t block, int32_t positions) {
  int32_t& exposed = uses_[block].exposed_positions;
  exposed = std::max(exposed, positions);
}

void KvBlocks::Zero(int32_t block, int32_t positions) {
  if (changes_ != nullptr) changes_->push_back({-1, block, positions});
  for (size_t layer = 0; layer < views_.size(); ++layer) {
    const KvView& view = views_[layer];
    const size_t bytes = BytesOf(view, static_cast<size_t>(positions) * view.head_dim);
    for (int32_t head = 0; head < view.kv_heads; ++head) {
      const size_t start = BytesOf(view, view.Index(block * view.block_positions, head));
      space_of_[layer]->Zero(view.k + start, bytes);
      space_of_[layer]->Zero(view.v + start, bytes);
    }
  }
}

}  // namespace infer
