// SPDX-License-Identifier: Apache-2.0
//
// --activations, and what rounding them to 8 bits does to the bundled model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "backends/simd/levels/choose_level.h"
#include "tests/tools/e2e/tool_run.h"
#include "tools/cli/flag_text.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kPrompt[] = "993,1312,258,556,11,258,2772,2724,583,1935";  // a tale begins
constexpr size_t kVocabulary = 4096;
// With a cache in f32, the level i8mm moves logits of the prompt by at most 0.4, dotprod and neon
// by 0.25.
constexpr float kInt8Error = 0.8f;

class Activations : public ::testing::Test {
 protected:
  void SetUp() override {
    if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  }
  // A row for each token.
  std::vector<float> Logits(const std::string& ids, std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"logits", "--ids", ids, "--all-positions", "-q", "-o",
                                 dir_.Path("logits"), "--kv-type", "f32"});
    OutputOf("infer-eval", flags);
    const std::string bytes = ReadFile(dir_.Path("logits"));
    std::vector<float> logits(bytes.size() / sizeof(float));
    std::memcpy(logits.data(), bytes.data(), bytes.size());
    return logits;
  }
  static float Worst(const std::vector<float>& a, const std::vector<float>& b) {
    float worst = a.size() == b.size() ? 0 : INFINITY;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      worst = std::max(worst, std::abs(a[i] - b[i]));
    }
    return worst;
  }

  TempDir dir_;
};

TEST_F(Activations, FloatTakesOtherKernels) {
  const std::vector<std::string> args = {"--policy", "simd", "--stage", "planned"};
  EXPECT_THAT(OutputOf("infer-compile", args), Not(HasSubstr("_float_simd")));
  std::vector<std::string> in_float = args;
  in_float.insert(in_float.end(), {"--activations", "float"});
  EXPECT_THAT(OutputOf("infer-compile", in_float), HasSubstr("_float_simd"));
}

TEST_F(Activations, FloatAgreesWithTheReferenceAndInt8ComesClose) {
  const std::vector<float> exact = Logits(kPrompt, {"--policy", "reference"});
  const std::vector<float> in_float =
      Logits(kPrompt, {"--policy", "simd", "--activations", "float"});
  const std::vector<float> in_int8 = Logits(kPrompt, {"--policy", "simd"});
  EXPECT_LE(Worst(in_float, exact), 1e-4f);
  EXPECT_LE(Worst(in_int8, exact), kInt8Error);
  EXPECT_GT(Worst(in_int8, exact), 10 * Worst(in_float, exact)) << "nothing was rounded";
}

TEST_F(Activations, Int8ChangesTheGreedyTextOnlyAtNearTies) {
  auto greedy = [&](const std::string& policy) {
    return SplitWords(OutputOf("infer-run", {"--ids", "993,1312,258,556", "-n", "24", "--temp", "0",
                                             "--emit", "ids", "-q", "--policy", policy}),
                      ',');
  };
  const std::vector<std::string> exact = greedy("reference");
  const std::vector<std::string> rounded = greedy("simd");
  const auto differs = std::ranges::mismatch(exact, rounded);
  if (differs.in1 == exact.end()) return;
  std::string ids = "993,1312,258,556";
  for (auto it = exact.begin(); it != differs.in1; ++it) ids += "," + *it;
  std::vector<float> last = Logits(ids, {"--policy", "reference"});
  last.erase(last.begin(), last.end() - kVocabulary);
  std::ranges::nth_element(last, last.begin() + 1, std::greater<>());
  EXPECT_LE(last[0] - last[1], 2 * kInt8Error) << "after " << ids;
}

TEST_F(Activations, TheHeaderNamesThem) {
  std::vector<std::string> args = {"-p", "Once", "-n", "1", "-v", "--policy", "simd"};
  EXPECT_THAT(RunNamed("infer-run", args).err, HasSubstr("policy simd; "));
  args.insert(args.end(), {"--activations", "float"});
  EXPECT_THAT(RunNamed("infer-run", args).err, HasSubstr("policy simd with activations in f32; "));
}

}  // namespace
}  // namespace infer
