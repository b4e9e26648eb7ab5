// SPDX-License-Identifier: Apache-2.0
#include "runtime/kv_cache.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/checked_math.h"
#include "ir/status_macros.h"
#include "ir/strings.h"

namespace infer {
namespace {

// A layer's K and V each start on a cache line.
constexpr uint64_t kAlignmentBytes = 64;
constexpr int32_t kMaxLayers = 1024;
constexpr int32_t kMaxHeads = 1024;
constexpr int32_t kMaxHeadDim = 1024;
constexpr int32_t kMaxSequences = 4096;
constexpr int64_t kMaxPositions = std::numeric_limits<int32_t>::max();  // slots are 32 bits
// Entries of all block tables together: 64 MiB. Reached by blocks of a few positions only.
constexpr int64_t kMaxTableEntries = 1 << 24;

absl::Status BadOption(std::string_view name, int64_t found, int64_t low, int64_t high) {
  return absl::InvalidArgumentError(
      StrCat("KV cache: ", name, " is ", found, ", expected ", low, " to ", high));
}

absl::Status CheckRange(std::string_view name, int64_t found, int64_t low, int64_t high) {
  if (found >= low && found <= high) return absl::OkStatus();
  return BadOption(name, found, low, high);
}

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

size_t ElementBytes(DType dtype) { return Info(dtype).block_bytes; }

absl::Status CheckOptions(const KvCacheOptions& options) {
  if (options.dtype != DType::kF32 && options.dtype != DType::kF16) {
    return absl::InvalidArgumentError(
        StrCat("--kv-type ", Name(options.dtype), ": expected f32 or f16"));
  }
  RETURN_IF_ERROR(CheckRange("layers", std::ssize(options.layers), 1, kMaxLayers));
  for (const KvLayer& layer : options.layers) {
    RETURN_IF_ERROR(CheckRange("kv_heads", layer.kv_heads, 1, kMaxHeads));
    RETURN_IF_ERROR(CheckRange("head_dim", layer.head_dim, 1, kMaxHeadDim));
  }
  RETURN_IF_ERROR(CheckRange("capacity (-c)", options.capacity, 1, kMaxPositions));
  RETURN_IF_ERROR(CheckRange("block_positions", options.block_positions, 0, kMaxPositions));
  RETURN_IF_ERROR(CheckRange("max_sequences", options.max_sequences, 1, kMaxSequences));
  return CheckRange("max_tokens", options.max_tokens, 1, kMaxPositions);
}

}  // namespace

// The sizes that follow from the options.
struct KvCache::Geometry {
  int64_t block_positions = 0;
  int64_t blocks = 0;
  int64_t sequence_capacity = 0;
  std::vector<uint64_t> offsets;  // bytes: K of layer 0, V of layer 0, K of layer 1, ...
  uint64_t bytes = 0;
};

absl::StatusOr<KvCache::Geometry> KvCache::Plan(const KvCacheOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  Geometry geometry;
  if (options.block_positions == 0) {
    geometry.block_positions = CeilDiv(options.capacity, options.max_sequences);
    geometry.blocks = options.max_sequences;
    geometry.sequence_capacity = geometry.block_positions;
  } else {
    geometry.block_positions = options.block_positions;
    geometry.blocks = CeilDiv(options.capacity, options.block_positions);
    geometry.sequence_capacity = options.capacity;
  }
  RETURN_IF_ERROR(CheckRange("capacity (-c), rounded up to whole blocks,",
                             geometry.blocks * geometry.block_positions, 1, kMaxPositions));
  const int64_t table_entries =
      options.max_sequences * CeilDiv(geometry.sequence_capacity, geometry.block_positions);
  RETURN_IF_ERROR(CheckRange("entries of all block tables", table_entries, 1, kMaxTableEntries));

  std::optional<uint64_t> end = 0;
  for (const KvLayer& layer : options.layers) {
    // Every factor is bounded above, and so is their product: 2^31 * 2^10 * 2^10 * 2^2.
    const uint64_t elements = static_cast<uint64_t>(geometry.blocks * geometry.block_positions) *
                              static_cast<uint64_t>(layer.kv_heads) *
                              static_cast<uint64_t>(layer.head_dim);
    const std::optional<uint64_t> bytes = BytesFor(options.dtype, elements);
    for (int half = 0; half < 2 && end && bytes; ++half) {
      geometry.offsets.push_back(*end);
      end = CheckedAdd(*end, *bytes);
      if (end) end = CheckedAlignUp(*end, kAlignmentBytes);
    }
    if (!end || !bytes) {
      return absl::ResourceExhaustedError(
          StrCat("KV cache of ", options.capacity,
                 " tokens is larger than the address space; lower it with -c"));
    }
  }
  geometry.bytes = *end;
  return geometry;
}

absl::StatusOr<uint64_t> KvCache::PredictBytes(const KvCacheOptions& options) {
  ASSIGN_OR_RETURN(Geometry geometry, Plan(options));
  return geometry.bytes;
}

absl::StatusOr<std::unique_ptr<KvCache>> KvCache::Create(KvCacheOptions options) {
  ASSIGN_OR_RETURN(Geometry geometry, Plan(options));
  absl::StatusOr<ZeroedMemory> memory = ZeroedMemory::Create(geometry.bytes);
  if (!memory.ok()) {
    constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
    return absl::ResourceExhaustedError(absl::StrFormat(
        "KV cache of %d tokens in %s needs %.2f GiB: %s; lower it with -c%s", options.capacity,
        ToAbsl(Name(options.dtype)), static_cast<double>(geometry.bytes) / kGiB,
        memory.status().message(), options.dtype == DType::kF32 ? " or --kv-type f16" : ""));
  }
  return std::unique_ptr<KvCache>(new KvCache(std::move(options), geometry, *std::move(memory)));
}

KvCache::KvCache(KvCacheOptions options, const Geometry& geometry, ZeroedMemory memory)
    : memory_(std::move(memory)),
      capacity_(options.capacity),
      sequence_capacity_(geometry.sequence_capacity),
      block_positions_(static_cast<int32_t>(geometry.block_positions)),
      max_tokens_(options.max_tokens),
      blocks_(static_cast<size_t>(geometry.blocks)),
      sequences_(static_cast<size_t>(options.max_sequences)) {
  layers_.reserve(options.layers.size());
  for (size_t i = 0; i < options.layers.size(); ++i) {
    layers_.push_back({.k = memory_.data() + geometry.offsets[2 * i],
                       .v = memory_.data() + geometry.offsets[2 * i + 1],
                       .dtype = options.dtype,
                       .kv_heads = options.layers[i].kv_heads,
                       .head_dim = options.layers[i].head_dim,
                       .block_positions = block_positions_});
  }
  free_blocks_.reserve(blocks_.size());
  for (size_t i = blocks_.size(); i-- > 0;) free_blocks_.push_back(static_cast<int32_t>(i));
  for (Sequence& sequence : sequences_) {
    sequence.blocks.reserve(static_cast<size_t>(BlocksFor(sequence_capacity_)));
  }
  // A call cannot have more tokens than there are positions.
  const size_t tokens = static_cast<size_t>(
      std::min<int64_t>(max_tokens_, geometry.blocks * geometry.block_positions));
  for (std::vector<int32_t>* list : {&token_seq_, &token_pos_, &token_slot_, &out_rows_}) {
    list->reserve(tokens);
  }
  batch_sequences_.reserve(sequences_.size());
}

absl::StatusOr<SequenceId> KvCache::NewSequence() {
  for (size_t i = 0; i < sequences_.size(); ++i) {
    if (sequences_[i].alive) continue;
    sequences_[i].alive = true;
    return static_cast<SequenceId>(i);
  }
  return absl::ResourceExhaustedError(
      StrCat("KV cache: all ", sequences_.size(), " sequences are in use; release one first"));
}

absl::StatusOr<SequenceId> KvCache::Clone(SequenceId sequence) {
  RETURN_IF_ERROR(CheckAlive(sequence));
  const Sequence& from = sequences_[sequence];
  const size_t full_blocks = static_cast<size_t>(from.length / block_positions_);
  const int32_t rest = from.length % block_positions_;
  if (rest > 0 && free_blocks_.empty()) return Full(from, rest);
  ASSIGN_OR_RETURN(const SequenceId clone, NewSequence());
  Sequence& to = sequences_[clone];
  for (size_t i = 0; i < full_blocks; ++i) {
    ++blocks_[from.blocks[i]].references;
    to.blocks.push_back(from.blocks[i]);
  }
  if (rest > 0) {
    to.blocks.push_back(TakeBlock());
    CopyBlock(from.blocks[full_blocks], to.blocks.back(), rest);
  }
  to.length = from.length;
  return clone;
}

void KvCache::Release(SequenceId sequence) {
  assert(alive(sequence));
  if (!alive(sequence)) return;
  Rewind(sequence, 0);
  sequences_[sequence].alive = false;
}

absl::Status KvCache::Reserve(SequenceId id, int64_t tokens) {
  RETURN_IF_ERROR(CheckAlive(id));
  Sequence& sequence = sequences_[id];
  if (tokens <= sequence.reserved) return absl::OkStatus();
  if (tokens > sequence_capacity_ - sequence.length) return Full(sequence, tokens);
  const int64_t wanted_blocks = BlocksFor(sequence.length + tokens);
  const size_t tail = static_cast<size_t>(sequence.length / block_positions_);
  // Only the block in which the sequence goes on can be shared: a clone's full block, after a
  // Rewind into it. Those after it were reserved by this sequence.
  const bool tail_is_shared =
      tail < sequence.blocks.size() && blocks_[sequence.blocks[tail]].references > 1;
  const int64_t missing = wanted_blocks - std::ssize(sequence.blocks) + (tail_is_shared ? 1 : 0);
  if (missing > std::ssize(free_blocks_)) return Full(sequence, tokens);

  if (tail_is_shared) {
    const int32_t shared = sequence.blocks[tail];
    sequence.blocks[tail] = TakeBlock();
    CopyBlock(shared, sequence.blocks[tail], sequence.length % block_positions_);
    DropBlock(shared);
  }
  while (std::ssize(sequence.blocks) < wanted_blocks) sequence.blocks.push_back(TakeBlock());
  sequence.reserved = static_cast<int32_t>(tokens);
  return absl::OkStatus();
}

void KvCache::Commit(SequenceId id, int64_t tokens) {
  assert(alive(id) && tokens >= 0 && tokens <= sequences_[id].reserved);
  Sequence& sequence = sequences_[id];
  const int32_t committed = static_cast<int32_t>(std::clamp<int64_t>(tokens, 0, sequence.reserved));
  sequence.length += committed;
  sequence.reserved -= committed;
}

void KvCache::Rewind(SequenceId id, int64_t length) {
  assert(alive(id) && length >= 0 && length <= sequences_[id].length);
  Sequence& sequence = sequences_[id];
  sequence.length = static_cast<int32_t>(std::clamp<int64_t>(length, 0, sequence.length));
  sequence.reserved = 0;
  const int64_t kept_blocks = BlocksFor(sequence.length);
  while (std::ssize(sequence.blocks) > kept_blocks) {
    DropBlock(sequence.blocks.back());
    sequence.blocks.pop_back();
  }
}

absl::Status KvCache::MakeBatch(std::span<const BatchRequest> requests, Batch* batch) {
  const absl::Status status = CheckRequests(requests);
  for (const BatchRequest& request : requests) {
    if (alive(request.sequence)) sequences_[request.sequence].in_batch = false;
  }
  RETURN_IF_ERROR(status);
  token_seq_.clear();
  token_pos_.clear();
  token_slot_.clear();
  out_rows_.clear();
  batch_sequences_.clear();
  for (const BatchRequest& request : requests) AppendTokens(request);
  *batch = {.token_seq = token_seq_,
            .token_pos = token_pos_,
            .token_slot = token_slot_,
            .out_rows = out_rows_,
            .sequences = batch_sequences_,
            .block_positions = block_positions_};
  return absl::OkStatus();
}

absl::Status KvCache::CheckRequests(std::span<const BatchRequest> requests) {
  if (requests.empty()) return absl::InvalidArgumentError("KV cache: a call without sequences");
  int64_t tokens = 0;
  for (const BatchRequest& request : requests) {
    RETURN_IF_ERROR(CheckRequest(request));
    sequences_[request.sequence].in_batch = true;
    tokens += request.tokens;
  }
  if (tokens <= max_tokens_) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat("KV cache: a call of ", tokens, " tokens, at most ",
                                           max_tokens_, " allowed; raise it with -ub"));
}

