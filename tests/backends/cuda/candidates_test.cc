// SPDX-License-Identifier: Apache-2.0
//
// The largest logits that the card finds, and sampling from them: the tokens of samplers that see
// whole rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "ir/ops/ops.h"
#include "runtime/generation.h"
#include "tests/backends/conformance/reference.h"
#include "tests/backends/cuda/case_runner.h"
#include "tests/model/loaded_model.h"

namespace infer::cuda {
namespace {

using test::LoadedModel;

// Multiples of 1/2 between -2 and 2, zeros of both signs: hundreds of equals at every value.
TEST(CudaCandidates, EqualLogitsGoByLowerToken) {
  if (Cuda().backend == nullptr) GTEST_SKIP() << Cuda().why_not;
  for (int64_t columns : {200, 9000}) {
    const conformance::ConformanceCase c = {.name = "ties",
                                            .op = &ops::kTopK,
                                            .args = {conformance::Rows({Symbol::kT, columns})},
                                            .attrs = {int64_t{64}, false},
                                            .sequences = {{0, 2}}};
    Graph graph;
    const Node* node = conformance::MakeNode(c, &graph);
    ASSERT_NE(node, nullptr);
    conformance::CaseData data(c);
    std::vector<std::byte>& bytes = data.inputs[0].tensor.bytes;
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = std::round(2 * values[i]) / 2;
      if (i < values.size() / 2) values[i] = -std::fabs(values[i]);  // the first row: 0 is largest
      if (values[i] == 0) values[i] = i % 2 == 0 ? 0.0f : -0.0f;
    }
    std::memcpy(bytes.data(), values.data(), bytes.size());
    const conformance::CaseResult expected = conformance::RunReference(c, data);
    int kernels = 0;
    for (const KernelInfo& kernel : Cuda().backend->kernels()) {
      if (kernel.name != "top_k_f32_cuda") continue;
      ++kernels;
      const conformance::CaseResult found = RunOnCuda(c, data, *node, kernel, Place::kApart);
      ASSERT_EQ(found.tensors.size(), 2u);
      ASSERT_EQ(expected.tensors[0].ints().size(), 2u * 64);
      EXPECT_EQ(found.tensors[0].ints(), expected.tensors[0].ints());
      EXPECT_EQ(found.tensors[1].bytes, expected.tensors[1].bytes);
    }
    EXPECT_EQ(kernels, 1);
  }
}

class NoText : public TextDecoder {
 public:
  void Append(int32_t, std::string*) override {}
  void Flush(std::string*) override {}
};

TEST(CudaCandidates, TextsAreThoseOfWholeRows) {
  if (Cuda().backend == nullptr) GTEST_SKIP() << Cuda().why_not;
  const LoadedModel model("random_untied.gguf", RegistryWithCuda());
  CompileModelOptions compile = {.policy = "cuda", .context = 32, .chunk = 8};
  auto whole = model.NewSession(compile);
  compile.candidates = kSamplerCandidates;
  auto largest = model.NewSession(compile);
  EXPECT_EQ(largest->most_top_logits(), kSamplerCandidates);
  for (const Regime& regime : largest->program().regimes) {
    ASSERT_EQ(regime.graph.NodesOf(ops::kTopK).size(), 1u);
    EXPECT_EQ(regime.graph.NodesOf(ops::kTopK)[0]->placement()->kernel, "top_k_f32_cuda");
  }
  for (const double temperature : {0.0, 2.0}) {
    GenerationOptions options;
    options.sampler.temperature = temperature;
    options.sampler.seed = 5;
    options.max_tokens = 5;
    NoText decoder;
    const std::vector<int32_t> prompt = {3, 77, 12};
    const auto expected = Generate(*whole, prompt, options, decoder, {});
    const auto found = Generate(*largest, prompt, options, decoder, {});
    ASSERT_TRUE(expected.ok()) << expected.status();
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->ids, expected->ids);
    EXPECT_EQ(found->whole_rows_because, "");
  }
}

}  // namespace
}  // namespace infer::cuda
