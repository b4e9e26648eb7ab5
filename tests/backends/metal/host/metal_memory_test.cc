// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/metal_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "runtime/zeroed_memory.h"
#include "shaders/args.h"
#include "tests/metal_emulation/emulation.h"

namespace infer::metal {
namespace {

using emulation::ScopedSettings;
using emulation::Settings;
using ::testing::HasSubstr;
using Use = MemorySpan::Use;

MemorySpan SpanOf(Use use, const ZeroedMemory& memory, uint64_t largest = 0) {
  return {use, {memory.data(), memory.bytes()}, largest};
}

// A file of 3 MiB on a device whose buffers hold 1 MiB: every weight lies whole in a buffer, in the
// file's own pages.
TEST(MetalMemory, CutsWeightsIntoViewsThatOverlap) {
  Settings small;
  small.max_buffer_length = 1 << 20;
  ScopedSettings scope(small);
  constexpr uint64_t kWeight = 300'000;
  const ZeroedMemory file = *ZeroedMemory::Create(3 << 20);
  const ZeroedMemory arena = *ZeroedMemory::Create(10'000);
  const MemorySpan spans[] = {SpanOf(Use::kWeights, file, kWeight),
                              SpanOf(Use::kActivations, arena)};
  auto memory = MetalMemory::Create(MetalDevice::Open(), spans);
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_GE((*memory)->num_buffers(), 5u);
  EXPECT_EQ((*memory)->copied_bytes(), 0u);
  for (uint64_t at = 0; at + kWeight <= file.bytes(); at += 4160) {
    const auto place = (*memory)->Find(file.data() + at, kWeight);
    ASSERT_TRUE(place) << at;
    EXPECT_LE(place->offset + kWeight, place->buffer->length());
    EXPECT_LE(place->buffer->length(), uint64_t{1} << 20);
    EXPECT_EQ(static_cast<std::byte*>(place->buffer->contents()) + place->offset, file.data() + at);
  }
  EXPECT_TRUE((*memory)->Find(arena.data(), arena.bytes()));
  EXPECT_FALSE((*memory)->Find(file.data(), file.bytes()));
  std::byte elsewhere{};
  EXPECT_FALSE((*memory)->Find(&elsewhere, 1));
}

TEST(MetalMemory, RefusesAWeightThatFitsIntoNoBuffer) {
  Settings small;
  small.max_buffer_length = 1 << 20;
  ScopedSettings scope(small);
  const ZeroedMemory file = *ZeroedMemory::Create(3 << 20);
  const MemorySpan spans[] = {SpanOf(Use::kWeights, file, 2 << 20)};
  auto memory = MetalMemory::Create(MetalDevice::Open(), spans);
  EXPECT_EQ(memory.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(memory.status().ToString(), HasSubstr("2097152 bytes does not fit"));
}

std::vector<int32_t> Ints(const std::byte* at, size_t count) {
  std::vector<int32_t> values(count);
  std::memcpy(values.data(), at, count * sizeof(int32_t));
  return values;
}

TEST(MetalMemory, WritesTheBatchWhereTheDeviceReadsIt) {
  auto memory = MetalMemory::Create(MetalDevice::Open(), {});
  ASSERT_TRUE(memory.ok()) << memory.status();
  for (int32_t tokens : {3, 40'000}) {  // the second is larger than what was taken at first
    std::vector<int32_t> seq(tokens, 1), pos(tokens), slot(tokens), out = {tokens - 1};
    std::iota(pos.begin(), pos.end(), 0);
    std::iota(slot.begin(), slot.end(), 100);
    const std::vector<int32_t> first = {4, 2}, second = {7};
    const BatchSequence sequences[] = {
        {.first_token = 0, .count = 1, .length = 33, .block_table = first},
        {.first_token = 1, .count = tokens - 1, .length = tokens + 5, .block_table = second}};
    auto made = (*memory)->Upload({.token_seq = seq,
                                   .token_pos = pos,
                                   .token_slot = slot,
                                   .out_rows = out,
                                   .sequences = sequences,
                                   .block_positions = 32});
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(Ints(made->token_seq, tokens), seq);
    EXPECT_EQ(Ints(made->token_pos, tokens), pos);
    EXPECT_EQ(Ints(made->token_slot, tokens), slot);
    EXPECT_EQ(Ints(made->out_rows, 1), out);
    EXPECT_EQ(Ints(made->block_tables, 3), (std::vector<int32_t>{4, 2, 7}));
    EXPECT_EQ(Ints(made->sequences, 8),
              (std::vector<int32_t>{0, 1, 33, 0, 1, tokens - 1, tokens + 5, 2}));
    EXPECT_EQ(made->tokens, static_cast<uint64_t>(tokens));
    EXPECT_EQ(made->rows, 1u);
    EXPECT_EQ(made->num_sequences, 2u);
    EXPECT_EQ(made->num_blocks, 3u);
    EXPECT_EQ(made->max_length, std::max(33, tokens + 5));
    EXPECT_TRUE((*memory)->Find(made->token_pos, 4 * made->tokens));
    EXPECT_TRUE((*memory)->Find(made->block_tables, 12));
  }
}

TEST(MetalDevice, WantsAppleSiliconWithSharedMemory) {
  DeviceFacts facts = {.name = "Apple M1",
                       .unified_memory = true,
                       .apple7 = true,
                       .max_buffer = uint64_t{9} << 30,
                       .working_set = uint64_t{10} << 30};
  EXPECT_EQ(WhyUnsuitable(facts), "");
  EXPECT_EQ(ToText(facts),
            "device=Apple M1 unified_memory=yes max_buffer=9.0GiB working_set=10.0GiB");
  facts.residency_sets = false;
  EXPECT_THAT(ToText(facts), HasSubstr("working_set=10.0GiB residency_sets=no"));
  facts.unified_memory = false;
  EXPECT_THAT(WhyUnsuitable(facts), HasSubstr("has its own memory"));
  facts.apple7 = false;
  EXPECT_THAT(WhyUnsuitable(facts), HasSubstr("Apple7 (M1 and later)"));
}

}  // namespace
}  // namespace infer::metal
