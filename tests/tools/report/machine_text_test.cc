// SPDX-License-Identifier: Apache-2.0
#include "tools/report/machine_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Machine kMeasured = {"name: 'host' threads: 2 origin: CALIBRATED",
                           Machine::Origin::kCalibrated};
const Machine kMadeUp = {"name: 'generic' threads: 4", Machine::Origin::kGeneric};

TEST(MachineText, NamesTheMachineAndItsThreads) {
  EXPECT_EQ(MachineText(kMeasured),
            "host, as measured with 2 threads; estimates hold for that number alone");
  EXPECT_THAT(MachineText(kMadeUp), HasSubstr("generic, made up for 4 threads: estimates are "));
  EXPECT_EQ(MachineText({}), "");
  EXPECT_THAT(MachineText({"name: '\\033[2J' threads: 1", Machine::Origin::kGeneric}),
              Not(HasSubstr("\x1b")));
}

TEST(MachineText, TellsTheNumberOfThreads) {
  EXPECT_EQ(MachineThreads(kMeasured), 2);
  EXPECT_EQ(MachineThreads(kMadeUp), 4);
  EXPECT_EQ(MachineThreads({}), 0);
}

TEST(MachineText, WarnsOfAnotherNumberOfThreads) {
  EXPECT_EQ(OtherThreadsWarning(kMeasured, 2), "");
  EXPECT_EQ(OtherThreadsWarning(kMeasured, 1),
            "the machine description host was measured with 2 threads, this run has 1: its "
            "estimates do not hold; calibrate for that number");
  EXPECT_EQ(OtherThreadsWarning(kMadeUp, 1), "");
  EXPECT_EQ(OtherThreadsWarning({}, 1), "");
}

}  // namespace
}  // namespace infer
