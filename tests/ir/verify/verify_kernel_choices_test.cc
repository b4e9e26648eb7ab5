// SPDX-License-Identifier: Apache-2.0
#include "ir/verify/verify_kernel_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "ir/base/strings.h"
#include "ir/verify/verifier.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

Program WithKernelChoices() {
  Program program = test::SampleProgram();
  test::AddKernelChoices(&program);
  return program;
}

TEST(VerifyKernelChoices, AcceptsProgramsWithAndWithoutThem) {
  EXPECT_EQ(Verify(test::SampleProgram()), absl::OkStatus());
  EXPECT_EQ(Verify(WithKernelChoices()), absl::OkStatus());
}

struct ChoiceDefect {
  const char* name;
  std::function<void(Program&)> damage;
  const char* message;
};

void PrintTo(const ChoiceDefect& defect, std::ostream* out) { *out << defect.name; }

class KernelChoiceDefects : public ::testing::TestWithParam<ChoiceDefect> {};

TEST_P(KernelChoiceDefects, AreRefused) {
  Program program = WithKernelChoices();
  GetParam().damage(program);
  absl::Status status = Verify(program);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(std::string(ToStd(status.message())), HasSubstr(GetParam().message));
}

const ChoiceDefect kDefects[] = {
    {"NoName", [](Program& p) { p.kernels[1].name = ""; }, "has no name"},
    {"UnknownOp", [](Program& p) { p.kernels[1].op = "embd"; }, "runs the unknown op \"embd\""},
    {"Twice", [](Program& p) { p.kernels[1] = p.kernels[0]; },
     "is listed twice, for embed on scalar"},
    {"NoRows", [](Program& p) { p.kernels[0].min_rows = 0; }, "takes 0 to "},
    {"EmptyRange", [](Program& p) { p.kernels[0].max_rows = 0; }, "takes 1 to 0 rows"},
    {"RowsOfChoice", [](Program& p) { p.kernel_choices[0].rows = 0; },
     "kernel choice 0 is for 0 rows"},
    {"KernelPastTheEnd", [](Program& p) { p.kernel_choices[0].kernels[0] = 1000; },
     "names kernel 1000; the number of kernels is"},
    {"KernelBelowZero", [](Program& p) { p.kernel_choices[0].kernels[0] = -1; },
     "names kernel -1; the number of kernels is"},
    {"KernelsOfTwoOps", [](Program& p) { p.kernel_choices[0].kernels[1] = 2; },
     "has kernels for embed and for rms_norm"},
    {"TooManyKernels", [](Program& p) { p.kernel_choices[0].kernels.resize(257); },
     "has 257 kernels"},
    {"PartOfItself", [](Program& p) { p.kernel_choices[1].parts = {1}; },
     "kernel choice 1 has the part 1"},
    {"KernelTwice",
     [](Program& p) { p.kernel_choices[0].kernels[1] = p.kernel_choices[0].kernels[0]; },
     "kernel choice 0 names kernel 0 twice"},
    {"ChoiceTwice", [](Program& p) { p.kernel_choices.push_back(p.kernel_choices[1]); },
     "is listed twice"},
    {"PartTwice", [](Program& p) { p.kernel_choices[2].parts = {1, 1}; },
     "kernel choice 2 has the part 1 after 1; parts must be in ascending order, each once"},
    {"PartsOutOfOrder", [](Program& p) { p.kernel_choices[2].parts = {1, 0}; },
     "has the part 0 after 1"},
    {"RowsAboveTheLimit", [](Program& p) { p.kernel_choices[0].rows = kMaxDim + 1; },
     "kernel choice 0 is for 2147483648 rows"},
    {"RowsOfAnother", [](Program& p) { p.kernel_choices[0].rows = Symbol::kR; },
     "%embed (embed): has T rows, its kernel choice 0 is for R"},
    {"KernelOfFewerRows", [](Program& p) { p.kernels[0].max_rows = 15; },
     "the regime of 5..16 tokens: %embed (embed): has 5 to 16 rows, its kernel \"embed_scalar\" "
     "takes 1 to 15"},
    {"KernelOfMoreRows", [](Program& p) { p.kernels[0].min_rows = 2; },
     "the regime of 1..4 tokens: %embed (embed): has 1 to 4 rows"},
    {"ChoicePastTheEnd", [](Program& p) { p.regimes[0].kernel_choices[0] = 99; },
     "has the kernel choice 99; the number of kernel choices is"},
    {"ChoiceOfAnotherOp", [](Program& p) { p.regimes[0].kernel_choices[0] = 1; },
     "runs on kernel \"embed_scalar\" of scalar, which its kernel choice 1 does not list"},
    {"TooFew", [](Program& p) { p.regimes[1].kernel_choices.pop_back(); },
     "the regime of 5..16 tokens: has 9 kernel choices for 10 placed nodes"},
    {"TooMany", [](Program& p) { p.regimes[1].kernel_choices.push_back(0); },
     "11 kernel choices for 10 placed"},
    {"NoTable", [](Program& p) { p.kernel_choices.clear(); },
     "has the kernel choice 0; the number of kernel choices is 0"},
};

// Whoever reads kernel choices follows their parts by recursion.
TEST(VerifyKernelChoices, RefusesPartsThatNestTooDeep) {
  Program program = WithKernelChoices();
  program.kernel_choices.push_back({Symbol::kS, {}});
  while (program.kernel_choices.size() < 200000) {
    const auto last = static_cast<int32_t>(program.kernel_choices.size() - 1);
    program.kernel_choices.push_back({Symbol::kS, {}, {last}});
  }
  EXPECT_THAT(std::string(ToStd(Verify(program).message())), HasSubstr("nest 17 deep"));
}

// Each level names all before it: so few kernel choices have 2^15 parts.
TEST(VerifyKernelChoices, RefusesMorePartsThanAnOpHas) {
  Program program = WithKernelChoices();
  const auto first = static_cast<int32_t>(program.kernel_choices.size());
  for (int32_t i = 0; i < 15; ++i) {
    KernelChoice choice = {Symbol::kS, {}};
    for (int32_t part = 0; part < i; ++part) choice.parts.push_back(first + part);
    program.kernel_choices.push_back(choice);
  }
  EXPECT_THAT(std::string(ToStd(Verify(program).message())), HasSubstr("expected at most 16 and"));
}

INSTANTIATE_TEST_SUITE_P(All, KernelChoiceDefects, ::testing::ValuesIn(kDefects),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace infer
