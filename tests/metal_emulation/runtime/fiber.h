// SPDX-License-Identifier: Apache-2.0
//
// Stacks, and changing from one to another. A fiber stays on the OS thread that started it.
#pragma once

#include <cstddef>

namespace infer::emulation {

// Where a fiber that is not running goes on: its stack pointer, with the registers that a called
// function must keep on top of its stack.
struct FiberContext {
  void* stack_pointer = nullptr;
};

// The memory that a fiber runs on. Below `bottom` lies a page that must not be touched.
struct FiberStack {
  std::byte* bottom = nullptr;
  size_t bytes = 0;
  std::byte* top() const { return bottom + bytes; }
};

// A fiber that begins in `entry`, which must not return.
FiberContext NewFiber(const FiberStack& stack, void (*entry)());

// Saves the running one into `from` and goes on with `to`, which runs on `stack`. AddressSanitizer
// is told of the change.
void SwitchFiber(FiberContext& from, const FiberContext& to, const FiberStack& stack);

// Tells AddressSanitizer that a fiber which stands in the middle of its work never goes on.
void ForgetFrames(const FiberStack& stack);

// To be called first thing in `entry`.
void FiberStarted();

// The stack of the calling OS thread, to be given to SwitchFiber when a fiber hands back to it.
FiberStack ThreadStack();

// Above the frame of a call from a shader lie the shader's variables, and so close to it nothing
// else.
inline constexpr size_t kFrameWindow = 8192;

// Stacks of one OS thread, kept from one group of threads to the next.
class StackPool {
 public:
  StackPool() = default;
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool();

  // Makes stacks 0 .. count-1 usable. False if the system has no memory for them. Never call it
  // while a fiber is alive on one of them.
  bool Reserve(size_t count);
  FiberStack stack(size_t index) const;
  bool IsGuard(const void* address) const;
  // All stacks, with their guards.
  const std::byte* begin() const { return memory_; }
  size_t bytes() const;

 private:
  std::byte* memory_ = nullptr;
  size_t count_ = 0;
};

}  // namespace infer::emulation
