// SPDX-License-Identifier: Apache-2.0
#include "tests/backends/metal/case_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "ir/graph/op_def.h"
#include "tests/metal_emulation/runtime/poison.h"

namespace infer::metal {
namespace {

using conformance::Arg;
using conformance::CaseData;
using conformance::CaseInput;
using conformance::CaseResult;

constexpr std::byte kUnwritten{0xA5};  // an element that nobody wrote is in no expectation
// Less than the runtime's, so that the end is near the page's.
constexpr size_t kAlignment = 16;
// A file may be aligned to no more than 8 bytes (kMinAlignment of frontends/gguf/limits.h).
constexpr size_t kWeightOffset = 8;

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

GuardedBytes::GuardedBytes(size_t size, std::byte fill, size_t offset) : size_(size) {
  const size_t page = PageBytes();
  const size_t inside = std::max<size_t>((size + offset + page - 1) / page, 1) * page;
  mapped_ = inside + 2 * page;
  void* pages = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) std::abort();
  pages_ = static_cast<std::byte*>(pages);
  std::byte* const first = pages_ + page;
  std::byte* const end = first + inside;
  if (mprotect(pages_, page, PROT_NONE) != 0 || mprotect(end, page, PROT_NONE) != 0) std::abort();
  data_ = first + (inside - size - offset) / kAlignment * kAlignment + offset;
  std::memset(data_, std::to_integer<int>(fill), size);
  emulation::Poison(first, data_ - first);
  emulation::Poison(data_ + size, end - data_ - size);
}

GuardedBytes::GuardedBytes(std::span<const std::byte> bytes, size_t offset)
    : GuardedBytes(bytes.size(), std::byte{0}, offset) {
  if (!bytes.empty()) std::memcpy(data_, bytes.data(), bytes.size());
}

GuardedBytes::GuardedBytes(GuardedBytes&& other) noexcept
    : pages_(std::exchange(other.pages_, nullptr)),
      mapped_(other.mapped_),
      data_(other.data_),
      size_(other.size_) {}

GuardedBytes::~GuardedBytes() {
  if (pages_ == nullptr) return;
  emulation::Unpoison(pages_, mapped_);
  munmap(pages_, mapped_);
}

std::byte* CaseMemory::Add(std::span<const std::byte> bytes, MemorySpan::Use use) {
  uses_.push_back(use);
  const bool weight = use == MemorySpan::Use::kWeights;
  return memory_.emplace_back(bytes, weight ? kWeightOffset : 0).data();
}

TensorView CaseMemory::ViewOf(const ValueType& type, std::byte* memory) const {
  TensorView view = {.data = memory, .dtype = type.tensor.dtype, .rank = type.rank()};
  for (int axis = 0; axis < view.rank; ++axis) view.dims[axis] = type.dim(axis).At(data_.symbols);
  return view;
}

CaseMemory::CaseMemory(const conformance::ConformanceCase& c, const CaseData& data,
                       const Node& node, Place place)
    : node_(node), data_(data), attrs_(c.attrs) {
  for (const CaseInput& input : data.inputs) {
    Operand& operand = inputs_.emplace_back();
    if (input.kind == Arg::Kind::kBatch) continue;
    if (input.kind == Arg::Kind::kCache) {
      TestCache cache = *data.cache;
      operand.kv = cache.View();
      operand.kv.k = Add(cache.k, MemorySpan::Use::kCache);
      operand.kv.v = Add(cache.v, MemorySpan::Use::kCache);
      continue;
    }
    const bool weight = input.kind == Arg::Kind::kWeight;
    operand.tensor =
        ViewOf(input.tensor.type, Add(input.tensor.bytes, weight ? MemorySpan::Use::kWeights
                                                                 : MemorySpan::Use::kActivations));
  }
  for (const ValueType& type : node.ResultTypes()) {
    if (!type.is_tensor()) {
      outputs_.push_back(inputs_[node.op().traits.aliases_input]);
      continue;
    }
    const std::vector<std::byte> empty(BytesAt(type.tensor, data.symbols).value(), kUnwritten);
    outputs_.push_back({ViewOf(type, Add(empty, MemorySpan::Use::kActivations)), {}});
  }
  if (place == Place::kInPlace) {
    outputs_[0].tensor.data = inputs_[node.op().traits.in_place_input].tensor.data;
  }
  args_ = {inputs_, outputs_, attrs_, &data.batch.batch(), nullptr, nullptr};
}

std::vector<MemorySpan> CaseMemory::spans() const {
  std::vector<MemorySpan> spans;
  for (size_t i = 0; i < memory_.size(); ++i) spans.push_back({uses_[i], memory_[i].bytes()});
  return spans;
}

CaseResult CaseMemory::Result() const {
  CaseResult result = {{}, data_.cache};
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const ValueType& type = node_.result(static_cast<int>(i)).type;
    if (!type.is_tensor()) continue;
    const std::byte* from = outputs_[i].tensor.data;
    const size_t bytes = BytesAt(type.tensor, data_.symbols).value();
    result.tensors.push_back({type, {from, from + bytes}});
  }
  for (const Operand& input : inputs_) {
    if (input.kv.k == nullptr) continue;
    std::memcpy(result.cache->k.data(), input.kv.k, result.cache->k.size());
    std::memcpy(result.cache->v.data(), input.kv.v, result.cache->v.size());
  }
  return result;
}

}  // namespace infer::metal
