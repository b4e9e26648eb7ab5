// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/metal_memory.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "shaders/args.h"

namespace infer::metal {
namespace {

// Enough for 512 tokens and a table of 8192 blocks; larger batches allocate when they arrive.
constexpr uint64_t kFirstBatchBytes = 64 << 10;
constexpr uint64_t kArrayAlignment = 16;

// The CPU and the GPU share the pages; the back end inserts the barriers itself.
constexpr MTL::ResourceOptions kOptions =
    MTL::ResourceStorageModeShared | MTL::ResourceHazardTrackingModeUntracked;

uint64_t PageBytes() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }
uint64_t RoundUp(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }

std::byte* AddressOf(uintptr_t address) { return reinterpret_cast<std::byte*>(address); }

// Warns once per process, however many buffers are copied.
void WarnOfCopies() {
  static std::atomic<bool> warned = false;
  if (warned.exchange(true)) return;
  std::fputs(
      "metal: warning: the system does not let the GPU use the weights in place; they are "
      "copied and take twice the memory\n",
      stderr);
}

// Lays out arrays one after the other. Without memory it only counts bytes.
class ArrayWriter {
 public:
  explicit ArrayWriter(std::byte* memory) : memory_(memory) {}

  template <class T>
  const std::byte* Add(std::span<const T> values) {
    std::byte* at = Take(values.size_bytes());
    if (memory_ != nullptr && !values.empty()) std::memcpy(at, values.data(), values.size_bytes());
    return at;
  }
  std::byte* Take(uint64_t bytes) {
    std::byte* at = memory_ == nullptr ? nullptr : memory_ + bytes_;
    bytes_ += RoundUp(std::max<uint64_t>(bytes, 1), kArrayAlignment);
    return at;
  }
  uint64_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  uint64_t bytes_ = 0;
};

uint64_t CountBlocks(const Batch& batch) {
  uint64_t blocks = 0;
  for (const BatchSequence& sequence : batch.sequences) blocks += sequence.block_table.size();
  return blocks;
}

void WriteSequences(const Batch& batch, std::byte* sequences, std::byte* tables) {
  int32_t first_block = 0;
  for (const BatchSequence& sequence : batch.sequences) {
    const shader::SequenceArgs made = {sequence.first_token, sequence.count, sequence.length,
                                       first_block};
    std::memcpy(sequences, &made, sizeof(made));
    sequences += sizeof(made);
    const auto table = std::as_bytes(sequence.block_table);
    if (!table.empty()) std::memcpy(tables, table.data(), table.size());
    tables += table.size();
    first_block += static_cast<int32_t>(sequence.block_table.size());
  }
}

// Returns where each array is; `memory` is as in ArrayWriter.
DeviceBatch WriteBatch(const Batch& batch, std::byte* memory, uint64_t* bytes) {
  ArrayWriter writer(memory);
  DeviceBatch made;
  made.token_seq = writer.Add(batch.token_seq);
  made.token_pos = writer.Add(batch.token_pos);
  made.token_slot = writer.Add(batch.token_slot);
  made.out_rows = writer.Add(batch.out_rows);
  made.tokens = batch.token_pos.size();
  made.rows = batch.out_rows.size();
  made.num_sequences = batch.sequences.size();
  made.num_blocks = CountBlocks(batch);
  std::byte* sequences = writer.Take(made.num_sequences * sizeof(shader::SequenceArgs));
  std::byte* tables = writer.Take(made.num_blocks * sizeof(int32_t));
  made.sequences = sequences;
  made.block_tables = tables;
  if (memory != nullptr) WriteSequences(batch, sequences, tables);
  for (const BatchSequence& sequence : batch.sequences) {
    made.max_length = std::max<int64_t>(made.max_length, sequence.length);
  }
  *bytes = writer.bytes();
  return made;
}

}  // namespace

