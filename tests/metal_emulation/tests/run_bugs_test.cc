// SPDX-License-Identifier: Apache-2.0
//
// Every kernel of bugs/run/{barriers,simdgroups,memory}.metal has one mistake. The software device
// must name it, or the result must be visibly wrong, in every order of threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "tests/metal_emulation/runtime/poison.h"
#include "tests/metal_emulation/tests/metal_harness.h"

#ifndef __has_feature
#define __has_feature(name) 0
#endif

namespace infer::emulation {
namespace {

using ::testing::HasSubstr;

constexpr size_t kBugThreads = 64;

std::vector<float> Input() {
  std::vector<float> values(kBugThreads);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 16);
  return values;
}

struct Result {
  std::string error;
  std::vector<float> out;
};

Result RunKernel(const std::string& file, const std::string& kernel, const Settings& settings,
                 size_t threads = kBugThreads, size_t bytes = kBugThreads * sizeof(float)) {
  const ScopedSettings scoped(settings);
  MetalHarness metal;
  const auto pipeline = metal.Pipeline("tests/metal_emulation/bugs/run/" + file + ".metal", kernel);
  if (!pipeline) return {"no pipeline", {}};
  const auto in = metal.BufferOf(Input());
  const auto out = metal.Buffer(bytes);
  Result result;
  result.error = metal.Run(pipeline.get(), {{0, out.get()}, {1, in.get()}}, MTL::Size(1, 1, 1),
                           MTL::Size(threads, 1, 1));
  result.out = Contents<float>(out);
  return result;
}

// A mistake that the device names.
struct Fault {
  std::string file, kernel, expected;
  int line = 0;  // of the message; 0: the kernel's, whatever it is
  size_t threads = kBugThreads;
  size_t bytes = kBugThreads * sizeof(float);  // of the result
};

std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.kernel; }

class RunFault : public ::testing::TestWithParam<Fault> {};

