// SPDX-License-Identifier: Apache-2.0
#include "ir/policy/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ir/base/strings.h"
#include "ir/policy/machine_text.h"

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
  target { target: RANKS step_ns: 9 }
  kernel { target: SIMD gb_s: 1 }
  kernel { target: RANKS op: "all_reduce" fixed_ns: 40 }
  kernel { target: SIMD type: "q8_0" gb_s: 2 }
  kernel { target: SIMD op: "linear" gb_s: 3 }
  kernel {
    target: SIMD
    op: "linear"
    type: "q8_0"
    gb_s: 4
    rate { rows: 1 gop_s: 10 }
    rate { rows: 16 gop_s: 160 fixed_ns: 7 }
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
  EXPECT_EQ(machine.targets.size(), 3u);
  EXPECT_EQ(machine.FindRate(Target::kRanks, "all_reduce", "")->fixed_ns, 40);
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
  const std::vector<RowRate> launches = {{1, 10}, {2, 10, 100}, {8, 10, 500}};
  EXPECT_DOUBLE_EQ(FixedAt(launches, 1), 0);
  EXPECT_DOUBLE_EQ(FixedAt(launches, 2), 100);
  EXPECT_DOUBLE_EQ(FixedAt(launches, 4), 300);
  EXPECT_DOUBLE_EQ(FixedAt(launches, 64), 500);
  EXPECT_DOUBLE_EQ(FixedAt({}, 4), 0);
}

TEST(Machine, RefusesWhatItCannotDivideBy) {
  EXPECT_THAT(ErrorOf(R"(threads: 1)"), HasSubstr("m.textproto: the machine has no name"));
  EXPECT_THAT(ErrorOf(R"(name: "a")"), HasSubstr("threads is 0; expected 1 to 4096"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 cache_bytes: -1)"),
              HasSubstr("cache_bytes is -1; expected 0 to"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 call_ns: nan)"), HasSubstr("call_ns is nan"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 target { step_ns: 1 })"),
              HasSubstr("an entry of target: names no target"));
  EXPECT_THAT(
      ErrorOf(R"(name: "a" threads: 1 target { target: SIMD step_ns: -1 })"),
      HasSubstr("m.textproto:1:22: target simd: step_ns is -1; expected a number from 0 to"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 target { target: SIMD } target { target: SIMD })"),
              HasSubstr("target simd is listed twice"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 kernel { target: SIMD gb_s: inf })"),
              HasSubstr("gb_s is inf"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 kernel { target: SIMD rate { rows: 1 gop_s: 0 } })"),
              HasSubstr("gop_s is 0 at 1 rows; expected a number from 0.001 to"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 kernel { target: SIMD rate { rows: 4 gop_s: 1 }
                         rate { rows: 2 gop_s: 1 } })"),
              HasSubstr("rows 2 after 4; rates must have rows from 1 up, in ascending order"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 kernel { target: SIMD } kernel { target: SIMD })"),
              HasSubstr("is listed twice"));
}

TEST(Machine, RefusesAnOriginByANumberThatIsNone) {
  EXPECT_EQ(ErrorOf("name: 'a' threads: 1\norigin: 7"),
            "m.textproto:2:1: origin is 7; expected GENERIC or CALIBRATED");
}

// Estimates would overflow, and an error about a node of the model would come of it.
TEST(Machine, RefusesNumbersThatNoMachineHas) {
  EXPECT_THAT(ErrorOf("name: 'a' threads: 2147483647"),
              HasSubstr("m.textproto:1:11: threads is 2147483647; expected 1 to 4096"));
  EXPECT_THAT(ErrorOf("name: 'a' threads: 1 cache_bytes: 9000000000000000000"),
              HasSubstr("cache_bytes is 9000000000000000000; expected 0 to 1099511627776"));
  EXPECT_THAT(ErrorOf("name: 'a' threads: 1 call_ns: 1e300"),
              HasSubstr("m.textproto:1:22: call_ns is 1e+300; expected a number from 0 to 1e+12"));
  EXPECT_THAT(ErrorOf("name: 'a' threads: 1\nkernel { target: SIMD op: 'linear' gb_s: 1e-300 }"),
              HasSubstr("m.textproto:2:1: kernel linear on simd: gb_s is 1e-300; expected 0 for "
                        "unknown, or a number from 0.001 to 1e+06"));
  EXPECT_THAT(ErrorOf("name: 'a' threads: 1 kernel { target: SIMD cached_gb_s: 1e300 }"),
              HasSubstr("cached_gb_s is 1e+300"));
  EXPECT_THAT(ErrorOf("name: 'a' threads: 1 kernel { target: SIMD start_elements: 1e300 }"),
              HasSubstr("start_elements is 1e+300"));
  EXPECT_THAT(ErrorOf("name: 'a' threads: 1 kernel { target: SIMD rate { rows: 1 gop_s: 1e-9 } }"),
              HasSubstr("gop_s is 1e-09 at 1 rows"));
  EXPECT_THAT(ErrorOf("name: 'a' threads: 1 kernel { target: SIMD rate { rows: 2 gop_s: 1 "
                      "fixed_ns: 1e300 } }"),
              HasSubstr("at 2 rows: fixed_ns is 1e+300; expected a number from 0 to 1e+12"));
  EXPECT_THAT(ErrorOf("name: 'a' threads: 1 target { target: METAL copy_gb_s: 1e-9 }"),
              HasSubstr("copy_gb_s is 1e-09"));
}

TEST(Machine, RefusesANameThatATerminalWouldObey) {
  EXPECT_THAT(ErrorOf("name: 'a\\033[2J' threads: 1"),
              HasSubstr("the machine's name \"a\\x1b[2J\" has a control character"));
}

TEST(Machine, SuggestsNames) {
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 kernel { target: SIMD op: "linea" })"),
              HasSubstr("unknown op \"linea\" (did you mean linear?)"));
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1 kernel { target: SIMD type: "q8_1x" })"),
              HasSubstr("unknown type \"q8_1x\""));
}

TEST(Machine, OnlyCollectivesHaveFormsOfMessages) {
  EXPECT_TRUE(ParseMachine(R"(name: "a" threads: 1
                              kernel { target: RANKS op: "all_gather" type: "int8x32" })",
                           "m")
                  .ok());
  EXPECT_THAT(ErrorOf(R"(name: "a" threads: 1
                         kernel { target: SIMD op: "linear" type: "int8x32" })"),
              HasSubstr("unknown type \"int8x32\""));
}

TEST(Machine, SaysWhereATextIsWrong) {
  EXPECT_EQ(ErrorOf("name: \"a\"\nthread: 2"),
            "m.textproto:2:1: a machine description has no field thread (did you mean threads?)");
  EXPECT_EQ(ErrorOf("name: 'a'\nkernel {\n  target: SIMD\n  gbs: 2 }"),
            "m.textproto:4:3: an entry of kernel has no field gbs (did you mean gb_s?)");
  EXPECT_EQ(ErrorOf("kernel { rate { row: 1 } }"),
            "m.textproto:1:17: an entry of rate has no field row (did you mean rows?)");
  EXPECT_THAT(ErrorOf("origin: CALIBRATE"),
              HasSubstr("origin has no value CALIBRATE (did you mean CALIBRATED?)"));
  EXPECT_THAT(ErrorOf("kernel { target: SIMDD }"),
              HasSubstr("target has no value SIMDD (did you mean SIMD?)"));
  EXPECT_THAT(ErrorOf(std::string(kMaxMachineBytes + 1, ' ')), HasSubstr("has at most"));
}

}  // namespace
}  // namespace infer
