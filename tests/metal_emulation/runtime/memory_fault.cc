// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/runtime/memory_fault.h"

#include <signal.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "tests/metal_emulation/runtime/buffer_memory.h"
#include "tests/metal_emulation/runtime/group.h"

namespace infer::emulation {
namespace {

struct sigaction previous_segv, previous_bus;
thread_local const void* fault_address = nullptr;

// Runs on the stack of the fiber that made the access, from its top: the fiber never goes on.
[[noreturn]] void ReportMemoryFault() {
  const Group& group = *current_group;
  // Which line made the access is not known.
  const Site site{group.file->path, group.kernel->line};
  if (group.stacks.IsGuard(fault_address)) Fail(site, "the stack of a thread is used up");
  // One string, which Fail frees: nothing on this stack is ever destroyed.
  std::string text = DescribeAddress(fault_address);
  text.insert(0, "out-of-bounds access: ");
  Fail(site, std::move(text));
}

void ContinueAt(ucontext_t& context, void (*function)(), std::byte* stack_top) {
#if defined(__aarch64__)
  context.uc_mcontext.pc = reinterpret_cast<uintptr_t>(function);
  context.uc_mcontext.sp = reinterpret_cast<uintptr_t>(stack_top);
#elif defined(__x86_64__)
  context.uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(function);
  context.uc_mcontext.gregs[REG_RSP] = reinterpret_cast<greg_t>(stack_top) - 8;
#endif
}

void Handle(int signal, siginfo_t* info, void* raw_context) {
  Group* const group = current_group;
  Thread* const thread = current_thread;
  if (group != nullptr && thread != nullptr && !group->failed) {
    const FiberStack stack = group->stacks.stack(thread->index);
    fault_address = info->si_addr;
    ForgetFrames(stack);
    ContinueAt(*static_cast<ucontext_t*>(raw_context), &ReportMemoryFault, stack.top());
    return;
  }
  const struct sigaction& previous = signal == SIGBUS ? previous_bus : previous_segv;
  if (previous.sa_flags & SA_SIGINFO) return previous.sa_sigaction(signal, info, raw_context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    return previous.sa_handler(signal);
  }
  sigaction(signal, &previous, nullptr);  // the access is made again, and ends the process
}

}  // namespace

void CatchMemoryFaults() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = &Handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous_segv);
    sigaction(SIGBUS, &action, &previous_bus);
  });
}

void PrepareThreadForMemoryFaults() {
  constexpr size_t kBytes = 64 * 1024;
  struct AlternateStack {
    AlternateStack() {
      if (sigaltstack(nullptr, &before) == 0 && !(before.ss_flags & SS_DISABLE)) return;
      memory = std::make_unique<std::byte[]>(kBytes);
      const stack_t stack = {.ss_sp = memory.get(), .ss_flags = 0, .ss_size = kBytes};
      sigaltstack(&stack, nullptr);
    }
    ~AlternateStack() {
      if (memory != nullptr) sigaltstack(&before, nullptr);
    }
    stack_t before = {};
    std::unique_ptr<std::byte[]> memory;
  };
  static thread_local const AlternateStack stack;
  static_cast<void>(stack);
}

}  // namespace infer::emulation