TEST_P(RunFault, EndsTheCommandBufferWithAnErrorThatNamesIt) {
  const Fault& fault = GetParam();
  for (const Settings& settings : AllOrders()) {
    const Result result = RunKernel(fault.file, fault.kernel, settings, fault.threads);
    EXPECT_THAT(result.error, HasSubstr(fault.expected));
    EXPECT_THAT(result.error, HasSubstr("kernel '" + fault.kernel + "'"));
    const std::string place = fault.file + ".metal:";
    EXPECT_THAT(result.error,
                HasSubstr(fault.line > 0 ? place + std::to_string(fault.line) + ":" : place));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Bugs, RunFault,
    ::testing::Values(
        Fault{"barriers", "barriers_in_both_branches", "divergent threadgroup_barrier"},
        Fault{"barriers", "barrier_in_one_branch", "24 threads do not reach: they have returned",
              46},
        Fault{"barriers", "barrier_after_return", "1 threads do not reach: they have returned", 53},
        Fault{"barriers", "barrier_against_simd_sum", "divergent"},
        Fault{"simdgroups", "simd_sum_of_half", "simd_sum"},
        Fault{"simdgroups", "simd_sums_in_both_branches", "divergent simdgroup operations"},
        Fault{"simdgroups", "different_operations", "divergent simdgroup operations", 27},
        Fault{"simdgroups", "lane_returned", "returned"},
        Fault{"simdgroups", "matrix_product", "fewer than 32 lanes", 58, 16},
        Fault{"memory", "store_far_beyond", "beyond the end of a buffer of 256 bytes"},
        Fault{"memory", "load_beyond", "beyond the end of a buffer of 256 bytes"},
        Fault{"memory", "load_before", "out-of-bounds access"},
        Fault{"memory", "too_much_threadgroup_memory", "beyond the 32768 bytes of a threadgroup"}),
    [](const auto& test) { return test.param.kernel; });

// Accesses that are less than a page beyond the end of a buffer or of threadgroup memory.
class SmallOverrun : public ::testing::TestWithParam<Fault> {};

TEST_P(SmallOverrun, IsNamedOrSeenByAddressSanitizer) {
  const Fault& fault = GetParam();
  if (kHasAddressSanitizer) {
    // What it does not know, an end at a page's end, is named as in other builds.
    EXPECT_DEATH(
        {
          std::fputs(RunKernel(fault.file, fault.kernel, Settings(), kBugThreads, fault.bytes)
                         .error.c_str(),
                     stderr);
          std::abort();
        },
        "AddressSanitizer|out of bounds|" + fault.expected);
    return;
  }
  for (const Settings& settings : AllOrders()) {
    const Result result = RunKernel(fault.file, fault.kernel, settings, kBugThreads, fault.bytes);
    EXPECT_THAT(result.error, HasSubstr(fault.expected));
    EXPECT_THAT(result.error, HasSubstr(fault.file + ".metal:"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Bugs, SmallOverrun,
    ::testing::Values(
        Fault{"memory", "store_just_beyond",
              "store 0 bytes beyond the end of a buffer of 252 bytes", 0, kBugThreads, 252},
        Fault{"memory", "load_just_beyond", "load 0 bytes beyond the end of a buffer of 256 bytes"},
        Fault{"memory", "threadgroup_store_beyond",
              "wrote beyond the end of threadgroup memory 'values'"}),
    [](const auto& test) { return test.param.kernel; });

// The kind of load that CPUs make and GPUs do not.
TEST(RunBugs, AMisalignedVectorIsAFaultOrSeenByUndefinedBehaviorSanitizer) {
  if (kHasAddressSanitizer) {
    EXPECT_DEATH(RunKernel("memory", "misaligned_vector", Settings()), "misaligned address");
    return;
  }
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the check calls a function that ThreadSanitizer also has";
#endif
  for (const Settings& settings : AllOrders()) {
    const Result result = RunKernel("memory", "misaligned_vector", settings);
    EXPECT_THAT(result.error, HasSubstr("misaligned access: 8 bytes off a multiple of 16"));
    EXPECT_THAT(result.error, HasSubstr("memory.metal:72: kernel 'misaligned_vector'"));
  }
}

// A mistake that only the result shows: what it should be, for each thread.
struct WrongResult {
  std::string file, kernel;
  float (*expected)(const std::vector<float>& in, size_t i);
};

std::ostream& operator<<(std::ostream& out, const WrongResult& bug) { return out << bug.kernel; }

float Neighbours(const std::vector<float>& in, size_t i) {
  return in[(i + 1) % 64] + in[(i + 63) % 64];
}

class RunWrong : public ::testing::TestWithParam<WrongResult> {};

TEST_P(RunWrong, GivesAWrongResultInEveryOrder) {
  const WrongResult& bug = GetParam();
  const std::vector<float> in = Input();
  for (const Settings& settings : AllOrders()) {
    const Result result = RunKernel(bug.file, bug.kernel, settings, kBugThreads);
    EXPECT_EQ(result.error, "");
    bool wrong = false;
    for (size_t i = 0; i < kBugThreads; ++i) wrong |= !(result.out[i] == bug.expected(in, i));
    EXPECT_TRUE(wrong) << "order " << static_cast<int>(settings.order);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Bugs, RunWrong,
    ::testing::Values(WrongResult{"barriers", "no_first_barrier", Neighbours},
                      WrongResult{"barriers", "no_second_barrier",
                                  [](const std::vector<float>& in, size_t i) {
                                    return 2 * Neighbours(in, i) + 2;
                                  }},
                      WrongResult{"simdgroups", "no_simdgroup_barrier",
                                  [](const std::vector<float>& in, size_t i) {
                                    return in[i / 32 * 32 + 31 - i % 32];
                                  }},
                      WrongResult{"simdgroups", "matrix_nobody_set",
                                  [](const std::vector<float>& in, size_t i) {
                                    float sum = 0;
                                    for (size_t k = 0; k < 8; ++k)
                                      sum += in[i / 8 * 8 + k] * in[k * 8 + i % 8];
                                    return sum;
                                  }},
                      WrongResult{
                          "memory", "threadgroup_memory_nobody_wrote",
                          [](const std::vector<float>& in, size_t i) { return in[0] + in[i]; }},
                      WrongResult{"memory", "result_nobody_wrote",
                                  [](const std::vector<float>& in, size_t i) { return in[i]; }}),
    [](const auto& test) { return test.param.kernel; });

// What nobody wrote is NaN, not a number that may happen to be right.
TEST(RunBugs, UnwrittenMemoryIsNaN) {
  EXPECT_TRUE(
      std::isnan(RunKernel("memory", "threadgroup_memory_nobody_wrote", Settings()).out[3]));
  EXPECT_TRUE(std::isnan(RunKernel("memory", "result_nobody_wrote", Settings()).out[5]));
  EXPECT_TRUE(std::isnan(RunKernel("simdgroups", "matrix_nobody_set", Settings()).out[0]));
}

// A dispatch that failed leaves fibers behind; the next one must not notice.
TEST(RunBugs, TheDeviceGoesOnAfterAFault) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(RunKernel("simdgroups", "simd_sum_of_half", Settings()).error, "");
    EXPECT_NE(RunKernel("memory", "load_beyond", Settings()).error, "");
    const Result good = RunKernel("simdgroups", "matrix_product", Settings(), 32);
    EXPECT_EQ(good.error, "");
    EXPECT_FALSE(std::isnan(good.out[0]));
  }
}

}  // namespace
}  // namespace infer::emulation
