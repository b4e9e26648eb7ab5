// SPDX-License-Identifier: Apache-2.0
#include "ir/verify_offers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "ir/strings.h"
#include "ir/verifier.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

Program Offering() {
  Program program = infer::testing::SampleProgram();
  infer::testing::AddOffers(&program);
  return program;
}

TEST(VerifyOffers, AcceptsProgramsWithAndWithoutThem) {
  EXPECT_EQ(Verify(infer::testing::SampleProgram()), absl::OkStatus());
  EXPECT_EQ(Verify(Offering()), absl::OkStatus());
}

struct Defect {
  const char* name;
  std::function<void(Program&)> damage;
  const char* message;
};

void PrintTo(const Defect& defect, std::ostream* out) { *out << defect.name; }

class OfferDefects : public ::testing::TestWithParam<Defect> {};

TEST_P(OfferDefects, AreRefused) {
  Program program = Offering();
  GetParam().damage(program);
  absl::Status status = Verify(program);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(std::string(ToStd(status.message())), HasSubstr(GetParam().message));
}

const Defect kDefects[] = {
    {"NoName", [](Program& p) { p.kernels[1].name = ""; }, "has no name"},
    {"UnknownOp", [](Program& p) { p.kernels[1].op = "embd"; }, "runs the unknown op \"embd\""},
    {"Twice", [](Program& p) { p.kernels[1] = p.kernels[0]; },
     "twice in the list, for embed on scalar"},
    {"NoRows", [](Program& p) { p.kernels[0].min_rows = 0; }, "takes 0 to "},
    {"EmptyRange", [](Program& p) { p.kernels[0].max_rows = 0; }, "takes 1 to 0 rows"},
    {"RowsOfOffer", [](Program& p) { p.offers[0].rows = 0; }, "offer 0 is for 0 rows"},
    {"KernelPastTheEnd", [](Program& p) { p.offers[0].kernels[0] = 1000; }, "names kernel 1000 of"},
    {"KernelBelowZero", [](Program& p) { p.offers[0].kernels[0] = -1; }, "names kernel -1 of"},
    {"KernelsOfTwoOps", [](Program& p) { p.offers[0].kernels[1] = 2; },
     "has kernels for embed and for rms_norm"},
    {"TooManyKernels", [](Program& p) { p.offers[0].kernels.resize(257); }, "has 257 kernels"},
    {"PartOfItself", [](Program& p) { p.offers[1].parts = {1}; }, "offer 1 has the part 1"},
    {"OfferPastTheEnd", [](Program& p) { p.regimes[0].offers[0] = 99; }, "has the offer 99 of"},
    {"OfferOfAnotherOp", [](Program& p) { p.regimes[0].offers[0] = 1; },
     "runs on kernel \"embed_scalar\" of scalar, which its offer 1 does not list"},
    {"TooFew", [](Program& p) { p.regimes[1].offers.pop_back(); },
     "the regime of 5..16 tokens: has 9 offers for 10 placed nodes"},
    {"TooMany", [](Program& p) { p.regimes[1].offers.push_back(0); }, "11 offers for 10 placed"},
    {"NoTable", [](Program& p) { p.offers.clear(); }, "has the offer 0 of 0"},
};

INSTANTIATE_TEST_SUITE_P(All, OfferDefects, ::testing::ValuesIn(kDefects),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace infer
