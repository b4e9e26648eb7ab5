// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/rope_angles.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/ops/rope_attrs.h"
#include "tests/backends/metal/case_dispatches.h"

namespace infer::metal {
namespace {

using conformance::BatchArg;
using conformance::Cache;
using conformance::ConformanceCase;
using conformance::Norm;
using conformance::Rows;

constexpr ops::RopeParams kYarn = {
    .base = 1e6, .freq_scale = 0.25, .ext_factor = 1, .original_context = 32768};

std::vector<float> AnglesBehind(const Dispatch& dispatch) {
  const size_t bytes = dispatch.arguments.size() - sizeof(shader::HeadArgs);
  std::vector<float> angles(bytes / sizeof(float));
  std::memcpy(angles.data(), dispatch.arguments.data() + sizeof(shader::HeadArgs), bytes);
  return angles;
}

void ExpectAngles(const Dispatch& dispatch, int64_t head_dim) {
  const std::vector<float> angles = AnglesBehind(dispatch);
  ASSERT_EQ(static_cast<int64_t>(angles.size()), head_dim / 2);
  for (int64_t pair = 0; pair < head_dim / 2; ++pair) {
    EXPECT_EQ(angles[pair], scalar::AnglePerPosition(kYarn, head_dim, pair)) << pair;
  }
  EXPECT_EQ(ArgumentsOf<shader::HeadArgs>(dispatch).magnitude,
            static_cast<float>(scalar::RopeMagnitude(kYarn)));
}

ConformanceCase AttentionInputs(DType type, int64_t head_dim) {
  return {.name = "attention_inputs",
          .op = &ops::kAttentionInputs,
          .args = {Cache(type, 2, head_dim), Rows({Symbol::kT, 4 * head_dim}),
                   Rows({Symbol::kT, 2 * head_dim}), Rows({Symbol::kT, 2 * head_dim}),
                   Norm(head_dim), Norm(head_dim), BatchArg()},
          .attrs = ops::NormRopeAttrs(1e-6, kYarn),
          .sequences = {{20, 5}},
          .block_positions = 16};
}

TEST(HeadPlan, AttentionInputsIsOneDispatch) {
  const CaseDispatches dispatches(AttentionInputs(DType::kQ8_0, 64), "attention_inputs_q8_0_metal");
  const Dispatch& d = dispatches.only();
  EXPECT_EQ(d.pipeline, (PipelineKey{"kv_write", "attention_inputs_q8_0", {}, 128}));
  EXPECT_EQ(d.groups, (Grid{10, 1, 1}));  // 5 tokens of 8 heads, 4 in a group
  EXPECT_EQ(d.threads, (Grid{128, 1, 1}));
  EXPECT_EQ(d.threadgroup_bytes, 4u * 64 * 4);
  ExpectAngles(d, 64);
  const auto args = ArgumentsOf<shader::HeadArgs>(d);
  EXPECT_EQ(args.tokens, 5u);
  EXPECT_EQ(args.heads, 4u);
  EXPECT_EQ(args.kv_heads, 2u);
  EXPECT_EQ(args.head_dim, 64u);
  EXPECT_EQ(args.block_positions, 16u);
  EXPECT_EQ(args.eps, 1e-6f);
  ASSERT_EQ(d.bindings.size(), 10u);
  const KvView& kv = dispatches.args().inputs[0].kv;
  EXPECT_EQ(d.bindings[7].data, dispatches.args().out(1).data);
  EXPECT_EQ(d.bindings[8].data, kv.k);
  EXPECT_EQ(d.bindings[9].data, kv.v);
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(d.bindings[i].writes, i >= 7) << i;
}

// Not more of the cache than the call's slots reach: K and V may be neighbours.
TEST(HeadPlan, TheWrittenCacheEndsWithTheLastBlock) {
  const CaseDispatches dispatches(AttentionInputs(DType::kF16, 32), "attention_inputs_f16_metal");
  int32_t last = 0;
  for (int32_t slot : dispatches.args().batch->token_slot) last = std::max(last, slot / 16);
  EXPECT_EQ(dispatches.only().bindings[8].bytes, (last + 1) * 2u * 16 * 32 * 2);
}

TEST(HeadPlan, QkNormRopeTakesTheHeadsOfBoth) {
  const ConformanceCase c = {
      .name = "qk",
      .op = &ops::kQkNormRope,
      .args = {Rows({Symbol::kT, 36}), Rows({Symbol::kT, 18}), Norm(18), Norm(18), BatchArg()},
      .attrs = ops::NormRopeAttrs(1e-5, kYarn),
      .sequences = {{0, 3}}};
  const CaseDispatches dispatches(c, "qk_norm_rope_f32_metal");
  EXPECT_EQ(dispatches.only().groups, (Grid{3, 1, 1}));  // 9 heads
  EXPECT_EQ(dispatches.only().bindings.size(), 7u);
  ExpectAngles(dispatches.only(), 18);
}

TEST(HeadPlan, RopeHasAThreadForEachPair) {
  const ConformanceCase c = {.name = "rope",
                             .op = &ops::kRope,
                             .args = {Rows({Symbol::kT, 3, 128}), BatchArg()},
                             .attrs = ops::AttrsOf(kYarn),
                             .sequences = {{0, 7}}};
  const CaseDispatches dispatches(c, "rope_f32_metal");
  EXPECT_EQ(dispatches.only().groups, (Grid{3, 7, 1}));
  EXPECT_EQ(dispatches.only().threads, (Grid{64, 1, 1}));
  ExpectAngles(dispatches.only(), 128);
}

TEST(HeadPlan, KvWriteTakesBothHalves) {
  const ConformanceCase c = {.name = "kv_write",
                             .op = &ops::kKvWrite,
                             .args = {Cache(DType::kF32, 3, 32), Rows({Symbol::kT, 96}),
                                      Rows({Symbol::kT, 96}), BatchArg()},
                             .sequences = {{0, 2}}};
  const CaseDispatches dispatches(c, "kv_write_f32_metal");
  EXPECT_EQ(dispatches.only().groups, (Grid{3, 1, 1}));  // 12 vectors
  EXPECT_EQ(dispatches.only().bindings.size(), 5u);
}

TEST(HeadPlan, RefusesBrokenBlocksAndWideHeads) {
  Graph graph, other;
  const Node* broken = conformance::MakeNode(AttentionInputs(DType::kQ8_0, 48), &graph);
  EXPECT_EQ(FindKernel("attention_inputs_q8_0_metal")->info.accepts(*broken).reason(),
            "heads of 48 are not a multiple of 32, the q8_0 block size");
  const Node* wide = conformance::MakeNode(AttentionInputs(DType::kF16, 1024), &other);
  EXPECT_EQ(FindKernel("attention_inputs_f16_metal")->info.accepts(*wide).reason(),
            "heads of 1024; this kernel stores heads of up to 512");
}

}  // namespace
}  // namespace infer::metal
