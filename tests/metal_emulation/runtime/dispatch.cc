// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/runtime/dispatch.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "ir/base/strings.h"
#include "oneapi/tbb/info.h"
#include "oneapi/tbb/parallel_for.h"
#include "oneapi/tbb/task_arena.h"
#include "tests/metal_emulation/runtime/memory_fault.h"

namespace infer::emulation {
namespace {

// Below this a second OS thread costs more than it saves: waking one takes about as long as
// running 500 short threads of a kernel.
constexpr uint64_t kMinThreadsPerWorker = 2048;

uint64_t Volume(const Dim3& size) { return uint64_t{size.x} * size.y * size.z; }

Dim3 GridOf(const DispatchRequest& request) {
  if (request.threads_per_grid.x != 0) return request.threads_per_grid;
  const Dim3& groups = request.groups;
  const Dim3& threads = request.threads_per_group;
  return {groups.x * threads.x, groups.y * threads.y, groups.z * threads.z};
}

bool PrimeTo(uint64_t a, uint64_t b) {
  while (b != 0) std::swap(a %= b, b);
  return a == 1;
}

// Prime to the number of groups, so that its multiples come to each group once.
uint64_t StrideFor(uint64_t num_groups, uint32_t seed) {
  uint64_t stride = num_groups / 2 + seed % (num_groups + 1) + 1;
  while (!PrimeTo(stride, num_groups)) ++stride;
  return stride;
}

// What all workers of a dispatch share.
struct Shared {
  Shared(const DispatchRequest& dispatch, uint64_t groups)
      : request(dispatch), num_groups(groups), stride(StrideFor(groups, dispatch.seed)) {
    result.accesses.resize(dispatch.regions.size());
  }

  const DispatchRequest& request;
  const uint64_t num_groups;
  const uint64_t stride;  // in shuffled order
  std::atomic<uint64_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  DispatchResult result;
};

uint64_t GroupIndex(const Shared& shared, uint64_t turn) {
  switch (shared.request.order) {
    case Order::kForward:
      return turn;
    case Order::kReverse:
      return shared.num_groups - 1 - turn;
    case Order::kShuffled:
      return turn * shared.stride % shared.num_groups;
  }
  return turn;
}

// The group object of this OS thread: stacks and memory are kept from one dispatch to the next.
Group& PreparedGroup(const DispatchRequest& request) {
  static thread_local Group group;
  const uint64_t threads = Volume(request.threads_per_group);
  const uint64_t simdgroups = (threads + kSimdWidth - 1) / kSimdWidth;
  group.threads.assign(simdgroups * kSimdWidth, Thread());
  group.simdgroups.resize(simdgroups);
  group.threads_per_group = request.threads_per_group;
  group.groups_per_grid = request.groups;
  group.threads_per_grid = GridOf(request);
  group.scheduler_stack = ThreadStack();
  group.buffers = request.buffers.data();
  group.kernel = request.kernel;
  group.file = request.file;
  group.switches = 0;
  group.failed = false;
  group.fault.clear();
  return group;
}

// False if there is more threadgroup memory than a group can have.
bool AllocateArguments(Group& group, const DispatchRequest& request) {
  group.memory.Clear(request.max_threadgroup_bytes);
  for (const Parameter& parameter : request.kernel->parameters) {
    if (parameter.kind != ParameterKind::kThreadgroup) continue;
    void*& argument = group.threadgroup_arguments[parameter.index];
    argument = group.memory.Allocate(&parameter, parameter.name,
                                     request.threadgroup_bytes[parameter.index]);
    if (argument == nullptr) return false;
  }
  return true;
}

// False if the system has no memory.
bool Reserve(Group& group, AccessTrace& trace, const DispatchRequest& request) {
  if (!group.stacks.Reserve(group.threads.size())) return false;
  return request.regions.empty() || trace.Start(request.regions, group);
}

void Work(Shared& shared) {
  static thread_local AccessTrace trace;
  const DispatchRequest& request = shared.request;
  PrepareThreadForMemoryFaults();
  Group& group = PreparedGroup(request);
  if (!Reserve(group, trace, request)) {
    group.failed = true;
    group.fault = StrCat("no memory for ", group.threads.size(), " threads");
  }
  current_group = &group;
  current_trace = request.regions.empty() ? nullptr : &trace;
  while (!group.failed && !shared.stop.load(std::memory_order_relaxed)) {
    const uint64_t turn = shared.next.fetch_add(1, std::memory_order_relaxed);
    if (turn >= shared.num_groups) break;
    const uint64_t index = GroupIndex(shared, turn);
    group.position = {static_cast<uint32_t>(index % request.groups.x),
                      static_cast<uint32_t>(index / request.groups.x % request.groups.y),
                      static_cast<uint32_t>(index / request.groups.x / request.groups.y)};
    if (!AllocateArguments(group, request)) {
      group.failed = true;
      group.fault = StrCat("kernel '", request.kernel->name, "': more than ",
                           request.max_threadgroup_bytes, " bytes of threadgroup memory");
      break;
    }
    RunGroup(group, request.order, request.seed);
  }
  current_group = nullptr;
  current_thread = nullptr;
  current_trace = nullptr;
  const std::lock_guard lock(shared.mutex);
  if (!request.regions.empty()) trace.Finish(shared.result.accesses);
  shared.result.switches += group.switches;
  if (!group.failed) return;
  shared.stop = true;
  if (shared.result.fault.empty()) shared.result.fault = group.fault;
}

}  // namespace

DispatchResult RunDispatch(const DispatchRequest& request) {
  CatchMemoryFaults();
  const uint64_t num_groups = Volume(request.groups);
  if (num_groups == 0 || Volume(request.threads_per_group) == 0) return {};
  Shared shared(request, num_groups);
  const uint64_t threads = num_groups * Volume(request.threads_per_group);
  const uint64_t useful = std::min(num_groups, threads / kMinThreadsPerWorker);
#if INFER_EMULATION_ONE_WORKER
  const int allowed = 1;
#else
  const int allowed = std::min(request.workers, tbb::info::default_concurrency());
#endif
  const int workers = static_cast<int>(std::min<uint64_t>(allowed, useful));
  if (workers <= 1) {
    Work(shared);
  } else {
    tbb::task_arena arena(workers);
    arena.execute([&] { tbb::parallel_for(0, workers, [&](int) { Work(shared); }); });
  }
  for (RegionAccesses& accesses : shared.result.accesses) {
    Normalize(accesses.reads);
    Normalize(accesses.writes);
  }
  return std::move(shared.result);
}

}  // namespace infer::emulation
