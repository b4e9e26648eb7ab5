// SPDX-License-Identifier: Apache-2.0
//
// Every kernel of `parallel`, its units shared out by a team and by oneTBB, against the same kernel
// on one thread: bit for bit, at a model's shapes and where threads outnumber the work.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "backends/cpu/cpu_segment.h"
#include "backends/parallel/kernels.h"
#include "backends/parallel/tbb_segment.h"
#include "backends/parallel/team_segment.h"
#include "backends/simd/levels/choose_level.h"
#include "backends/simd/linear.h"
#include "backends/simd/weight_layouts.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "ir/ops/rope_attrs.h"
#include "tests/backends/conformance/reference.h"
#include "tests/backends/parallel/tbb_under_sanitizer.h"

namespace infer::conformance {
namespace {

constexpr int64_t kHeads = 16, kKvHeads = 8, kHeadDim = 128;
constexpr double kEps = 1e-6;

enum class By { kTeam, kTbb };

// Who shares out now; a kernel is a function without state.
struct Sharing {
  const CpuKernel* kernel = nullptr;
  By by = By::kTeam;
  int threads = 1;
  uint64_t scratch_stride = 0;
} sharing;

ThreadTeam* TeamOf(int threads) {
  static auto* teams = new std::map<int, std::unique_ptr<ThreadTeam>>();
  std::unique_ptr<ThreadTeam>& team = (*teams)[threads];
  if (team == nullptr) {
    ThreadTeamOptions options;
    options.threads = threads;
    team = ThreadTeam::Create(options).value();
  }
  return team.get();
}

std::unique_ptr<CompiledSegment> SegmentOf(TbbThreads* tbb) {
  std::vector<CpuStep> steps = {{sharing.kernel, nullptr, nullptr, StepMode::kSliced, true}};
  if (tbb != nullptr) return tbb->MakeSegment(std::move(steps), sharing.scratch_stride);
  return MakeTeamSegment(std::move(steps), TeamOf(sharing.threads), sharing.scratch_stride);
}

// A kernel of one unit, which is the whole of `kernel` shared out.
CpuKernel Shared(const CpuKernel& kernel, By by, int threads) {
  sharing = {&kernel, by, threads, 0};
  CpuKernel shared = {.info = kernel.info, .run = [](const KernelArgs& args, int64_t, int64_t) {
                        std::unique_ptr<TbbThreads> tbb;
                        if (sharing.by == By::kTbb) {
                          tbb = TbbThreads::Create(sharing.threads).value();
                        }
                        EXPECT_TRUE(SegmentOf(tbb.get())->Run({}, {.args = {&args, 1}}).ok());
                      }};
  shared.bind = kernel.bind;
  shared.info.partition = nullptr;  // one unit, whatever it is shared out in
  shared.info.scratch_bytes = [](const Node& node, const SymbolRanges& symbols) {
    const auto bytes = sharing.kernel->info.scratch_bytes;
    sharing.scratch_stride = bytes == nullptr ? 0 : (bytes(node, symbols) + 127) / 128 * 128;
    return sharing.scratch_stride * static_cast<uint64_t>(sharing.threads);
  };
  return shared;
}

void ExpectSame(const CaseResult& found, const CaseResult& expected) {
  ASSERT_EQ(found.tensors.size(), expected.tensors.size());
  for (size_t i = 0; i < found.tensors.size(); ++i) {
    EXPECT_TRUE(found.tensors[i].bytes == expected.tensors[i].bytes) << "result " << i;
  }
  ASSERT_EQ(found.cache.has_value(), expected.cache.has_value());
  if (!found.cache) return;
  EXPECT_TRUE(found.cache->k == expected.cache->k);
  EXPECT_TRUE(found.cache->v == expected.cache->v);
}

// Returns how many kernels took the case.
int ExpectParity(const ConformanceCase& c, const std::vector<int>& team,
                 const std::vector<int>& tbb) {
  Graph graph;
  const Node* node = MakeNode(c, &graph);
  if (node == nullptr) return 0;
  const CaseData data(c);
  int kernels = 0;
  for (const CpuKernel& kernel : ParallelKernels()) {
    if (kernel.info.op != c.op || !kernel.info.accepts(*node).accepted()) continue;
    ++kernels;
    const auto layouts = simd::WeightLayouts();
    const CaseResult expected = RunKernel(c, data, ParallelKernels(), kernel, layouts);
    for (By by : {By::kTeam, By::kTbb}) {
      if (by == By::kTbb && kTbbLooksLikeRaces) continue;
      for (int threads : by == By::kTeam ? team : tbb) {
        SCOPED_TRACE(StrCat(c.name, ", ", kernel.info.name,
                            by == By::kTeam ? ", team of " : ", tbb of ", threads));
        const CpuKernel shared = Shared(kernel, by, threads);
        ExpectSame(RunKernel(c, data, {&shared, 1}, shared, layouts), expected);
      }
    }
  }
  return kernels;
}

std::vector<ConformanceCase> ProductCases(int32_t tokens) {
  const Arg x = Rows({Symbol::kT, 1024});
  auto q8 = [](int64_t rows, int64_t columns) { return Weight(DType::kQ8_0, rows, columns); };
  return {{.name = "qkv",
           .op = &ops::kMultiLinear,
           .args = {x, q8(2048, 1024), q8(1024, 1024), q8(1024, 1024)},
           .sequences = {{0, tokens}}},
          {.name = "gate_up",
           .op = &ops::kMultiLinear,
           .args = {x, q8(3072, 1024), q8(3072, 1024)},
           .sequences = {{0, tokens}}},
          {.name = "down",
           .op = &ops::kLinear,
           .args = {Rows({Symbol::kT, 3072}), q8(1024, 3072)},
           .sequences = {{0, tokens}}}};
}

std::vector<ConformanceCase> RowAndHeadCases(std::string_view name, SequencePart part) {
  const int64_t q = kHeads * kHeadDim, k = kKvHeads * kHeadDim;
  const Arg x = Rows({Symbol::kT, 1024}), wide = Rows({Symbol::kT, 3072});
  const Arg cache = Cache(DType::kF16, kKvHeads, kHeadDim);
  const std::vector<SequencePart> sequences = {part};
  std::vector<ConformanceCase> cases = {
      {.op = &ops::kAttention,
       .args = {Rows({Symbol::kT, kHeads, kHeadDim}), cache, BatchArg()},
       .attrs = {1 / std::sqrt(double{kHeadDim})}},
      {.op = &ops::kAttentionInputs,
       .args = {cache, Rows({Symbol::kT, q}), Rows({Symbol::kT, k}), Rows({Symbol::kT, k}),
                Norm(kHeadDim), Norm(kHeadDim), BatchArg()},
       .attrs = ops::NormRopeAttrs(kEps, {.base = 1e6})},
      {.op = &ops::kRmsNorm, .args = {x, Norm(1024)}, .attrs = {kEps}},
      {.op = &ops::kAddRmsNorm, .args = {x, x, Norm(1024)}, .attrs = {kEps}},
      {.op = &ops::kSwiglu, .args = {wide, wide}}};
  for (ConformanceCase& c : cases) {
    c.sequences = sequences;
    c.name = StrCat(c.op->name, "_", name);
  }
  return cases;
}

std::vector<int> Counts(int last) {
  std::vector<int> counts;
  for (int i = 1; i <= last; ++i) counts.push_back(i);
  return counts;
}

class Parity : public ::testing::Test {
 protected:
  void SetUp() override {
    if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  }
};

TEST_F(Parity, ProductsOfAModel) {
  for (const ConformanceCase& c : ProductCases(1)) {
    EXPECT_GT(ExpectParity(c, Counts(16), {2, 3, 16}), 0) << c.name;
  }
  for (const ConformanceCase& c : ProductCases(19)) {
    EXPECT_GT(ExpectParity(c, {2, 3, 7, 16}, {2, 16}), 0) << c.name;
  }
}

// Rows as short as the type allows: it is their number that is at stake.
TEST_F(Parity, AVocabulary) {
  const ConformanceCase c = {.name = "vocabulary",
                             .op = &ops::kLinear,
                             .args = {Rows({Symbol::kT, 32}), Weight(DType::kQ8_0, 151936, 32)}};
  EXPECT_GT(ExpectParity(c, {2, 3, 13, 16}, {2, 16}), 0);
}

TEST_F(Parity, AttentionAndRowsOfAModel) {
  for (const ConformanceCase& c : RowAndHeadCases("decode", {700, 1})) {
    EXPECT_GT(ExpectParity(c, Counts(16), {2, 3, 16}), 0) << c.name;
  }
  for (const ConformanceCase& c : RowAndHeadCases("prefill", {0, 67})) {
    EXPECT_GT(ExpectParity(c, Counts(16), {2, 3, 16}), 0) << c.name;
  }
}

// One row, fewer rows than threads, and prime numbers of everything.
TEST_F(Parity, EdgesOfProducts) {
  for (int32_t tokens : {1, 2, 7, 13}) {
    for (int64_t outputs : {1, 5, 127, 1009}) {
      const ConformanceCase c = {
          .name = StrCat("edge_", tokens, "x", outputs),
          .op = &ops::kLinear,
          .args = {Rows({Symbol::kT, 352}), Weight(DType::kQ8_0, outputs, 352)},
          .sequences = {{0, tokens}}};
      EXPECT_GT(ExpectParity(c, Counts(16), {3, 16}), 0) << c.name;
    }
  }
}

TEST_F(Parity, EveryKernelInTheCasesOfTheConformanceSuite) {
  std::map<std::string, int> kernels_of;
  for (const ConformanceCase& c : AllCases()) {
    if (c.values != Values::kPlain) continue;
    kernels_of[std::string(c.op->name)] += ExpectParity(c, {3, 16}, {3});
    if (HasFailure()) break;
  }
  for (const CpuKernel& kernel : ParallelKernels()) {
    EXPECT_GT(kernels_of[std::string(kernel.info.op->name)], 0) << kernel.info.name;
  }
}

}  // namespace
}  // namespace infer::conformance
