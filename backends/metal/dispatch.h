// SPDX-License-Identifier: Apache-2.0
//
// GPU work as plain data: which function runs with which constants, arguments, memory and grid.
// Pure C++ without Metal, so that every decision can be tested by value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "runtime/kernel.h"

namespace infer::metal {

// The thresholds for one class of device. Rows of backends/metal/device_classes.def.
struct DeviceClass {
  std::string_view name;              // "base", "max", "generic"
  int64_t matrix_rows = 8;            // minimum rows for matrix-matrix products
  int64_t tile_queries = 8;           // minimum queries for attention in tiles of 8
  int64_t placement_rows = 8;         // minimum rows for `auto` to place a node on metal
  uint64_t command_buffer_flops = 0;  // maximum work of one command buffer; see CutCommandBuffers
};

// A specialised compute function. Equal keys share one pipeline.
struct PipelineKey {
  std::string_view library;                   // base name of the shader file: "linear_q8_0"
  std::string_view function;                  // host name in it: "matvec_q8_0"
  absl::InlinedVector<int32_t, 4> constants;  // values of function constants 0, 1, ...
  uint32_t threads = 0;  // largest group of any dispatch, which the device must support
  bool operator==(const PipelineKey&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const PipelineKey& key) {
    return H::combine(std::move(h), key.library, key.function, key.constants, key.threads);
  }
};

// Memory that a dispatch reads or writes, bound as buffer `index`. The GPU shares the CPU's memory;
// the back end finds the Metal buffer that contains the address.
struct Binding {
  int index = 0;
  const std::byte* data = nullptr;
  uint64_t bytes = 0;
  bool writes = false;
};

struct Grid {
  uint32_t x = 1, y = 1, z = 1;
  bool operator==(const Grid&) const = default;
};

struct Dispatch {
  PipelineKey pipeline;
  absl::InlinedVector<Binding, 10> bindings;  // attention_inputs has ten
  // The argument struct of shaders/args.h, bound as buffer 0; a rotation's angles follow it.
  absl::InlinedVector<std::byte, 128> arguments;
  uint32_t threadgroup_bytes = 0;  // size of [[threadgroup(0)]]; 0: the function has none
  Grid groups;
  Grid threads;  // per group
  uint64_t flops = 0;
};

// The batch of a call in memory that the GPU can read: arrays that the back end has filled.
struct DeviceBatch {
  const std::byte* token_seq = nullptr;     // int32[T]
  const std::byte* token_pos = nullptr;     // int32[T]
  const std::byte* token_slot = nullptr;    // int32[T]
  const std::byte* out_rows = nullptr;      // int32[R]
  const std::byte* sequences = nullptr;     // SequenceArgs[num_sequences] of shaders/args.h
  const std::byte* block_tables = nullptr;  // int32, those of all sequences concatenated
  uint64_t tokens = 0;
  uint64_t rows = 0;
  uint64_t num_sequences = 0;
  uint64_t num_blocks = 0;
  int64_t max_length = 0;  // of the longest sequence
};

// One kernel of the target `metal`.
struct MetalKernel {
  KernelInfo info;
  // Adds every pipeline that `dispatch` may name for this node while the symbols are in their
  // ranges (an unset range allows every value): they are created at load.
  void (*pipelines)(const Node& node, const SymbolRanges& symbols, const DeviceClass& device,
                    std::vector<PipelineKey>& out);
  // Adds the dispatches of one call, in order. Dispatches of one kernel may run concurrently unless
  // one writes what another reads or writes: the back end compares byte ranges.
  void (*dispatch)(const KernelArgs& args, const DeviceBatch& batch, const DeviceClass& device,
                   std::vector<Dispatch>& out);
  // Computes, once at load, what `dispatch` finds at KernelArgs::bound. nullptr: nothing.
  std::shared_ptr<const void> (*bind)(const Node& node) = nullptr;
};

// Returns the table, in the order in which placement tries the rows.
std::span<const MetalKernel> MetalKernels();

// Returns for each dispatch whether it needs a barrier before it: it accesses bytes that a dispatch
// since the last barrier writes, or writes bytes that one of them reads.
std::vector<bool> BarriersBefore(std::span<const Dispatch> dispatches);

// Returns where new command buffers begin: indices into `dispatches`, the first of them 0. A
// command buffer holds at most `max_flops`, unless a single dispatch is larger, so that the
// system's watchdog does not kill it while the display is in use.
std::vector<size_t> CutCommandBuffers(std::span<const Dispatch> dispatches, uint64_t max_flops);

}  // namespace infer::metal
