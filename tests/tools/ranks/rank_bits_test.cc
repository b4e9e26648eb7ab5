// SPDX-License-Identifier: Apache-2.0
//
// Ranks that mpirun starts give the bits of one process. INFER_TEST_PROMPTS sets the number of
// random prompts for each weight type and number of ranks (50 in a full run, which takes all types;
// every day two, of a few).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "ir/base/strings.h"
#include "tests/tools/e2e/tool_run.h"
#include "tests/tools/ranks/mpi_run.h"
#include "tools/synth/synth.h"

namespace infer {
namespace {

bool IsFullRun() { return std::getenv("INFER_TEST_PROMPTS") != nullptr; }

struct Case {
  std::string type;
  bool experts;
  int ranks;
};

class RankBits : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoMpi(); !why.empty()) GTEST_SKIP() << why;
  }

  // Eight key/value heads, so that up to eight ranks are possible.
  std::string WriteModel() const {
    SynthOptions options;
    options.shape = {.layers = 2,
                     .hidden = 256,
                     .heads = 16,
                     .kv_heads = 8,
                     .head_dim = 32,
                     .feed_forward = 512};
    options.shape.tied = !GetParam().experts;
    if (GetParam().experts) {
      options.shape.experts = 8;
      options.shape.experts_used = 2;
      options.shape.expert_feed_forward = 256;
    }
    options.type = *FindWeightType(GetParam().type);
    options.vocabulary_kind = VocabularyKind::kSmall;
    options.seed = 11;
    options.output_path = dir_.Path("model.gguf");
    const absl::Status status = WriteSynthModel(options);
    EXPECT_TRUE(status.ok()) << status;
    return options.output_path;
  }

  TempDir dir_;
};

TEST_P(RankBits, AreThoseOfOneProcess) {
  std::mt19937 random(static_cast<uint32_t>(GetParam().ranks));
  const int prompts = IsFullRun() ? std::max(1, std::atoi(std::getenv("INFER_TEST_PROMPTS"))) : 2;
  std::vector<std::string> args = {"logits", "-m", WriteModel(), "-ub",
                                   "64",     "-t", "1",          "--all-positions"};
  for (int i = 0; i < prompts; ++i) {
    std::string ids = "1";
    for (size_t left = random() % 70; left > 0; --left) StrAppend(&ids, ",", random() % 256);
    args.insert(args.end(), {"--ids", ids});
  }
  args.insert(args.end(), {"-o", dir_.Path("whole")});
  OutputOf("infer-eval", args);
  const std::string whole = ReadFile(dir_.Path("whole"));
  EXPECT_FALSE(whole.empty());
  args.back() = dir_.Path("divided");
  struct Network {
    std::string described;
    const char* injected;  // ranks of one host then send messages
  };
  const Network networks[] = {
      {"", ""}, {DescribedNetwork("ethernet_1g"), ""}, {SlowNetwork(), "20us"}};
  for (const auto& [described, injected] : networks) {
    std::vector<std::string> more = args;
    if (!described.empty()) {
      more.insert(more.end(), {"--machine", WriteMachineWith(described, dir_)});
    }
    if (*injected != 0) setenv("INFER_NETWORK", injected, /*overwrite=*/1);
    MpiRun run(SameCommand(GetParam().ranks, "infer-eval", more));
    unsetenv("INFER_NETWORK");
    ASSERT_TRUE(run.Wait());
    ASSERT_EQ(run.result().code, 0) << run.result().err;
    EXPECT_TRUE(ReadFile(dir_.Path("divided")) == whole) << "network " << described << injected;
  }
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const WeightType& type : AllWeightTypes()) {
    const std::string name(type.name);
    for (int ranks : {1, 2, 4, 8}) {
      if (IsFullRun() || (name == "q8_0" && ranks == 2)) cases.push_back({name, false, ranks});
      if (IsFullRun() || (name == "q4_k_m" && ranks == 4)) cases.push_back({name, true, ranks});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Types, RankBits, ::testing::ValuesIn(Cases()), [](const auto& tested) {
  return StrCat(tested.param.type, tested.param.experts ? "_moe" : "", "_", tested.param.ranks,
                "_ranks");
});

}  // namespace
}  // namespace infer