absl::StatusOr<std::unique_ptr<MetalMemory>> MetalMemory::Create(
    std::shared_ptr<MetalDevice> device, std::span<const MemorySpan> spans) {
  Pool pool;
  const DeviceFacts& facts = device->facts();
  const ViewLimits limits = {PageBytes(), facts.max_buffer, ResidencySetBytes(facts.working_set)};
  auto memory = std::unique_ptr<MetalMemory>(new MetalMemory(std::move(device)));
  ASSIGN_OR_RETURN(memory->views_, CutViews(spans, limits));
  std::vector<MTL::Buffer*> buffers;
  for (const ViewRange& view : memory->views_) {
    ASSIGN_OR_RETURN(Ref<MTL::Buffer> buffer, memory->Wrap(view));
    buffers.push_back(buffer.get());
    memory->buffers_.push_back(std::move(buffer));
  }
  memory->device_->residency().Add(buffers);
  RETURN_IF_ERROR(memory->ReserveBatch(kFirstBatchBytes));
  return memory;
}

MetalMemory::~MetalMemory() {
  Pool pool;
  std::vector<MTL::Buffer*> buffers = {batch_.buffer.get()};
  for (const Ref<MTL::Buffer>& buffer : buffers_) buffers.push_back(buffer.get());
  device_->residency().Remove(buffers);
  batch_.buffer.reset();
  buffers_.clear();
}

absl::StatusOr<Ref<MTL::Buffer>> MetalMemory::Wrap(const ViewRange& view) {
  MTL::Device* device = device_->get();
  Ref<MTL::Buffer> buffer =
      Own(device->newBuffer(AddressOf(view.begin), view.bytes, kOptions, nullptr));
  if (!buffer && view.use == MemorySpan::Use::kWeights) {
    buffer = Own(device->newBuffer(AddressOf(view.begin), view.bytes, kOptions));
    if (buffer) copied_bytes_ += view.bytes;
    if (buffer) WarnOfCopies();
  }
  if (buffer) return buffer;
  return absl::ResourceExhaustedError(StrCat("metal: the system refused a buffer of ", view.bytes,
                                             " bytes; place fewer nodes on ",
                                             "metal or make the context shorter"));
}

std::optional<BufferPlace> MetalMemory::Find(const std::byte* data, uint64_t bytes) const {
  const uintptr_t address = reinterpret_cast<uintptr_t>(data);
  const uintptr_t batch_begin = reinterpret_cast<uintptr_t>(batch_.memory.data());
  if (address >= batch_begin && address + bytes <= batch_begin + batch_.memory.bytes()) {
    return BufferPlace{batch_.buffer.get(), address - batch_begin};
  }
  const int view = FindView(views_, address, bytes);
  if (view < 0) return std::nullopt;
  return BufferPlace{buffers_[view].get(), address - views_[view].begin};
}

absl::StatusOr<DeviceBatch> MetalMemory::Upload(const Batch& batch) {
  uint64_t bytes = 0;
  WriteBatch(batch, nullptr, &bytes);
  if (bytes > batch_.memory.bytes()) RETURN_IF_ERROR(ReserveBatch(2 * bytes));
  return WriteBatch(batch, batch_.memory.data(), &bytes);
}

absl::Status MetalMemory::ReserveBatch(uint64_t bytes) {
  BatchMemory made;
  ASSIGN_OR_RETURN(made.memory, ZeroedMemory::Create(RoundUp(bytes, PageBytes())));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(made.memory.data());
  ASSIGN_OR_RETURN(made.buffer, Wrap({begin, made.memory.bytes()}));
  MTL::Buffer* const added = made.buffer.get();
  MTL::Buffer* const outgrown = batch_.buffer.get();
  device_->residency().Add({&added, 1});
  device_->residency().Remove({&outgrown, 1});
  batch_.buffer.reset();  // before the pages that it wraps
  batch_ = std::move(made);
  return absl::OkStatus();
}

}  // namespace infer::metal
