// SPDX-License-Identifier: Apache-2.0
#include "runtime/kv_cache.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <string_view>
#include <utility>

#include "ir/base/advice.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr int32_t kMaxLayers = 1024;
constexpr int32_t kMaxHeads = 1024;
constexpr int32_t kMaxHeadDim = 1024;
constexpr int32_t kMaxSequences = 4096;
constexpr int64_t kMaxPositions = std::numeric_limits<int32_t>::max();  // slots are 32 bits
// Entries of all block tables in total: 64 MiB. Reached only with blocks of a few positions.
constexpr int64_t kMaxTableEntries = 1 << 24;

absl::Status CheckRange(std::string_view name, int64_t found, int64_t low, int64_t high) {
  if (found >= low && found <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("KV cache: ", name, " is ", found, ", expected ", low, " to ", high));
}

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

absl::Status CheckOptions(const KvCacheOptions& options) {
  if (options.dtype != DType::kF32 && options.dtype != DType::kF16 &&
      options.dtype != DType::kQ8_0) {
    return absl::InvalidArgumentError(
        StrCat("KV cache: type ", Name(options.dtype), ", expected f32, f16 or q8_0"));
  }
  RETURN_IF_ERROR(CheckRange("layers", std::ssize(options.layers), 1, kMaxLayers));
  for (const KvLayer& layer : options.layers) {
    RETURN_IF_ERROR(CheckRange("kv_heads", layer.kv_heads, 1, kMaxHeads));
    RETURN_IF_ERROR(CheckRange("head_dim", layer.head_dim, 1, kMaxHeadDim));
    if (layer.head_dim % Info(options.dtype).block_elements != 0) {
      return WithAdvice(absl::InvalidArgumentError(StrCat(
                            "KV cache: heads of ", layer.head_dim, " are not a multiple of the ",
                            Info(options.dtype).block_elements, " elements in a block of ",
                            Name(options.dtype), "; use f16")),
                        {Advice::kKvType});
    }
  }
  RETURN_IF_ERROR(CheckRange("capacity", options.capacity, 1, kMaxPositions));
  RETURN_IF_ERROR(CheckRange("block_positions", options.block_positions, 0, kMaxPositions));
  RETURN_IF_ERROR(CheckRange("sequence_capacity", options.sequence_capacity, 0, options.capacity));
  RETURN_IF_ERROR(CheckRange("max_sequences", options.max_sequences, 1, kMaxSequences));
  return CheckRange("max_tokens", options.max_tokens, 1, kMaxPositions);
}

// The sizes that follow from the options.
struct Geometry {
  int64_t blocks = 0;
  int64_t block_positions = 0;
  int64_t sequence_capacity = 0;
};

absl::StatusOr<Geometry> GeometryOf(const KvCacheOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  Geometry geometry;
  if (options.block_positions == 0) {
    geometry.block_positions = CeilDiv(options.capacity, options.max_sequences);
    geometry.blocks = options.max_sequences;
    geometry.sequence_capacity = geometry.block_positions;
  } else {
    geometry.block_positions = options.block_positions;
    geometry.blocks = CeilDiv(options.capacity, options.block_positions);
    geometry.sequence_capacity =
        options.sequence_capacity == 0 ? options.capacity : options.sequence_capacity;
  }
  RETURN_IF_ERROR(CheckRange("capacity, rounded up to whole blocks,",
                             geometry.blocks * geometry.block_positions, 1, kMaxPositions));
  const int64_t table_entries =
      options.max_sequences * CeilDiv(geometry.sequence_capacity, geometry.block_positions);
  RETURN_IF_ERROR(CheckRange("entries of all block tables", table_entries, 1, kMaxTableEntries));
  return geometry;
}

absl::Status TooLarge(const KvCacheOptions& options, const absl::Status& cause) {
  const bool is_f32 = options.dtype == DType::kF32;
  absl::Status status = absl::ResourceExhaustedError(StrCat(
      "KV cache of ", options.capacity, " tokens in ", Name(options.dtype), " does not fit: ",
      cause.message(), "; use a smaller context", is_f32 ? ", or a cache in f16" : ""));
  if (!is_f32) return WithAdvice(std::move(status), {Advice::kContext});
  return WithAdvice(std::move(status), {Advice::kContext, Advice::kKvType});
}

}  // namespace

