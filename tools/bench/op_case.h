// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/backend.h"
#include "runtime/kernel_registry.h"
#include "runtime/kv_cache.h"
#include "runtime/zeroed_memory.h"
#include "tools/bench/op_node.h"

namespace infer {

// One kernel with everything it reads and writes, filled with random numbers. If it is cold, each
// call reads another copy of the weights or of the cache; together the copies are larger than the
// last-level cache.
class OpCase {
 public:
  struct Request {
    std::string op;
    OpShape shape;
    Target target = Target::kSimd;
    bool float_activations = false;
    bool cold = false;
    int least_copies = 1;  // of what is read, even if it is not cold
    int steps = 1;         // steps of a run, one after another in one segment, as in a model
    // Whether products write the activation inputs before each step, as in a model: half of a row
    // then comes from another core, and the products' weights evict what the step reads of its own
    // from the nearest caches. Neither happens in a row of equal steps.
    bool fed = false;
    Target writers_on = Target::kSimd;
    bool writers_alone = false;  // run only the products, to time the writing without the op
  };
  // Returns kUnimplemented with the reason if the target has no kernel for it.
  static absl::StatusOr<std::unique_ptr<OpCase>> Create(const Request& request,
                                                        const KernelRegistry& registry);

  // Runs all steps once and waits for them; the next run continues with the next copies.
  void Run();

  const std::string& kernel() const { return kernel_; }
  const std::string& shape_text() const { return op_.shape_text; }
  const Cost& cost() const { return cost_; }
  const SymbolValues& symbols() const { return symbols_; }
  double flops() const { return cost_.flops.At(symbols_); }  // per step
  double bytes() const { return cost_.bytes.At(symbols_); }  // per step: each read or write once
  int copies() const { return static_cast<int>(copies_.size()); }

 private:
  struct Copy {
    std::vector<ZeroedMemory> weights;
    std::unique_ptr<KvCache> cache;
    Batch batch;
    std::vector<Operand> inputs;
    std::vector<Operand> outputs;
    std::unique_ptr<KernelArgs> args;
  };

  OpCase() = default;
  absl::Status FindKernel(const Request& request, const KernelRegistry& registry);
  absl::Status MakeShared();
  absl::Status AddCopy(const KernelRegistry& registry);
  absl::Status MapMemory(const Backend& backend);
  // Copies everything to a device with memory of its own and makes the arguments point there.
  absl::Status MoveTo(MemorySpace& space);
  absl::Status AddSegments(const Request& request, const KernelRegistry& registry);
  absl::Status AddWriters(const Request& request, const KernelRegistry& registry);
  // Allocates the scratch memory for all steps of a segment.
  absl::Status SetScratch(uint64_t stride, int threads);
  absl::StatusOr<Operand> MakeInput(int input, const KernelRegistry& registry, Copy* copy);
  absl::StatusOr<ZeroedMemory> MakeWeight(const TensorType& type, const WeightLayout* layout) const;
  absl::Status MakeCache(const TensorType& type, Copy* copy) const;
  TensorView ViewOf(const ValueType& type, std::byte* data) const;
  int CopiesFor(bool cold) const;

  OpNode op_;
  SymbolValues symbols_;
  std::string kernel_;
  BoundKernel bound_;
  Target target_ = Target::kSimd;
  std::vector<std::string> layouts_;
  Cost cost_;
  ZeroedMemory workspace_;
  ZeroedMemory scratch_;  // for all threads
  uint64_t scratch_stride_ = 0;
  std::vector<ZeroedMemory> tensors_;  // activations and results, shared by all copies
  std::vector<Operand> shared_inputs_;
  std::vector<Operand> outputs_;
  std::vector<Copy> copies_;
  std::unique_ptr<DeviceContext> device_;  // of all of the above
  bool waits_ = false;                     // a run only submits steps to the device
  std::vector<std::unique_ptr<SpaceMemory>> moved_;
  std::vector<std::unique_ptr<OpCase>> writers_;  // write the inputs, if `fed`
  struct BoundSteps {
    std::unique_ptr<CompiledSegment> segment;
    std::vector<KernelArgs> args;  // by step
  };
  std::vector<BoundSteps> segments_;
  size_t next_ = 0;
};

}  // namespace infer
