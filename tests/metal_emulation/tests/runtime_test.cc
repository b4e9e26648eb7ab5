// SPDX-License-Identifier: Apache-2.0
//
// Fibers, groups and their memory without shaders: kernels here are C++ functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/metal_emulation/runtime/buffer_memory.h"
#include "tests/metal_emulation/runtime/dispatch.h"
#include "tests/metal_emulation/runtime/fiber.h"
#include "tests/metal_emulation/runtime/threadgroup_memory.h"

namespace infer::emulation {
namespace {

using ::testing::HasSubstr;

FiberContext main_context, fiber_context;
double sum_of_fiber = 0;

// Keeps more live values than there are registers, of both kinds, across every change.
void CountOnFiber() {
  FiberStarted();
  std::array<double, 24> reals;
  std::array<long, 24> integers;
  for (size_t i = 0; i < 24; ++i)
    reals[i] = 0.5 * static_cast<double>(i), integers[i] = static_cast<long>(i);
  for (;;) {
    SwitchFiber(fiber_context, main_context, ThreadStack());
    sum_of_fiber = 0;
    for (size_t i = 0; i < 24; ++i) {
      reals[i] += 1;
      integers[i] += 1;
      sum_of_fiber += reals[i] + static_cast<double>(integers[i]);
    }
  }
}

TEST(Fiber, RegistersSurviveTheChange) {
  StackPool stacks;
  ASSERT_TRUE(stacks.Reserve(2));
  fiber_context = NewFiber(stacks.stack(1), &CountOnFiber);
  double here = 1.25;
  long count = 0;
  for (int i = 0; i < 1000; ++i) {
    here *= 1.001;
    ++count;
    SwitchFiber(main_context, fiber_context, stacks.stack(1));
    if (i == 0) continue;  // it has only begun
    EXPECT_EQ(sum_of_fiber, 24 * 23 / 2 * 1.5 + 48.0 * i);
  }
  EXPECT_EQ(count, 1000);
  EXPECT_NEAR(here, 1.25 * std::pow(1.001, 1000), 1e-9);
}

TEST(StackPool, StacksDoNotOverlapAndHaveGuards) {
  StackPool stacks;
  ASSERT_TRUE(stacks.Reserve(3));
  for (size_t i = 0; i < 3; ++i) {
    const FiberStack stack = stacks.stack(i);
    stack.bottom[0] = stack.top()[-1] = std::byte{1};
    EXPECT_TRUE(stacks.IsGuard(stack.bottom - 1));
    EXPECT_FALSE(stacks.IsGuard(stack.bottom));
    if (i == 0) continue;
    EXPECT_GE(stack.bottom, stacks.stack(i - 1).top());
  }
}

TEST(ThreadgroupMemory, PiecesArePoisonedAndGuarded) {
  ThreadgroupMemory memory;
  const int key_a = 0, key_b = 0;
  auto* const a = static_cast<unsigned char*>(memory.Allocate(&key_a, "a", 100));
  auto* const b = static_cast<unsigned char*>(memory.Allocate(&key_b, "b", 16));
  EXPECT_EQ(memory.Find(&key_a), a);
  EXPECT_EQ(memory.Find(&key_b), b);
  EXPECT_EQ(a[99], 0xFF);
  EXPECT_EQ(memory.bytes(), 112u + 16u);
  EXPECT_EQ(memory.DamagedPiece(), "");
  memory.Clear();
  EXPECT_EQ(memory.Find(&key_a), nullptr);
}

TEST(ThreadgroupMemory, HoldsWhatAGroupMayHave) {
  ThreadgroupMemory memory;
  const int key = 0;
  EXPECT_NE(memory.Allocate(&key, "a", 32768 - 16), nullptr);
  EXPECT_NE(memory.Allocate(&key, "b", 16), nullptr);
  EXPECT_EQ(memory.Allocate(&key, "c", 1), nullptr);
}

TEST(BufferMemory, EndsAtItsGuard) {
  const BufferMemory memory(100);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % kBufferAlignment, 0u);
  EXPECT_EQ(DescribeAddress(memory.data() + 128),
            "28 bytes beyond the end of a buffer of 100 bytes");
  EXPECT_EQ(DescribeAddress(memory.data() - 64), "64 bytes before a buffer of 100 bytes");
  EXPECT_THAT(DescribeAddress(nullptr), HasSubstr("in no buffer"));
}

// Writes, in turn, the index of each thread that comes to it.
void RecordOrder(const Parameter*) {
  auto* const out = reinterpret_cast<uint32_t*>(current_group->buffers[0]);
  out[++out[0]] = current_thread->index + 64 * current_group->position.x;
}

std::vector<uint32_t> OrderOf(Order order, uint32_t seed) {
  const std::array<Parameter, 1> parameters = {{{ParameterKind::kBuffer, 0, "out"}}};
  const std::array<ParameterType, 1> types = {};
  const Kernel kernel = {"record", &RecordOrder, parameters, types, {}, 1024, 1};
  const ShaderFile file = {"none.metal", 0, {&kernel, 1}, {}};
  std::vector<uint32_t> out(1 + 64 * 4);
  DispatchRequest request;
  request.file = &file;
  request.kernel = &kernel;
  request.buffers[0] = reinterpret_cast<std::byte*>(out.data());
  request.groups = {4, 1, 1};
  request.threads_per_group = {64, 1, 1};
  request.order = order;
  request.seed = seed;
  EXPECT_EQ(RunDispatch(request).fault, "");
  EXPECT_EQ(out[0], 256u);
  return {out.begin() + 1, out.end()};
}

TEST(Dispatch, RunsThreadsAndGroupsInTheOrderAskedFor) {
  std::vector<uint32_t> forward(256);
  for (uint32_t i = 0; i < 256; ++i) forward[i] = i;
  EXPECT_EQ(OrderOf(Order::kForward, 1), forward);
  EXPECT_EQ(OrderOf(Order::kReverse, 1), std::vector<uint32_t>(forward.rbegin(), forward.rend()));
  const std::vector<uint32_t> shuffled = OrderOf(Order::kShuffled, 1);
  EXPECT_NE(shuffled, forward);
  EXPECT_THAT(shuffled, ::testing::UnorderedElementsAreArray(forward));
  EXPECT_EQ(OrderOf(Order::kShuffled, 1), shuffled) << "a seed repeats its order";
  EXPECT_NE(OrderOf(Order::kShuffled, 2), shuffled);
}

void Recurse(volatile char* above) {
  volatile char frame[512];
  frame[0] = *above;
  if (frame[0] == 0) Recurse(frame);
  frame[1] = frame[0];
}

void UseUpTheStack(const Parameter*) {
  char first = 0;
  Recurse(&first);
}

TEST(Dispatch, AStackThatIsUsedUpIsAFault) {
  const Kernel kernel = {"deep", &UseUpTheStack, {}, {}, {}, 1024, 7};
  const ShaderFile file = {"none.metal", 0, {&kernel, 1}, {}};
  DispatchRequest request;
  request.file = &file;
  request.kernel = &kernel;
  EXPECT_EQ(RunDispatch(request).fault,
            "none.metal:7: kernel 'deep': the stack of a thread is used up (group (0, 0, 0), "
            "thread 0)");
}

}  // namespace
}  // namespace infer::emulation
