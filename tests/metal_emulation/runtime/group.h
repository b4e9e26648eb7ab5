// SPDX-License-Identifier: Apache-2.0
//
// One threadgroup in execution: a fiber for each thread, all on one OS thread. The functions of the
// shader language that synchronise are built on Arrive and ThreadgroupBarrier.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/metal_emulation/runtime/fiber.h"
#include "tests/metal_emulation/runtime/registry.h"
#include "tests/metal_emulation/runtime/thread_order.h"
#include "tests/metal_emulation/runtime/threadgroup_memory.h"

INFER_RUNTIME_BEGIN
namespace infer::emulation {

inline constexpr int kSimdWidth = 32;
inline constexpr int kMaxBuffers = 31;
inline constexpr int kMaxThreadgroupArguments = 8;

struct Dim3 {
  uint32_t x = 0, y = 0, z = 0;
};

// A place in a shader file.
struct Site {
  const char* file = nullptr;
  int line = 0;
  static constexpr Site Here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
  bool operator==(const Site& other) const {
    return line == other.line &&
           (file == other.file || (file && other.file && !std::strcmp(file, other.file)));
  }
};

struct Simdgroup;

struct Thread {
  enum State : uint8_t { kAbsent, kReady, kAtSimdgroup, kAtBarrier, kReturned };

  FiberContext context;
  State state = kAbsent;
  uint8_t lane = 0;
  uint32_t index = 0;  // in the group
  uint32_t simdgroup_index = 0;
  Simdgroup* simdgroup = nullptr;
  const char* waits_in = "";  // the operation that it waits in
  Site site;
  Dim3 position_in_grid, position_in_group;
};

// Values that lanes hand to each other lie in one of two banks, used in turn: a fast lane may
// arrive at the next operation before a slow one has read its result of this one.
struct Simdgroup {
  static constexpr size_t kSlotBytes = 32;  // the largest value exchanged is a long4

  int lanes = 0;  // that exist
  int alive = 0;  // that have not returned
  int arrived = 0;
  uint64_t generation = 0;
  const char* operation = nullptr;
  Site site;
  std::array<bool, kSimdWidth> present{};
  alignas(16) unsigned char slot[2][kSimdWidth][kSlotBytes];
  alignas(16) unsigned char result[2][kSlotBytes];
  alignas(16) float matrix[2][64];

  int bank() const { return generation & 1; }
};

struct Group {
  std::vector<Thread> threads;
  std::vector<Simdgroup> simdgroups;
  int size = 0;  // threads that exist
  int alive = 0;
  int at_barrier = 0;
  Dim3 position, threads_per_group, groups_per_grid, threads_per_grid;
  ThreadgroupMemory memory;
  std::array<void*, kMaxThreadgroupArguments> threadgroup_arguments{};
  std::byte* const* buffers = nullptr;
  const Kernel* kernel = nullptr;
  const ShaderFile* file = nullptr;
  FiberContext scheduler;
  FiberStack scheduler_stack;
  StackPool stacks;
  uint64_t switches = 0;
  bool failed = false;
  std::string fault;
};

extern thread_local Group* current_group;
extern thread_local Thread* current_thread;

// Lets other threads run; returns when the scheduler picks this one again.
void Yield();

// Ends the whole dispatch with an error that names kernel, place, group and thread.
[[noreturn]] void Fail(const Site& site, std::string text);

[[noreturn]] void FailDivergent(const char* operation, const Site& site);

// Arrives at an operation of the simdgroup; returns once every lane has. `on_last` runs once, in
// the lane that comes last.
template <class F>
inline void Arrive(const char* operation, const Site& site, F&& on_last) {
  Thread* const thread = current_thread;
  Simdgroup& group = *thread->simdgroup;
  thread->site = site;
  thread->waits_in = operation;
  if (group.arrived == 0) {
    group.operation = operation;
    group.site = site;
  }
  if (group.operation != operation || group.site.line != site.line || group.alive != group.lanes) {
    FailDivergent(operation, site);
  }
  if (++group.arrived < group.lanes) {
    thread->state = Thread::kAtSimdgroup;
    Yield();
    return;
  }
  on_last();
  group.arrived = 0;
  ++group.generation;
  Thread* const first = thread - thread->lane;
  for (int lane = 0; lane < kSimdWidth; ++lane) {
    if (first[lane].state == Thread::kAtSimdgroup) first[lane].state = Thread::kReady;
  }
}

// The values that all lanes gave, one slot for each.
template <class T>
inline const unsigned char* Exchange(const char* operation, const T& value, const Site& site) {
  static_assert(sizeof(T) <= Simdgroup::kSlotBytes);
  Simdgroup& group = *current_thread->simdgroup;
  const int bank = group.bank();
  std::memcpy(group.slot[bank][current_thread->lane], &value, sizeof(T));
  Arrive(operation, site, [] {});
  return &group.slot[bank][0][0];
}

template <class T>
inline T SlotValue(const unsigned char* slots, uint32_t lane) {
  T value;
  std::memcpy(&value, slots + (lane & (kSimdWidth - 1)) * Simdgroup::kSlotBytes, sizeof(T));
  return value;
}

void ThreadgroupBarrier(const Site& site);

// The variable of the running group that `key` stands for, made and poisoned when the first thread
// comes to its declaration.
void* ThreadgroupVariable(const void* key, const char* name, size_t bytes, const Site& site);

// Runs all threads of the group to their end, or until one fails: then group.failed is set, and
// the other fibers are left where they stand. No code of a shader has destructors.
void RunGroup(Group& group, Order order, uint32_t seed);

}  // namespace infer::emulation
INFER_RUNTIME_END
