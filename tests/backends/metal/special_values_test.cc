// SPDX-License-Identifier: Apache-2.0
//
// What no conformance case can say, because the scalar kernels are no reference for it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "ir/ops/ops.h"
#include "tests/backends/conformance/compare.h"
#include "tests/backends/metal/case_runner.h"
#include "tests/metal_emulation/runtime/poison.h"

namespace infer::metal {
namespace {

using conformance::CaseData;
using conformance::CaseResult;
using conformance::ConformanceCase;
using conformance::MakeNode;
using conformance::Rows;

const KernelInfo& KernelFor(const ConformanceCase& c) {
  return std::ranges::find_if(MetalKernels(),
                              [&](const MetalKernel& k) { return Takes(k.info, c); })
      ->info;
}

class MetalSpecialValues : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string why = Metal().WhyUnavailable(Target::kMetal);
    if (!why.empty()) GTEST_SKIP() << why;
  }
};

// A row of softmax with nothing visible is all zeros.
TEST_F(MetalSpecialValues, NothingVisibleWeighsNothing) {
  const ConformanceCase c = {.name = "masked",
                             .op = &ops::kSoftmax,
                             .args = {Rows({Symbol::kT, 300})},
                             .sequences = {{0, 2}}};
  Graph graph;
  const Node* node = MakeNode(c, &graph);
  CaseData data(c);
  std::vector<float> x = data.inputs[0].tensor.floats();
  std::fill_n(x.begin(), 300, -std::numeric_limits<float>::infinity());
  data.inputs[0].tensor = F32Tensor({Symbol::kT, 300}, x);
  const KernelInfo& kernel = KernelFor(c);
  const CaseResult found = RunOnMetal(c, data, *node, kernel, Place::kApart);
  EXPECT_EQ(found.tensors[0].floats()[299], 0.0f);
  conformance::ExpectConforms(c, data, kernel, found, conformance::RunReference(c, data));
}

ConformanceCase AttentionOf(DType type, int32_t tokens) {
  return {
      .name = "attention",
      .op = &ops::kAttention,
      .args = {Rows({Symbol::kT, 4, 64}), conformance::Cache(type, 2, 64), conformance::BatchArg()},
      .attrs = {0.125},
      .sequences = {{13, tokens}},
      .block_positions = 7};
}

// Makes the first element of every block of a position's value the half `bits`; of q8_0 that is
// its scale.
void Spoil(TestCache* cache, const Batch& batch, int32_t position, uint16_t bits) {
  KvView view = cache->View();
  const int32_t block = batch.sequences[0].block_table[position / cache->block_positions];
  for (int32_t head = 0; head < cache->kv_heads; ++head) {
    std::byte* to =
        view.v +
        view.Offset(block * cache->block_positions + position % cache->block_positions, head);
    const uint32_t sign = bits >> 15, fraction = bits & 0x3ff;
    const uint32_t wide = sign << 31 | 0x7f800000 | fraction << 13;
    if (cache->dtype == DType::kF32) {
      std::memcpy(to, &wide, sizeof wide);
    } else {
      std::memcpy(to, &bits, sizeof bits);
    }
  }
}

// The scalar kernels multiply all visible values with the weights of all tokens, zeros included, so
// that a NaN of one token reaches the others. Here a token depends on what it sees alone, in tiles
// as one by one.
TEST_F(MetalSpecialValues, LaterValuesThatAreNotFiniteSpoilNoEarlierToken) {
  for (DType type : {DType::kF32, DType::kF16, DType::kQ8_0}) {
    for (int32_t tokens : {4, 9, 21}) {
      for (uint16_t bits : {0x7e00, 0x7c00, 0xfc00}) {  // NaN, infinity, its negative
        SCOPED_TRACE(::testing::Message() << Name(type) << " " << tokens << " " << bits);
        const ConformanceCase c = AttentionOf(type, tokens);
        Graph graph;
        const Node* node = MakeNode(c, &graph);
        CaseData data(c);
        const std::vector<float> clean = conformance::RunReference(c, data).tensors[0].floats();
        const int32_t spoiled = tokens - 2;  // of the tokens
        Spoil(&*data.cache, data.batch.batch(), 13 + spoiled, bits);
        const CaseResult found = RunOnMetal(c, data, *node, KernelFor(c), Place::kApart);
        const std::vector<float> values = found.tensors[0].floats();
        for (size_t i = 0; i < values.size(); ++i) {
          const auto token = static_cast<int32_t>(i / (4 * 64));
          if (token < spoiled) {
            ASSERT_NEAR(values[i], clean[i], 1e-4) << token;
          } else if (i % 64 == 0) {
            ASSERT_FALSE(std::isfinite(values[i])) << token;
          }
        }
      }
    }
  }
}

#ifdef INFER_TEST_EMULATION
// A slice that begins one column too late reads one float past the last row.
TEST_F(MetalSpecialValues, AddressSanitizerSeesAReadOfOneFloatPastARow) {
  if (!emulation::kHasAddressSanitizer) GTEST_SKIP() << "without AddressSanitizer";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const ConformanceCase c = {.name = "slice",
                             .op = &ops::kSliceColumns,
                             .args = {Rows({Symbol::kT, 21})},
                             .attrs = {int64_t{10}, int64_t{11}},
                             .sequences = {{0, 3}}};
  Graph graph;
  const Node* node = MakeNode(c, &graph);
  const CaseData data(c);
  const CaseMemory memory(c, data, *node, Place::kApart);
  EXPECT_EQ(RunStep(memory, memory.args(), *node, KernelFor(c)), absl::OkStatus());
  KernelArgs args = memory.args();
  const Attr too_late[] = {int64_t{11}, int64_t{11}};
  args.attrs = too_late;
  EXPECT_DEATH(RunStep(memory, args, *node, KernelFor(c)).IgnoreError(), "AddressSanitizer");
}
#endif

}  // namespace
}  // namespace infer::metal
