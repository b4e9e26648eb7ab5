// SPDX-License-Identifier: Apache-2.0
#include "ir/verify/verify_offers.h"

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
    {"KernelTwice", [](Program& p) { p.offers[0].kernels[1] = p.offers[0].kernels[0]; },
     "offer 0 names kernel 0 twice"},
    {"OfferTwice", [](Program& p) { p.offers.push_back(p.offers[1]); }, "stands twice in the list"},
    {"PartTwice", [](Program& p) { p.offers[2].parts = {1, 1}; },
     "offer 2 has the part 1 after 1; parts must be in ascending order, each once"},
    {"PartsOutOfOrder", [](Program& p) { p.offers[2].parts = {1, 0}; }, "has the part 0 after 1"},
    {"RowsAboveTheLimit", [](Program& p) { p.offers[0].rows = kMaxDim + 1; },
     "offer 0 is for 2147483648 rows"},
    {"RowsOfAnother", [](Program& p) { p.offers[0].rows = Symbol::kR; },
     "%embed (embed): has T rows, its offer 0 is for R"},
    {"KernelOfFewerRows", [](Program& p) { p.kernels[0].max_rows = 15; },
     "the regime of 5..16 tokens: %embed (embed): has 5 to 16 rows, its kernel \"embed_scalar\" "
     "takes 1 to 15"},
    {"KernelOfMoreRows", [](Program& p) { p.kernels[0].min_rows = 2; },
     "the regime of 1..4 tokens: %embed (embed): has 1 to 4 rows"},
    {"OfferPastTheEnd", [](Program& p) { p.regimes[0].offers[0] = 99; }, "has the offer 99 of"},
    {"OfferOfAnotherOp", [](Program& p) { p.regimes[0].offers[0] = 1; },
     "runs on kernel \"embed_scalar\" of scalar, which its offer 1 does not list"},
    {"TooFew", [](Program& p) { p.regimes[1].offers.pop_back(); },
     "the regime of 5..16 tokens: has 9 offers for 10 placed nodes"},
    {"TooMany", [](Program& p) { p.regimes[1].offers.push_back(0); }, "11 offers for 10 placed"},
    {"NoTable", [](Program& p) { p.offers.clear(); }, "has the offer 0 of 0"},
};

// Whoever reads offers follows their parts by recursion.
TEST(VerifyOffers, RefusesPartsThatNestTooDeep) {
  Program program = Offering();
  program.offers.push_back({Symbol::kS, {}});
  while (program.offers.size() < 200000) {
    const auto last = static_cast<int32_t>(program.offers.size() - 1);
    program.offers.push_back({Symbol::kS, {}, {last}});
  }
  EXPECT_THAT(std::string(ToStd(Verify(program).message())), HasSubstr("nest 17 deep"));
}

// Each level names all before it: so few offers have 2^15 parts.
TEST(VerifyOffers, RefusesMorePartsThanAnOpHas) {
  Program program = Offering();
  const auto first = static_cast<int32_t>(program.offers.size());
  for (int32_t i = 0; i < 15; ++i) {
    Offer offer = {Symbol::kS, {}};
    for (int32_t part = 0; part < i; ++part) offer.parts.push_back(first + part);
    program.offers.push_back(offer);
  }
  EXPECT_THAT(std::string(ToStd(Verify(program).message())), HasSubstr("expected at most 16 and"));
}

INSTANTIATE_TEST_SUITE_P(All, OfferDefects, ::testing::ValuesIn(kDefects),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace infer
