// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_context.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::cuda {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint64_t kFirstBatchBytes = 64 * 1024;

// Places arrays one after the other, at the same offsets in the staging memory and on the card.
class BatchWriter {
 public:
  BatchWriter(std::byte* staging, DevicePtr device) : staging_(staging), device_(device) {}

  template <class T>
  const T* Add(std::span<const T> values) {
    const uint64_t at = bytes_;
    if (staging_ != nullptr && !values.empty()) {
      std::memcpy(staging_ + at, values.data(), values.size_bytes());
    }
    bytes_ += (values.size_bytes() + kAlignment - 1) / kAlignment * kAlignment;
    return reinterpret_cast<const T*>(device_ + at);
  }
  uint64_t bytes() const { return bytes_; }

 private:
  std::byte* staging_;
  DevicePtr device_;
  uint64_t bytes_ = 0;
};

struct Tables {
  std::vector<int32_t> token_table;
  std::vector<int32_t> blocks;
};

Tables TablesOf(const Batch& batch) {
  Tables tables;
  std::vector<int32_t> first_block;
  for (const BatchSequence& sequence : batch.sequences) {
    first_block.push_back(static_cast<int32_t>(tables.blocks.size()));
    tables.blocks.insert(tables.blocks.end(), sequence.block_table.begin(),
                         sequence.block_table.end());
  }
  for (int32_t sequence : batch.token_seq) tables.token_table.push_back(first_block[sequence]);
  return tables;
}

// Arrays that a recorded graph reads have addresses that do not depend on the call: those whose
// length is bounded by kGraphTokens come first, padded to that.
uint64_t Write(const Batch& batch, const Tables& tables, BatchWriter writer, DeviceBatch* out) {
  auto padded = [](std::span<const int32_t> values) {
    std::vector<int32_t> copy(values.begin(), values.end());
    copy.resize(std::max<size_t>(copy.size(), kGraphTokens));
    return copy;
  };
  out->host = &batch;
  out->token_table = writer.Add<int32_t>(padded(tables.token_table));
  out->token_pos = writer.Add<int32_t>(padded(batch.token_pos));
  out->token_slot = writer.Add<int32_t>(padded(batch.token_slot));
  out->out_rows = writer.Add<int32_t>(padded(batch.out_rows));
  out->block_tables = writer.Add<int32_t>(tables.blocks);
  return writer.bytes();
}

}  // namespace

absl::StatusOr<std::unique_ptr<CudaContext>> CudaContext::Create(
    std::shared_ptr<CudaDevice> device, std::span<const MemorySpan> memory) {
  RETURN_IF_ERROR(device->MakeCurrent());
  const Driver& driver = device->driver();
  auto context = std::unique_ptr<CudaContext>(new CudaContext(device));
  RETURN_IF_ERROR(device->Check(driver.cuStreamCreate(&context->stream_, kStreamNonBlocking),
                                "making a queue"));
  for (EventHandle*& event : context->events_) {
    RETURN_IF_ERROR(device->Check(driver.cuEventCreate(&event, 0), "making an event"));
  }
  RETURN_IF_ERROR(
      device->Check(driver.cuMemAlloc_v2(&context->counters_, kCounters * sizeof(uint32_t)),
                    "allocating counters"));
  RETURN_IF_ERROR(
      device->Check(driver.cuMemsetD8_v2(context->counters_, 0, kCounters * sizeof(uint32_t)),
                    "zeroing counters"));
  RETURN_IF_ERROR(context->Reserve(kFirstBatchBytes));
  // Copies of values are fast from memory that is pinned. If the system allows no more of it, they
  // are merely slower.
  for (const MemorySpan& span : memory) {
    if (span.use != MemorySpan::Use::kActivations || span.bytes.empty()) continue;
    void* data = const_cast<std::byte*>(span.bytes.data());
    if (driver.cuMemHostRegister_v2(data, span.bytes.size(), kHostPortable) == kSuccess) {
      context->registered_ = data;
    }
    break;
  }
  return context;
}

CudaContext::~CudaContext() {
  const Driver& driver = device_->driver();
  device_->MakeCurrent().IgnoreError();
  if (stream_ != nullptr) driver.cuStreamSynchronize(stream_);
  DropGraphs();
  if (registered_ != nullptr) driver.cuMemHostUnregister(registered_);
  if (staging_ != nullptr) driver.cuMemFreeHost(staging_);
  if (batch_memory_ != 0) driver.cuMemFree_v2(batch_memory_);
  if (counters_ != 0) driver.cuMemFree_v2(counters_);
  for (EventHandle* event : events_) {
    if (event != nullptr) driver.cuEventDestroy_v2(event);
  }
  if (stream_ != nullptr) driver.cuStreamDestroy_v2(stream_);
}

void CudaContext::DropGraphs() {
  for (const auto& [key, graph] : graphs_) {
    if (graph != nullptr) device_->driver().cuGraphExecDestroy(graph);
  }
  graphs_.clear();
}

// Makes the batch memory at least this large. Graphs know its address.
absl::Status CudaContext::Reserve(uint64_t bytes) {
  if (bytes <= batch_bytes_) return absl::OkStatus();
  const Driver& driver = device_->driver();
  DropGraphs();
  if (staging_ != nullptr) driver.cuMemFreeHost(staging_);
  if (batch_memory_ != 0) driver.cuMemFree_v2(batch_memory_);
  staging_ = nullptr;
  batch_memory_ = 0;
  const uint64_t size = std::max(bytes, 2 * std::exchange(batch_bytes_, 0));
  RETURN_IF_ERROR(
      device_->Check(driver.cuMemHostAlloc(&staging_, size, 0), "allocating pinned memory"));
  RETURN_IF_ERROR(
      device_->Check(driver.cuMemAlloc_v2(&batch_memory_, size), "allocating memory for a batch"));
  batch_bytes_ = size;
  return absl::OkStatus();
}

absl::Status CudaContext::Begin(const Batch& batch) {
  RETURN_IF_ERROR(device_->MakeCurrent());
  RETURN_IF_ERROR(device_->Settle());
  const Tables tables = TablesOf(batch);
  DeviceBatch measured;
  RETURN_IF_ERROR(Reserve(Write(batch, tables, BatchWriter(nullptr, 0), &measured)));
  const uint64_t bytes =
      Write(batch, tables, BatchWriter(static_cast<std::byte*>(staging_), batch_memory_), &batch_);
  batch_.counters = reinterpret_cast<uint32_t*>(counters_);
  batch_.max_shared_bytes = static_cast<uint64_t>(device_->facts().max_shared_bytes);
  return device_->Check(
      device_->driver().cuMemcpyHtoDAsync_v2(batch_memory_, staging_, bytes, stream_),
      "copying the batch to the card");
}

absl::Status CudaContext::Wait() {
  RETURN_IF_ERROR(device_->MakeCurrent());
  return device_->Check(device_->driver().cuStreamSynchronize(stream_),
                        StrCat("running ", submitted_));
}

}  // namespace infer::cuda