absl::StatusOr<uint64_t> KvCache::PredictBytes(const KvCacheOptions& options) {
  ASSIGN_OR_RETURN(const Geometry geometry, GeometryOf(options));
  absl::StatusOr<uint64_t> bytes = KvBlocks::PredictBytes(
      options.layers, options.dtype, geometry.blocks, geometry.block_positions);
  if (!bytes.ok()) return TooLarge(options, bytes.status());
  return bytes;
}

absl::StatusOr<std::unique_ptr<KvCache>> KvCache::Create(const KvCacheOptions& options) {
  ASSIGN_OR_RETURN(const Geometry geometry, GeometryOf(options));
  absl::StatusOr<KvBlocks> blocks =
      KvBlocks::Create(options.layers, options.dtype, geometry.blocks, geometry.block_positions);
  if (!blocks.ok()) return TooLarge(options, blocks.status());
  return std::unique_ptr<KvCache>(
      new KvCache(options, geometry.sequence_capacity, *std::move(blocks)));
}

KvCache::KvCache(const KvCacheOptions& options, int64_t sequence_capacity, KvBlocks blocks)
    : blocks_(std::move(blocks)),
      capacity_(options.capacity),
      sequence_capacity_(sequence_capacity),
      is_paged_(options.block_positions > 0),
      block_positions_(blocks_.block_positions()),
      max_tokens_(options.max_tokens),
      sequences_(static_cast<size_t>(options.max_sequences)) {
  for (Sequence& sequence : sequences_) {
    sequence.blocks.reserve(static_cast<size_t>(BlocksFor(sequence_capacity_)));
  }
  // A call cannot have more tokens than there are positions.
  const size_t tokens =
      static_cast<size_t>(std::min<int64_t>(max_tokens_, blocks_.num_blocks() * block_positions_));
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

absl::StatusOr<SequenceId> KvCache::NewSequence(std::span<const int32_t> blocks, int64_t length) {
  assert(std::ssize(blocks) == BlocksFor(length));
  ASSIGN_OR_RETURN(const SequenceId id, NewSequence());
  Sequence& sequence = sequences_[id];
  for (const int32_t block : blocks) {
    blocks_.Share(block);
    sequence.blocks.push_back(block);
  }
  sequence.length = static_cast<int32_t>(length);
  return id;
}

absl::StatusOr<SequenceId> KvCache::Clone(SequenceId sequence) {
  RETURN_IF_ERROR(CheckAlive(sequence));
  const Sequence& from = sequences_[sequence];
  const size_t full_blocks = static_cast<size_t>(from.length / block_positions_);
  const int32_t rest = from.length % block_positions_;
  if (rest > 0 && blocks_.num_free() == 0) return Full(from, rest);
  ASSIGN_OR_RETURN(const SequenceId clone, NewSequence());
  Sequence& to = sequences_[clone];
  for (size_t i = 0; i < full_blocks; ++i) {
    blocks_.Share(from.blocks[i]);
    to.blocks.push_back(from.blocks[i]);
  }
  if (rest > 0) to.blocks.push_back(blocks_.TakeCopy(from.blocks[full_blocks], rest));
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
  if (MissingBlocks(id, tokens) > blocks_.num_free()) return Full(sequence, tokens);

  const int64_t wanted_blocks = BlocksFor(sequence.length + tokens);
  const size_t tail = static_cast<size_t>(sequence.length / block_positions_);
  if (TailIsShared(sequence)) {
    const int32_t shared = sequence.blocks[tail];
    sequence.blocks[tail] = blocks_.TakeCopy(shared, sequence.length % block_positions_);
    blocks_.Drop(shared);
  }
  while (std::ssize(sequence.blocks) < wanted_blocks) sequence.blocks.push_back(blocks_.Take());
  sequence.reserved = static_cast<int32_t>(tokens);
  return absl::OkStatus();
}

// Only the block in which the sequence continues can be shared: one that a clone or the cache of
// prefixes uses too, after a Rewind into it or a match that ends in it. Later blocks were reserved
// by this sequence.
bool KvCache::TailIsShared(const Sequence& sequence) const {
  const size_t tail = static_cast<size_t>(sequence.length / block_positions_);
  return tail < sequence.blocks.size() && blocks_.shared(sequence.blocks[tail]);
}

int64_t KvCache::MissingBlocks(SequenceId id, int64_t tokens) const {
  assert(alive(id));
  const Sequence& sequence = sequences_[id];
  if (tokens <= sequence.reserved) return 0;
  return BlocksFor(sequence.length + tokens) - std::ssize(sequence.blocks) +
         (TailIsShared(sequence) ? 1 : 0);
}

void KvCache::ReplaceBlock(SequenceId id, size_t index, int32_t block) {
  int32_t& own = sequences_[id].blocks[index];
  if (own == block) return;
  blocks_.Share(block);
  blocks_.Drop(own);
  own = block;
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
    blocks_.Drop(sequence.blocks.back());
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
  if (requests.empty()) return absl::InvalidArgumentError("KV cache: a call needs a sequence");
  int64_t tokens = 0;
  for (const BatchRequest& request : requests) {
    RETURN_IF_ERROR(CheckRequest(request));
    sequences_[request.sequence].in_batch = true;
    tokens += request.tokens;
  }
  if (tokens <= max_tokens_) return absl::OkStatus();
  return WithAdvice(
      absl::InvalidArgumentError(StrCat("KV cache: a call of ", tokens, " tokens, at most ",
                                        max_tokens_, " allowed; raise the tokens per call")),
      {Advice::kChunk});
}

absl::Status KvCache::CheckRequest(const BatchRequest& request) const {
  RETURN_IF_ERROR(CheckAlive(request.sequence));
  const Sequence& sequence = sequences_[request.sequence];
  if (sequence.in_batch) {
    return absl::InvalidArgumentError(
        StrCat("KV cache: sequence ", request.sequence, " appears twice in one call"));
  }
  if (request.tokens < 1 || request.tokens > sequence.reserved) {
    return absl::InvalidArgumentError(StrCat("KV cache: sequence ", request.sequence, " has ",
                                             request.tokens, " tokens in the call, expected 1 to ",
                                             sequence.reserved, ", its reservation"));
  }
  if (request.logit_rows < 0 || request.logit_rows > request.tokens) {
    return absl::InvalidArgumentError(StrCat("KV cache: sequence ", request.sequence, " asks for ",
                                             request.logit_rows, " rows of logits, expected 0 to ",
                                             request.tokens, ", its tokens in the call"));
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
    assert(!blocks_.shared(physical));
    blocks_.Expose(physical, offset + 1);
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
  return absl::InvalidArgumentError(StrCat("KV cache: no sequence ", sequence));
}

absl::Status KvCache::Full(const Sequence& sequence, int64_t tokens) const {
  if (tokens > sequence_capacity_ - sequence.length) {
    return WithAdvice(absl::ResourceExhaustedError(StrCat(
                          "context of ", sequence_capacity_, " tokens is full: ", sequence.length,
                          " used, ", tokens, " more requested; use a larger context")),
                      {Advice::kContext});
  }
  const int64_t used = blocks_.num_blocks() - blocks_.num_free();
  return WithAdvice(
      absl::ResourceExhaustedError(
          StrCat("KV cache of ", capacity_, " tokens is full: ", used, " of ", blocks_.num_blocks(),
                 " blocks of ", block_positions_, " tokens in use, a sequence of ", sequence.length,
                 " tokens needs ", tokens, " more; release a sequence or use a larger context")),
      {Advice::kContext});
}

int64_t KvCache::BlocksFor(int64_t positions) const { return CeilDiv(positions, block_positions_); }

}  // namespace infer
