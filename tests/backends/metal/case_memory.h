// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "runtime/backend.h"
#include "runtime/kernel.h"
#include "tests/backends/conformance/reference.h"

namespace infer::metal {

// Bytes between two pages that nobody may touch, as near to the second as their alignment lets
// them. With AddressSanitizer, what is left between them and the pages is poisoned, so that it sees
// the first byte too many on either side.
class GuardedBytes {
 public:
  // They begin `offset` bytes, less than 16, behind a multiple of 16.
  GuardedBytes(size_t size, std::byte fill, size_t offset = 0);
  explicit GuardedBytes(std::span<const std::byte> bytes, size_t offset = 0);
  GuardedBytes(GuardedBytes&& other) noexcept;
  GuardedBytes& operator=(GuardedBytes&&) = delete;
  ~GuardedBytes();

  std::byte* data() const { return data_; }
  std::span<std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte* pages_ = nullptr;
  size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

enum class Place : bool { kApart, kInPlace };

// The memory of one call of a conformance case. In place: result 0 is the input that its op names.
class CaseMemory {
 public:
  CaseMemory(const conformance::ConformanceCase& c, const conformance::CaseData& data,
             const Node& node, Place place);
  CaseMemory(const CaseMemory&) = delete;
  CaseMemory& operator=(const CaseMemory&) = delete;

  const KernelArgs& args() const { return args_; }
  std::vector<MemorySpan> spans() const;
  // What the memory holds now.
  conformance::CaseResult Result() const;

 private:
  TensorView ViewOf(const ValueType& type, std::byte* memory) const;
  std::byte* Add(std::span<const std::byte> bytes, MemorySpan::Use use);

  const Node& node_;
  const conformance::CaseData& data_;
  std::vector<GuardedBytes> memory_;
  std::vector<MemorySpan::Use> uses_;  // by memory
  std::vector<Operand> inputs_, outputs_;
  std::vector<Attr> attrs_;
  KernelArgs args_;
};

}  // namespace infer::metal
