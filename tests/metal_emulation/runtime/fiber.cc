// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/runtime/fiber.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tests/metal_emulation/runtime/poison.h"

#if INFER_EMULATION_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

extern "C" void infer_emulation_switch(void** save, void* load);

namespace infer::emulation {
namespace {

#if INFER_EMULATION_ASAN
// Frames have redzones, and a report is printed from the fiber's own stack.
constexpr size_t kStackBytes = 256 * 1024;
#else
// The largest kernel, a tile of attention with its accumulators, uses under 8 KiB; printing a fault
// from within it 12 KiB more.
constexpr size_t kStackBytes = 64 * 1024;
#endif

constexpr size_t kLastFrames = 4096;

size_t PageBytes() {
  static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// Distance of two stacks: the guard page and the stack.
size_t Stride() { return kStackBytes + PageBytes(); }

// Behind the last stack a window in which no buffer may come to lie: accesses there would be taken
// for those of variables.
size_t MappedBytes(size_t stacks) {
  return stacks * Stride() + std::max(PageBytes(), kFrameWindow);
}

}  // namespace

FiberContext NewFiber(const FiberStack& stack, void (*entry)()) {
  // Frames of a fiber that came to its end: its entry and the change, which never return.
  Unpoison(stack.top() - kLastFrames, kLastFrames);
#if defined(__aarch64__)
  constexpr size_t kFrame = 160;  // x29, x30, x19-x28, d8-d15: 20 registers
  std::byte* const sp = stack.top() - kFrame;
  std::memset(sp, 0, kFrame);
  std::memcpy(sp + 8, &entry, sizeof entry);  // x30
#elif defined(__x86_64__)
  // rbp, rbx, r12-r15 and the address that `ret` takes. One word more below the top, so that the
  // stack is 8 bytes off a multiple of 16 when `entry` begins, as after a call.
  constexpr size_t kFrame = 6 * 8 + 8 + 8;
  std::byte* const sp = stack.top() - kFrame;
  std::memset(sp, 0, kFrame);
  std::memcpy(sp + 6 * 8, &entry, sizeof entry);
#else
#error "no fiber switch for this processor: write one here and in fiber_switch.cc"
#endif
  return FiberContext{.stack_pointer = sp};
}

void SwitchFiber(FiberContext& from, const FiberContext& to, const FiberStack& stack) {
#if INFER_EMULATION_ASAN
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, stack.bottom, stack.bytes);
#else
  static_cast<void>(stack);
#endif
  infer_emulation_switch(&from.stack_pointer, to.stack_pointer);
#if INFER_EMULATION_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

void FiberStarted() {
#if INFER_EMULATION_ASAN
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
}

FiberStack ThreadStack() {
  static thread_local const FiberStack stack = [] {
    pthread_attr_t attributes;
    void* bottom = nullptr;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      pthread_attr_getstack(&attributes, &bottom, &bytes);
      pthread_attr_destroy(&attributes);
    }
    return FiberStack{.bottom = static_cast<std::byte*>(bottom), .bytes = bytes};
  }();
  return stack;
}

StackPool::~StackPool() {
  if (memory_ != nullptr) munmap(memory_, MappedBytes(count_));
}

bool StackPool::Reserve(size_t count) {
  if (count <= count_) return true;
  void* const memory = mmap(nullptr, MappedBytes(count), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  for (size_t i = 0; i < count; ++i) {
    mprotect(static_cast<std::byte*>(memory) + i * Stride(), PageBytes(), PROT_NONE);
  }
  mprotect(static_cast<std::byte*>(memory) + count * Stride(),
           MappedBytes(count) - count * Stride(), PROT_NONE);
  if (memory_ != nullptr) munmap(memory_, MappedBytes(count_));
  memory_ = static_cast<std::byte*>(memory);
  count_ = count;
  return true;
}

size_t StackPool::bytes() const { return count_ * Stride(); }

FiberStack StackPool::stack(size_t index) const {
  return {.bottom = memory_ + index * Stride() + PageBytes(), .bytes = kStackBytes};
}

void ForgetFrames(const FiberStack& stack) { Unpoison(stack.bottom, stack.bytes); }

bool StackPool::IsGuard(const void* address) const {
  const auto* const byte = static_cast<const std::byte*>(address);
  if (byte < memory_ || byte >= memory_ + count_ * Stride()) return false;
  return static_cast<size_t>(byte - memory_) % Stride() < PageBytes();
}

}  // namespace infer::emulation
