// SPDX-License-Identifier: Apache-2.0
//
// Small models of random weights, every node on the device that this build has: each type of
// weights with each type of cache, and the ops that composites are made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "tests/backends/conformance/tolerances.h"
#include "tests/backends/metal/host/needs_device.h"
#include "tests/model/loaded_model.h"
#include "tools/synth/synth.h"

namespace infer {
namespace {

using test::LoadedModel;

// Cases run side by side, each in a process.
std::string OwnFile(const std::string& name) {
  return StrCat(::testing::TempDir(), "/", getpid(), "_", name);
}
using test::LogitsOf;

const LoadedModel& ModelOf(const std::string& type) {
  static auto& models = *new std::map<std::string, std::unique_ptr<LoadedModel>>;
  std::unique_ptr<LoadedModel>& model = models[type];
  if (model != nullptr) return *model;
  SynthOptions options;
  // Blocks of q4_k and q6_k have 256 elements; three query heads for each of two others.
  options.shape = {.layers = 2,
                   .hidden = 256,
                   .heads = 6,
                   .kv_heads = 2,
                   .head_dim = 128,
                   .feed_forward = 512,
                   .context_tokens = 64};
  options.type = *FindWeightType(type);
  options.vocabulary_kind = VocabularyKind::kSmall;
  options.output_path = OwnFile(StrCat("metal_types_", type, ".gguf"));
  const absl::Status written = WriteSynthModel(options);
  if (!written.ok()) ADD_FAILURE() << written;
  model = std::make_unique<LoadedModel>(options.output_path);
  std::remove(options.output_path.c_str());  // it is mapped
  return *model;
}

void ExpectAllOnMetal(const Program& program) {
  for (const Regime& regime : program.regimes) {
    for (const Segment& segment : regime.graph.plan()->segments) {
      EXPECT_EQ(segment.device, Device::kMetal);
    }
  }
}

// The largest difference, as a part of the logits' root mean square.
double LargestDifference(std::span<const float> found, std::span<const float> expected) {
  if (found.size() != expected.size()) return INFINITY;
  double worst = 0, squares = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(found[i]) - expected[i]));
    squares += static_cast<double>(expected[i]) * expected[i];
    if (!std::isfinite(found[i])) return INFINITY;
  }
  return worst / std::sqrt(squares / static_cast<double>(expected.size()));
}

// A prompt of 11 tokens, which tiles do not fit, and three one by one.
void ExpectSameLogits(Session& found, Session& expected, double tolerance) {
  const std::vector<int32_t> prompt = {72, 101, 108, 108, 111, 44, 32, 119, 111, 114, 108};
  ASSERT_EQ(found.Prefill(prompt), absl::OkStatus());
  ASSERT_EQ(expected.Prefill(prompt), absl::OkStatus());
  double worst = LargestDifference(found.logits(), expected.logits());
  for (int32_t token : {100, 33, 10}) {
    ASSERT_EQ(found.Decode(token), absl::OkStatus());
    ASSERT_EQ(expected.Decode(token), absl::OkStatus());
    worst = std::max(worst, LargestDifference(found.logits(), expected.logits()));
  }
  ::testing::Test::RecordProperty("worst", std::to_string(worst));
  EXPECT_LE(worst, tolerance);
}

// A policy file for primitives on one target, with any type of cache.
class DecomposedOn {
 public:
  explicit DecomposedOn(const std::string& target)
      : path(OwnFile(StrCat("decomposed_", target, ".textproto"))) {
    std::ofstream(path) << "name: 'decomposed'\nsummary: 'primitives on one target'\n"
                           "composites: DECOMPOSE\nactivations: FLOAT\n"
                           "rule { name: 'all' targets: "
                        << target << " }\n";
  }
  ~DecomposedOn() { std::remove(path.c_str()); }

  const std::string path;
};

class MetalTypes : public test::NeedsDevice,
                   public ::testing::WithParamInterface<std::tuple<const char*, DType>> {};

// What is compared with is `reference` with the same cache, so that the arithmetic is all that
// differs.
TEST_P(MetalTypes, GiveTheLogitsOfReference) {
  const auto& [type, cache] = GetParam();
  const LoadedModel& model = ModelOf(type);
  auto found = model.NewSession({.policy = "metal",
                                 .place = {"op=*=metal"},
                                 .strict = true,
                                 .kv_type = cache,
                                 .context = 32,
                                 .chunk = 16});
  ExpectAllOnMetal(found->program());
  auto expected = model.NewSession(
      {.policy = DecomposedOn("SCALAR").path, .kv_type = cache, .context = 32, .chunk = 16});
  ExpectSameLogits(*found, *expected, conformance::ToleranceWith(cache).same_cache);
}

INSTANTIATE_TEST_SUITE_P(
    All, MetalTypes,
    ::testing::Combine(::testing::Values("f32", "f16", "bf16", "q8_0", "q4_0", "q4_k", "q6_k"),
                       ::testing::Values(DType::kF32, DType::kF16, DType::kQ8_0)),
    [](const auto& test) {
      return StrCat(std::get<0>(test.param), "_", Name(std::get<1>(test.param)));
    });

// Everything that a composite op is made of has a kernel, too.
class MetalDecomposed : public test::NeedsDevice, public ::testing::WithParamInterface<DType> {};

TEST_P(MetalDecomposed, GivesTheLogitsOfReference) {
  const LoadedModel& model = ModelOf("q8_0");
  auto found = model.NewSession({.policy = DecomposedOn("METAL").path,
                                 .place = {"op=*=metal"},
                                 .strict = true,
                                 .kv_type = GetParam(),
                                 .context = 32,
                                 .chunk = 16});
  ExpectAllOnMetal(found->program());
  EXPECT_EQ(found->program().regimes[0].graph.NodesOf(ops::kAttention).size(), 0u);
  auto expected = model.NewSession(
      {.policy = DecomposedOn("SCALAR").path, .kv_type = GetParam(), .context = 32, .chunk = 16});
  ExpectSameLogits(*found, *expected, conformance::ToleranceWith(GetParam()).same_cache);
}

INSTANTIATE_TEST_SUITE_P(All, MetalDecomposed,
                         ::testing::Values(DType::kF32, DType::kF16, DType::kQ8_0),
                         [](const auto& test) { return std::string(Name(test.param)); });

}  // namespace
}  // namespace infer
