// SPDX-License-Identifier: Apache-2.0
#include "ir/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ir/strings.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kMachine = R"pb(
  name: "two"
  origin: CALIBRATED
  threads: 2
  cache_bytes: 1000
  call_ns: 5
  target { target: SIMD step_ns: 10 }
  target { target: PARALLEL step_ns: 100 wake_ns: 200 }
  kernel { target: SIMD gb_s: 1 }
  kernel { target: SIMD type: "q8_0" gb_s: 2 }
  kernel { target: SIMD op: "linear" gb_s: 3 }
  kernel {
    target: SIMD
    op: "linear"
    type: "q8_0"
    gb_s: 4
    rate { rows: 1 gop_s: 10 }
    rate { rows: 16 gop_s: 160 }
  }
)pb";

MachineDescription Parsed() {
  absl::StatusOr<MachineDescription> machine = ParseMachine(kMachine, "two.textproto");
  EXPECT_TRUE(machine.ok()) << machine.status();
  return machine.ok() ? *machine : MachineDescription();
}

std::string ErrorOf(std::string_view text) {
  absl::StatusOr<MachineDescription> machine = ParseMachine(text, "m.textproto");
  EXPECT_FALSE(machine.ok());
  return std::string(machine.status().message());
}

TEST(Machine, ReadsWhatItPrints) {
  const MachineDescription machine = Parsed();
  EXPECT_EQ(machine.name, "two");
  EXPECT_TRUE(machine.calibrated);
  EXPECT_EQ(machine.targets.size(), 2u);
  EXPECT_EQ(machine.FindCost(Target::kParallel)->wake_ns, 200);
  EXPECT_EQ(machine.FindCost(Target::kMetal), nullptr);
  absl::StatusOr<MachineDescription> again = ParseMachine(PrintMachine(machine), "again");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, machine);
}

TEST(Machine, PrefersTheEntryThatSaysMost) {
  const MachineDescription machine = Parsed();
  EXPECT_EQ(machine.FindRate(Target::kSimd, "linear", "q8_0")->gb_s, 4);
  EXPECT_EQ(machine.FindRate(Target::kSimd, "linear", "f16")->gb_s, 3);
  EXPECT_EQ(machine.FindRate(Target::kSimd, "embed", "q8_0")->gb_s, 2);
  EXPECT_EQ(machine.FindRate(Target::kSimd, "embed", "")->gb_s, 1);
  EXPECT_EQ(machine.FindRate(Target::kParallel, "linear", "q8_0"), nullptr);
}

TEST(Machine, InterpolatesRatesBetweenRows) {
  const std::vector<RowRate> rates = {{1, 10}, {16, 160}};
  EXPECT_DOUBLE_EQ(RateAt(rates, 1), 10);
  EXPECT_DOUBLE_EQ(RateAt(rates, 4), 40);
  EXPECT_DOUBLE_EQ(RateAt(rates, 16), 160);
  EXPECT_DOUBLE_EQ(RateAt(rates, 0), 10);
  EXPECT_DOUBLE_EQ(RateAt(rates, 1000), 160);
  EXPECT_DOUBLE_EQ(RateAt({}, 4), 0);
}

TEST(Machine, RefusesWhatItCannotDivideBy) {
  EXPECT_THAT(ErrorOf(R"(threads: 1)"), HasSubstr("m.textproto: the machine has no name"));
  EXPECT_THAT(ErrorOf(R"(name: "a")"), HasSubstr("threads is 0; a machine has at least one"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 cache_bytes: -1)"), HasSubstr("negative"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 call_ns: nan)"), HasSubstr("call_ns is nan"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 target { step_ns: 1 })"),
              HasSubstr("an entry of target: names no target"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 target { target: SIMD step_ns: -1 })"),
              HasSubstr("target simd: step_ns is -1; expected a number from 0 on"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 target { target: SIMD } target { target: SIMD })"),
              HasSubstr("target simd stands there twice"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 kernel { target: SIMD gb_s: inf })"),
              HasSubstr("gb_s is inf"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 kernel { target: SIMD rate { rows: 1 gop_s: 0 } })"),
              HasSubstr("gop_s is 0 at 1 rows; expected a number above 0"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 kernel { target: SIMD rate { rows: 4 gop_s: 1 }
                         rate { rows: 2 gop_s: 1 } })"),
              HasSubstr("rows 2 after 4; rates have rows from 1 on, in ascending order"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 kernel { target: SIMD } kernel { target: SIMD })"),
              HasSubstr("stands there twice"));
}

TEST(Machine, SuggestsNames) {
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 kernel { target: SIMD op: "linea" })"),
              HasSubstr("unknown op \"linea\" (did you mean linear?)"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 kernel { target: SIMD type: "q8_1x" })"),
              HasSubstr("unknown type \"q8_1x\""));
}

TEST(Machine, SaysWhereATextIsWrong) {
  EXPECT_THAT(ErrorOf("name: \"a\"\nthread: 2"), HasSubstr("m.textproto:2:"));
  EXPECT_THAT(ErrorOf(std::string(kMaxMachineBytes + 1, ' ')), HasSubstr("has at most"));
}

}  // namespace
}  // namespace infer
