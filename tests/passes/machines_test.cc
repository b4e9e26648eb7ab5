// SPDX-License-Identifier: Apache-2.0
#include "passes/machines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "ir/graph/placement.h"
#include "ir/policy/machine_text.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

TEST(Machines, TheGenericOneIsBuiltInAndNamedAsSuch) {
  absl::StatusOr<MachineDescription> machine = LoadMachine("");
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ(machine->name, "generic");
  const Machine record = RecordOf(*machine);
  EXPECT_EQ(record.origin, Machine::Origin::kGeneric);
  EXPECT_EQ(ParseMachine(record.text, "record").value(), *machine);
  EXPECT_EQ(LoadMachine("generic").value(), *machine);
}

// Estimates of zero would make every other target look bad.
TEST(Machines, TheGenericOneKnowsEveryTarget) {
  const MachineDescription machine = LoadMachine("").value();
  for (Target target : kUserTargets) {
    EXPECT_NE(machine.FindCost(target), nullptr) << Name(target);
    for (std::string_view op : {"linear", "attention", "silu"}) {
      const KernelRate* rate = machine.FindRate(target, op, "q8_0");
      ASSERT_NE(rate, nullptr) << Name(target) << " " << op;
      EXPECT_GT(rate->gb_s, 0);
      EXPECT_GT(rate->cached_gb_s, 0);
      EXPECT_FALSE(rate->rates.empty());
    }
  }
}

// The calibrated examples beside the generic description.
TEST(Machines, ExamplesAreReadAndKnowTheTargetsOfACpu) {
  int examples = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(INFER_SOURCE_DIR "/passes/machines")) {
    if (entry.is_directory() || entry.path().filename() == "generic.textproto") continue;
    SCOPED_TRACE(entry.path().string());
    absl::StatusOr<MachineDescription> machine = LoadMachine(entry.path().string());
    ASSERT_TRUE(machine.ok()) << machine.status();
    EXPECT_EQ(machine->name, entry.path().stem().string());
    EXPECT_EQ(RecordOf(*machine).origin, Machine::Origin::kCalibrated);
    EXPECT_GT(machine->threads, 0);
    EXPECT_GT(machine->call_ns, 0);
    for (Target target : {Target::kScalar, Target::kSimd, Target::kParallel}) {
      EXPECT_NE(machine->FindCost(target), nullptr) << Name(target);
      for (std::string_view op : {"linear", "attention"}) {
        EXPECT_NE(machine->FindRate(target, op, "q8_0"), nullptr) << Name(target) << " " << op;
      }
    }
    ++examples;
  }
  EXPECT_GT(examples, 0);
}

TEST(Machines, ReadsAFile) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "machines_test_host.textproto";
  std::ofstream(path) << R"(name: "host" threads: 3 origin: CALIBRATED)";
  absl::StatusOr<MachineDescription> machine = LoadMachine(path.string());
  std::filesystem::remove(path);
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ(machine->threads, 3);
  EXPECT_EQ(RecordOf(*machine).origin, Machine::Origin::kCalibrated);
}

TEST(Machines, SaysHowToGetAFileThatIsNotThere) {
  EXPECT_THAT(std::string(LoadMachine("/nowhere/host.textproto").status().message()),
              HasSubstr("/nowhere/host.textproto cannot be read; use generic, or calibrate"));
}

}  // namespace
}  // namespace infer
