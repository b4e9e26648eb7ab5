// SPDX-License-Identifier: Apache-2.0
//
// What infer-compile --dry-run predicts against what a run has resident, in a process of its own.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/cli/captured_run.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

namespace infer {
namespace {

constexpr bool kSanitized =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    true;
#else
    false;
#endif

double PredictedMebibytes(const std::string& flags) {
  CapturedRun run = RunShell("$BIN/infer-compile --dry-run " + flags);
  size_t at = run.out.find("  total ");
  return at == std::string::npos ? 0 : std::stod(run.out.substr(at + 8));
}

double MeasuredMebibytes(const std::string& flags) {
  CapturedRun run =
      RunShell("$BIN/infer-run --temp 0 --ignore-eos --emit ids --stats json " + flags);
  nlohmann::json stats = nlohmann::json::parse(run.err.substr(run.err.rfind('{')));
  return stats["peak_memory_bytes"].get<double>() / (1 << 20);
}

// The estimate is made for release builds. One with asserts has more code to page in: 0.5 MiB more
// with clang on aarch64, 2.7 MiB with g++, 4.4 MiB with clang on x86-64 and 6.4 MiB if lld links
// it.
#ifdef NDEBUG
constexpr double kMoreCodeMebibytes = 0;
#else
constexpr double kMoreCodeMebibytes = 8;
#endif

// Models have at least 50 MB of weights, so that what differs between systems, the process itself,
// is a small part.
void ExpectPredicted(const std::string& shape, const std::string& policy) {
  TempDir folder;
  std::string model = folder.Path("model.gguf");
  ASSERT_EQ(RunShell("$BIN/infer-synth --vocab small --head-dim 64 " + shape + " -o " + model).code,
            0);
  const std::string context = "-c 512 -ub 128 --policy " + policy + " -m " + model;
  std::string ids = "1";
  for (int i = 2; i <= 480; ++i) ids += "," + std::to_string(i % 256);
  double predicted = PredictedMebibytes(context);
  ASSERT_GT(predicted, 0);
  const double most = 1.05 * predicted + kMoreCodeMebibytes;
  EXPECT_LE(MeasuredMebibytes(context + " --ids 1,2,3 -n 1"), most);
  double full = MeasuredMebibytes(context + " -n 33 --ids " + ids);
  EXPECT_LE(full, most);
  EXPECT_GE(full, 0.95 * predicted);
}

TEST(Memory, PredictionHoldsAndIsReachedWithAFullContext) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's own memory is not predicted";
  ExpectPredicted("--type f32 --layers 4 --hidden 512 --heads 8 --kv-heads 4 --ff 1536", "scalar");
}

// File and packed copy together would be nearly twice what is predicted.
TEST(Memory, PredictionHoldsForPackedWeights) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's own memory is not predicted";
  ExpectPredicted("--type q8_0 --layers 8 --hidden 768 --heads 12 --kv-heads 4 --ff 3072", "simd");
}

}  // namespace
}  // namespace infer