absl::Status KvCache::CheckRequest(const BatchRequest& request) const {
  RETURN_IF_ERROR(CheckAlive(request.sequence));
  const Sequence& sequence = sequences_[request.sequence];
  if (sequence.in_batch) {
    return absl::InvalidArgumentError(
        StrCat("KV cache: sequence ", request.sequence, " is twice in one call"));
  }
  if (request.tokens < 1 || request.tokens > sequence.reserved) {
    return absl::InvalidArgumentError(StrCat("KV cache: sequence ", request.sequence, " brings ",
                                             request.tokens, " tokens, expected 1 to the ",
                                             sequence.reserved, " it has reserved"));
  }
  if (request.logit_rows < 0 || request.logit_rows > request.tokens) {
    return absl::InvalidArgumentError(StrCat("KV cache: sequence ", request.sequence, " wants ",
                                             request.logit_rows, " rows of logits of ",
                                             request.tokens, " tokens"));
  }
  return absl::OkStatus();
}

void KvCache::AppendTokens(const BatchRequest& request) {
  const Sequence& sequence = sequences_[request.sequence];
  const int32_t first_token = static_cast<int32_t>(token_pos_.size());
  const int32_t index = static_cast<int32_t>(batch_sequences_.size());
  for (int32_t i = 0; i < request.tokens; ++i) {
    const int32_t position = sequence.length + i;
    const int32_t physical = sequence.blocks[position / block_positions_];
    const int32_t offset = position % block_positions_;
    Block& block = blocks_[physical];
    assert(block.references == 1);
    block.exposed_positions = std::max(block.exposed_positions, offset + 1);
    token_seq_.push_back(index);
    token_pos_.push_back(position);
    token_slot_.push_back(physical * block_positions_ + offset);
    if (i >= request.tokens - request.logit_rows) out_rows_.push_back(first_token + i);
  }
  const int32_t length = sequence.length + request.tokens;
  const size_t used_blocks = static_cast<size_t>(BlocksFor(length));
  batch_sequences_.push_back({.first_token = first_token,
                              .count = request.tokens,
                              .length = length,
                              .block_table = std::span(sequence.blocks).first(used_blocks)});
}

