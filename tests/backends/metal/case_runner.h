// SPDX-License-Identifier: Apache-2.0
//
// Runs conformance cases through the back end: on the software device, or on the GPU of a Mac.
#pragma once

#include "backends/metal/dispatch.h"
#include "runtime/backend.h"
#include "tests/backends/metal/case_memory.h"
#ifdef INFER_TEST_EMULATION
#include "tests/metal_emulation/emulation.h"
#endif

namespace infer::metal {

#ifdef INFER_TEST_EMULATION
inline constexpr bool kEmulated = true;

// Threads, groups and dispatches without a barrier between them in this order.
using emulation::Order;
inline constexpr Order kOrders[] = {Order::kForward, Order::kReverse, Order::kShuffled};

class WithOrder {
 public:
  explicit WithOrder(Order order) : settings_(Changed(order)) {}
  ~WithOrder();  // nothing was misused meanwhile

 private:
  static emulation::Settings Changed(Order order);
  emulation::ScopedSettings settings_;
};
#else
inline constexpr bool kEmulated = false;
enum class Order { kDevice };
inline constexpr Order kOrders[] = {Order::kDevice, Order::kDevice};  // the second may be in place
class WithOrder {
 public:
  explicit WithOrder(Order) {}
};
#endif

const Backend& Metal();

// Whether the kernel takes the node of the case.
bool Takes(const KernelInfo& kernel, const conformance::ConformanceCase& c);

// One step over the memory, which may be told other arguments than its own.
absl::Status RunStep(const CaseMemory& memory, const KernelArgs& args, const Node& node,
                     const KernelInfo& kernel);

// What the kernel computes; a failure of the running test if it does not run.
conformance::CaseResult RunOnMetal(const conformance::ConformanceCase& c,
                                   const conformance::CaseData& data, const Node& node,
                                   const KernelInfo& kernel, Place place);

}  // namespace infer::metal
