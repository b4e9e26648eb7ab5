// SPDX-License-Identifier: Apache-2.0
//
// Runs one kernel of a CPU table on values written in a test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backends/cpu/cpu_kernel.h"
#include "runtime/backend.h"
#include "tests/support/aligned_bytes.h"

namespace infer {

// A tensor that owns its memory. The memory is exactly as long as the type requires, so that a
// sanitizer sees every access past its end.
struct TestTensor {
  ValueType type;
  std::vector<std::byte> bytes;

  std::vector<float> floats() const;
  std::vector<int32_t> ints() const;
};

TestTensor F32Tensor(Shape shape, std::vector<float> values);
TestTensor I32Tensor(Shape shape, std::vector<int32_t> values);
TestTensor RawTensor(DType dtype, Shape shape, std::vector<std::byte> bytes);

// Returns numbers between -2 and 2; the same seed gives the same numbers on every machine.
std::vector<float> RandomFloats(int64_t count, uint32_t seed);

// The cache of one layer, filled with a byte pattern that is not a plausible number.
struct TestCache {
  TestCache(DType type, int32_t heads, int32_t head_elements, int32_t positions_per_block,
            int32_t blocks);
  KvView View();

  DType dtype;
  int32_t kv_heads;
  int32_t head_dim;
  int32_t block_positions;
  std::vector<std::byte> k;
  std::vector<std::byte> v;
};

// One call of one kernel. The node is built with the op's own shape rule and passed to the kernel's
// `accepts`. Memory is aligned as the runtime aligns it; workspace and scratch have the size that
// the kernel asks for. Inputs are given in the op's order.
class KernelHarness {
 public:
  // `layouts` are the layouts that kernels of the table may name.
  KernelHarness(std::span<const CpuKernel> table, std::string_view kernel,
                std::span<const WeightLayout> layouts = {});

  KernelHarness& In(TestTensor tensor);
  // Adds a weight: packed if the kernel names a layout that can be packed here, else at an address
  // that a model file may give it, a multiple of 32 but not of 64.
  KernelHarness& Weight(TestTensor tensor);
  KernelHarness& In(TestCache* cache);
  KernelHarness& In(const Batch* batch);
  KernelHarness& Attrs(std::vector<Attr> attrs);
  KernelHarness& At(SymbolValues symbols);

  // Runs all units at once, then one unit at a time from last to first, then (if the op's record
  // allows it) with output 0 in the memory of the input, and (if the kernel's does) with results
  // whose rows lie apart; fails the test unless all runs give the same bits. Units must also touch
  // no more than the kernel's partition says. Returns the results without the caches.
  std::vector<TestTensor> Run();

 private:
  enum class How { kAtOnce, kByUnit, kInPlace, kRowsApart, kOneUnit };
  struct Input {
    ValueType type;
    std::vector<std::byte> bytes;
    TestCache* cache = nullptr;
    bool weight = false;
    AlignedBytes memory = {};  // what the kernel sees
  };

  // `unit` is for kOneUnit, which runs only that unit of the phase that has units of this kind, and
  // overwrites everything that the unit should not read.
  std::vector<TestTensor> RunOnce(How how, const Node& node, int64_t unit = 0);
  // What the kernel has written to `view`.
  static TestTensor ResultOf(const ValueType& type, const TensorView& view,
                             const AlignedBytes& memory);
  void CheckPartition(const Node& node, const std::vector<TestTensor>& expected);
  void DamageOtherParts(const Partition& partition, int64_t unit);
  int64_t num_units_ = 0;  // of the last run
  // Puts the inputs where the kernel reads them.
  void PlaceInputs(const Node& node);
  AlignedBytes PlaceWeight(const Node& node, int input) const;
  TensorView ViewOf(const ValueType& type, std::byte* data) const;
  SymbolRanges Ranges() const;

  const CpuKernel* kernel_ = nullptr;
  std::span<const WeightLayout> layouts_;
  std::vector<Input> inputs_;
  std::vector<Attr> attrs_;
  const Batch* batch_ = nullptr;
  SymbolValues symbols_;
};

}  // namespace infer