KvView KvCache::view(int32_t layer) const {
  assert(layer >= 0 && layer < num_layers());
  return layers_[layer];
}

bool KvCache::alive(SequenceId sequence) const {
  return sequence >= 0 && sequence < std::ssize(sequences_) && sequences_[sequence].alive;
}

int64_t KvCache::length(SequenceId sequence) const {
  assert(alive(sequence));
  return sequences_[sequence].length;
}

int64_t KvCache::reserved(SequenceId sequence) const {
  assert(alive(sequence));
  return sequences_[sequence].reserved;
}

absl::Status KvCache::CheckAlive(SequenceId sequence) const {
  if (alive(sequence)) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat("KV cache: there is no sequence ", sequence));
}

absl::Status KvCache::Full(const Sequence& sequence, int64_t tokens) const {
  if (tokens > sequence_capacity_ - sequence.length) {
    return absl::ResourceExhaustedError(StrCat("context of ", sequence_capacity_,
                                               " tokens is full: ", sequence.length, " used, ",
                                               tokens, " more wanted; raise it with -c"));
  }
  const int64_t used = std::ssize(blocks_) - std::ssize(free_blocks_);
  return absl::ResourceExhaustedError(
      StrCat("KV cache of ", capacity_, " tokens is full: ", used, " of ", blocks_.size(),
             " blocks of ", block_positions_, " tokens in use, a sequence of ", sequence.length,
             " tokens wants ", tokens, " more; release a sequence or raise it with -c"));
}

