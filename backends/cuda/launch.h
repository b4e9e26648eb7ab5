// SPDX-License-Identifier: Apache-2.0
//
// GPU work as plain data: which function runs with which arguments and grid. Pure C++ without the
// driver, so that every decision can be tested by value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "backends/cuda/kernels/args.h"
#include "runtime/kernel.h"

namespace infer::cuda {

struct Grid {
  uint32_t x = 1, y = 1, z = 1;
  bool operator==(const Grid&) const = default;
};

struct Launch {
  std::string_view module;                        // file of backends/cuda/kernels: "linear_q8_0"
  std::string function;                           // "matvec_q8_0_r4s2"
  absl::InlinedVector<std::byte, 256> arguments;  // the struct of kernels/args.h
  Grid blocks;
  uint32_t threads = 0;
  uint32_t shared_bytes = 0;
};

// The batch of a call. Pointers are addresses in the device's memory.
struct DeviceBatch {
  const Batch* host = nullptr;
  const int32_t* token_pos = nullptr;
  const int32_t* token_slot = nullptr;
  const int32_t* out_rows = nullptr;
  const int32_t* token_table = nullptr;  // where the blocks of its sequence begin in block_tables
  const int32_t* block_tables = nullptr;
  uint32_t* counters = nullptr;           // kCounters of them, zero between launches
  uint64_t max_shared_bytes = 99 * 1024;  // of a block; every card has this much
};
inline constexpr uint32_t kCounters = 1 << 16;

// Sequences with this many tokens in a call are prompts: their attention has launches of its own,
// and x is rounded to 16 bits and not to int8.
inline constexpr int64_t kPromptTokens = 16;
inline bool HasPrompt(const Batch& batch) {
  return std::ranges::any_of(batch.sequences, [](const BatchSequence& sequence) {
    return sequence.count >= kPromptTokens;
  });
}
// Calls of up to this many tokens are recorded as graphs. Without a prompt they always make the
// same launches, whatever their sequences and lengths, so that one graph serves them all; a prompt
// alone makes the same launches wherever it begins. A prompt beside other sequences makes launches
// that depend on which tokens are its own.
inline constexpr int64_t kGraphTokens = 64;
inline bool IsRecordable(const Batch& batch) {
  return std::ssize(batch.token_pos) <= kGraphTokens &&
         (batch.sequences.size() == 1 || !HasPrompt(batch));
}

// One kernel of the target `cuda`.
struct CudaKernel {
  KernelInfo info;
  // Adds the modules that `launch` may name for this node.
  void (*modules)(const Node& node, std::vector<std::string_view>& out);
  // Adds the launches of one call, in order.
  void (*launch)(const KernelArgs& args, const DeviceBatch& batch, std::vector<Launch>& out);
  // Computes, once at load, what `launch` finds at KernelArgs::bound. nullptr: nothing.
  std::shared_ptr<const void> (*bind)(const Node& node) = nullptr;
};

// Returns the table, in the order in which placement tries the rows.
std::span<const CudaKernel> CudaKernels();

inline uint32_t CeilDiv(int64_t value, int64_t by) {
  return static_cast<uint32_t>((value + by - 1) / by);
}

template <class T>
T* DeviceAddress(std::byte* data) {
  return reinterpret_cast<T*>(data);
}

// Adds a launch; a grid without blocks runs nothing and is left out.
template <class Args>
void AddLaunch(std::string_view module, std::string function, const Args& args, Grid blocks,
               uint32_t threads, uint64_t shared_bytes, std::vector<Launch>& out) {
  static_assert(std::is_trivially_copyable_v<Args>);
  if (blocks.x == 0 || blocks.y == 0 || blocks.z == 0) return;
  Launch& launch = out.emplace_back();
  launch.module = module;
  launch.function = std::move(function);
  launch.arguments.resize(sizeof args);
  std::memcpy(launch.arguments.data(), &args, sizeof args);
  launch.blocks = blocks;
  launch.threads = threads;
  launch.shared_bytes = static_cast<uint32_t>(shared_bytes);
}

}  // namespace infer::cuda
