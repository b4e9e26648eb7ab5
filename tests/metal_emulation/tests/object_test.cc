// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>
#include <utility>

#include "tests/metal_emulation/runtime/poison.h"
#include "tests/metal_emulation/tests/metal_harness.h"

namespace infer::emulation {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Object, LiveObjectsAreCountedAndListed) {
  const size_t before = LiveObjects();
  Ref<MTL::Device> device = NS::TransferPtr(MTL::CreateSystemDefaultDevice());
  Ref<NS::AutoreleasePool> pool;
  {
    NS::AutoreleasePool* const inner = NS::AutoreleasePool::alloc()->init();
    MTL::Buffer* const leaked = device->newBuffer(64, MTL::ResourceStorageModeShared);
    leaked->setLabel(MTLSTR("forgotten"));
    inner->release();
    EXPECT_EQ(LiveObjects(), before + 2);
    EXPECT_THAT(LiveObjectList(), Contains("MTL::Buffer 'forgotten' (retain count 1)"));
    leaked->release();
  }
  EXPECT_EQ(LiveObjects(), before + 1);
  device.reset();
  EXPECT_EQ(LiveObjects(), before);
}

TEST(Object, ASecondReleaseIsReported) {
  Ref<MTL::Device> device = NS::TransferPtr(MTL::CreateSystemDefaultDevice());
  MTL::Buffer* const buffer = device->newBuffer(64, MTL::ResourceStorageModeShared);
  buffer->release();
  if (kHasAddressSanitizer) {
    EXPECT_DEATH(buffer->release(), "member call on address");
    return;
  }
  buffer->release();
  EXPECT_THAT(TakeProblems(),
              ElementsAre("release of MTL::Buffer that has already been destroyed"));
  buffer->retain();
  EXPECT_THAT(TakeProblems(), ElementsAre(HasSubstr("retain of MTL::Buffer")));
  EXPECT_THAT(TakeProblems(), IsEmpty());
}

TEST(Object, WhatAPoolHoldsIsReleasedAtItsEnd) {
  const size_t before = LiveObjects();
  NS::AutoreleasePool* const pool = NS::AutoreleasePool::alloc()->init();
  NS::String::string("a", NS::UTF8StringEncoding);
  NS::String* const kept = NS::String::string("b", NS::UTF8StringEncoding)->retain();
  EXPECT_EQ(LiveObjects(), before + 3);
  pool->release();
  EXPECT_EQ(LiveObjects(), before + 1);
  EXPECT_STREQ(kept->utf8String(), "b");
  kept->release();
  EXPECT_EQ(LiveObjects(), before);
}

TEST(Object, AutoreleaseWithoutAPoolIsReported) {
  NS::String* const text = NS::String::string("a", NS::UTF8StringEncoding);
  EXPECT_THAT(TakeProblems(),
              ElementsAre("NS::String autoreleased with no pool in place: it leaks"));
  text->release();
}

TEST(Object, PoolsEndInReverseOrder) {
  NS::AutoreleasePool* const outer = NS::AutoreleasePool::alloc()->init();
  NS::AutoreleasePool* const inner = NS::AutoreleasePool::alloc()->init();
  outer->release();
  EXPECT_THAT(TakeProblems(), ElementsAre(HasSubstr("reverse order")));
  inner->release();
}

// As in the oldest of Apple's headers: what compiles here compiles there.
static_assert(!std::is_convertible_v<std::nullptr_t, Ref<MTL::Device>>);
static_assert(std::is_void_v<decltype(std::declval<Ref<MTL::Device>&>().detach())>);

TEST(SharedPtr, DetachGivesTheObjectUpUnreleased) {
  Ref<MTL::Device> device = NS::TransferPtr(MTL::CreateSystemDefaultDevice());
  MTL::Device* const object = device.get();
  device.detach();
  EXPECT_FALSE(device);
  EXPECT_EQ(object->retainCount(), 1u);
  object->release();
}

TEST(SharedPtr, CountsAsItsPointersCopyAndMove) {
  NS::AutoreleasePool* const pool = NS::AutoreleasePool::alloc()->init();
  Ref<NS::String> a = NS::RetainPtr(NS::String::string("a", NS::UTF8StringEncoding));
  EXPECT_EQ(a->retainCount(), 2u);
  Ref<NS::String> b = a;
  EXPECT_EQ(a->retainCount(), 3u);
  const Ref<NS::String> c = std::move(b);
  EXPECT_FALSE(b);
  EXPECT_EQ(a->retainCount(), 3u);
  const Ref<NS::Object> base = a;
  EXPECT_EQ(a->retainCount(), 4u);
  a.reset();
  EXPECT_EQ(c->retainCount(), 3u);
  pool->release();
  EXPECT_EQ(c->retainCount(), 2u);
}

}  // namespace
}  // namespace infer::emulation
