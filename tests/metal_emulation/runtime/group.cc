// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/runtime/group.h"

#include <cstdlib>
#include <span>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"

namespace infer::emulation {

namespace {

std::string Place(const Site& site) {
  if (site.file == nullptr) return "";
  return StrCat(site.file, ":", site.line, ": ");
}

std::string Who(const Group& group, const Thread* thread) {
  const Dim3& g = group.position;
  std::string who = absl::StrFormat("group (%u, %u, %u)", g.x, g.y, g.z);
  if (thread != nullptr) StrAppend(&who, ", thread ", thread->index);
  return who;
}

void SetFault(Group& group, const Thread* thread, const Site& site, std::string_view text) {
  if (group.failed) return;
  group.failed = true;
  group.fault = StrCat(Place(site), "kernel '", group.kernel->name, "': ", text, " (",
                       Who(group, thread), ")");
}

void ThreadMain() {
  FiberStarted();
  Group& group = *current_group;
  group.kernel->call(group.kernel->parameters.data());
  Thread* const thread = current_thread;
  thread->state = Thread::kReturned;
  --thread->simdgroup->alive;
  --group.alive;
  const Simdgroup& simdgroup = *thread->simdgroup;
  if (simdgroup.arrived > 0) {
    Fail(simdgroup.site, StrCat("lane ", thread->lane, " returned while other lanes wait in ",
                                simdgroup.operation));
  }
  Yield();
  std::abort();  // a thread that returned is never picked again
}

void StartThreads(Group& group) {
  const Dim3 size = group.threads_per_group;
  const uint32_t threads = size.x * size.y * size.z;
  group.size = 0;
  group.at_barrier = 0;
  for (Simdgroup& simdgroup : group.simdgroups) {
    simdgroup.lanes = simdgroup.alive = simdgroup.arrived = 0;
    simdgroup.present.fill(false);
  }
  for (Thread& thread : group.threads) thread.state = Thread::kAbsent;
  for (uint32_t i = 0; i < threads; ++i) {
    Thread& thread = group.threads[i];
    thread.index = i;
    thread.lane = i % kSimdWidth;
    thread.simdgroup_index = i / kSimdWidth;
    thread.simdgroup = &group.simdgroups[thread.simdgroup_index];
    thread.waits_in = "";
    thread.position_in_group = {i % size.x, i / size.x % size.y, i / (size.x * size.y)};
    const Dim3& in = thread.position_in_group;
    thread.position_in_grid = {group.position.x * size.x + in.x, group.position.y * size.y + in.y,
                               group.position.z * size.z + in.z};
    const Dim3& at = thread.position_in_grid;
    const Dim3& grid = group.threads_per_grid;
    if (at.x >= grid.x || at.y >= grid.y || at.z >= grid.z) continue;
    thread.state = Thread::kReady;
    ++thread.simdgroup->lanes;
    ++thread.simdgroup->alive;
    thread.simdgroup->present[thread.lane] = true;
    ++group.size;
    thread.context = NewFiber(group.stacks.stack(i), &ThreadMain);
  }
  group.alive = group.size;
}

// All living threads are at a barrier: lets them go on, or says why they may not.
void ReleaseBarrier(Group& group) {
  const Thread* first = nullptr;
  for (const Thread& thread : group.threads) {
    if (thread.state != Thread::kAtBarrier) continue;
    if (first == nullptr) first = &thread;
    if (!(thread.site == first->site)) {
      return SetFault(group, &thread, thread.site,
                      StrCat("divergent threadgroup_barrier: thread ", first->index,
                             " waits at line ", first->site.line));
    }
  }
  if (group.alive < group.size) {
    return SetFault(group, first, first->site,
                    StrCat("threadgroup_barrier that ", group.size - group.alive,
                           " threads do not reach: they have returned"));
  }
  group.at_barrier = 0;
  for (Thread& thread : group.threads) {
    if (thread.state == Thread::kAtBarrier) thread.state = Thread::kReady;
  }
}

void ReportDeadlock(Group& group) {
  const Thread* barrier = nullptr;
  const Thread* simd = nullptr;
  int waiting = 0;
  for (const Thread& thread : group.threads) {
    if (thread.state == Thread::kAtBarrier) barrier = &thread;
    if (thread.state != Thread::kAtSimdgroup) continue;
    if (simd == nullptr) simd = &thread;
    ++waiting;
  }
  if (simd == nullptr) return SetFault(group, nullptr, {}, "no thread can go on");
  std::string text =
      StrCat("divergent ", simd->waits_in, ": ", waiting, " threads wait in it for ever");
  if (barrier != nullptr) {
    StrAppend(&text, ", others in threadgroup_barrier at line ", barrier->site.line);
  }
  SetFault(group, simd, simd->site, text);
}

// Each of these threads that can go on, to its next wait. False if none could, or one failed.
bool RunOnce(Group& group, std::span<const uint32_t> threads) {
  bool progress = false;
  for (const uint32_t index : threads) {
    Thread& thread = group.threads[index];
    if (thread.state != Thread::kReady) continue;
    progress = true;
    current_thread = &thread;
    ++group.switches;
    SwitchFiber(group.scheduler, thread.context, group.stacks.stack(index));
    if (group.failed) return false;
  }
  return progress;
}

// Until all have returned, or one fails.
void RunThreads(Group& group, Order order, uint32_t seed) {
  const Dim3& at = group.position;
  ThreadOrder threads(order, static_cast<uint32_t>(group.threads.size()),
                      seed * 2654435761u + at.x * 977 + at.y * 131 + 1);
  while (group.alive > 0) {
    threads.Next();
    bool progress = false;
    for (size_t first = 0; first < threads.size() && !group.failed;) {
      const std::span<const uint32_t> part = threads.Part(first);
      bool ran = RunOnce(group, part);
      progress |= ran;
      while (ran && threads.runs_ahead()) ran = RunOnce(group, part);
      first += part.size();
    }
    if (group.failed) return;
    if (group.at_barrier > 0 && group.at_barrier == group.alive) {
      ReleaseBarrier(group);
    } else if (!progress) {
      ReportDeadlock(group);
    }
    if (group.failed) return;
  }
}

}  // namespace

void Yield() {
  Thread* const thread = current_thread;
  SwitchFiber(thread->context, current_group->scheduler, current_group->scheduler_stack);
}

void Fail(const Site& site, std::string text) {
  SetFault(*current_group, current_thread, site, text);
  std::string().swap(text);  // nobody destroys what this stack holds
  for (;;) Yield();          // the scheduler stops at once and never comes back
}

void FailDivergent(const char* operation, const Site& site) {
  const Simdgroup& group = *current_thread->simdgroup;
  if (group.alive != group.lanes) {
    Fail(site, StrCat(operation, " after ", group.lanes - group.alive,
                      " lanes of the simdgroup have returned"));
  }
  Fail(site, StrCat("divergent simdgroup operations: ", operation, " while other lanes are in ",
                    group.operation, " at line ", group.site.line));
}

void ThreadgroupBarrier(const Site& site) {
  Thread* const thread = current_thread;
  thread->site = site;
  thread->waits_in = "threadgroup_barrier";
  if (thread->simdgroup->arrived > 0) FailDivergent("threadgroup_barrier", site);
  ++current_group->at_barrier;
  thread->state = Thread::kAtBarrier;
  Yield();
}

void* ThreadgroupVariable(const void* key, const char* name, size_t bytes, const Site& site) {
  ThreadgroupMemory& memory = current_group->memory;
  if (void* const found = memory.Find(key)) return found;
  if (void* const made = memory.Allocate(key, name, bytes)) return made;
  Fail(site,
       StrCat("threadgroup variable '", name, "' of ", bytes, " bytes beside ", memory.bytes(),
              " others is beyond the ", kMaxThreadgroupBytes, " bytes of a threadgroup"));
}

void RunGroup(Group& group, Order order, uint32_t seed) {
  StartThreads(group);
  RunThreads(group, order, seed);
  if (group.failed) {
    for (const Thread& thread : group.threads) ForgetFrames(group.stacks.stack(thread.index));
    return;
  }
  if (const std::string piece = group.memory.DamagedPiece(); !piece.empty()) {
    SetFault(group, nullptr, {group.file->path, group.kernel->line},
             StrCat("wrote beyond the end of threadgroup memory '", piece, "'"));
  }
}
}  // namespace infer::emulation