int64_t KvCache::BlocksFor(int64_t positions) const { return CeilDiv(positions, block_positions_); }

int32_t KvCache::TakeBlock() {
  const int32_t block = free_blocks_.back();
  free_blocks_.pop_back();
  blocks_[block].references = 1;
  return block;
}

void KvCache::DropBlock(int32_t block) {
  if (--blocks_[block].references > 0) return;
  ZeroBlock(block, blocks_[block].exposed_positions);
  blocks_[block].exposed_positions = 0;
  free_blocks_.push_back(block);
}

void KvCache::CopyBlock(int32_t from, int32_t to, int32_t positions) {
  blocks_[to].exposed_positions = positions;
  for (const KvView& layer : layers_) {
    const size_t element_bytes = ElementBytes(layer.dtype);
    const size_t bytes = static_cast<size_t>(positions) * layer.head_dim * element_bytes;
    for (int32_t head = 0; head < layer.kv_heads; ++head) {
      const size_t source = layer.Index(from * block_positions_, head) * element_bytes;
      const size_t target = layer.Index(to * block_positions_, head) * element_bytes;
      std::memcpy(layer.k + target, layer.k + source, bytes);
      std::memcpy(layer.v + target, layer.v + source, bytes);
    }
  }
}

void KvCache::ZeroBlock(int32_t block, int32_t positions) {
  for (const KvView& layer : layers_) {
    const size_t element_bytes = ElementBytes(layer.dtype);
    const size_t bytes = static_cast<size_t>(positions) * layer.head_dim * element_bytes;
    for (int32_t head = 0; head < layer.kv_heads; ++head) {
      const size_t target = layer.Index(block * block_positions_, head) * element_bytes;
      std::memset(layer.k + target, 0, bytes);
      std::memset(layer.v + target, 0, bytes);
    }
  }
}

}  // namespace infer
