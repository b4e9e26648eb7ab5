// SPDX-License-Identifier: Apache-2.0
#include "runtime/step_events.h"

#include <gmock/gmock.h>

#include <vector>

#include "runtime/kernel.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Counts the rows of step 1, whose last input has these ids of two experts a row.
void Count(std::vector<int32_t> ids, StepEvents* events) {
  Operand operands[3];
  operands[2].tensor = {reinterpret_cast<std::byte*>(ids.data()), DType::kI32, 2};
  operands[2].tensor.dims[0] = std::ssize(ids) / 2;
  operands[2].tensor.dims[1] = 2;
  KernelArgs args;
  args.inputs = operands;
  events->CountRows(1, args);
}

TEST(StepEvents, CountTheRowsOfEachExpertOfACall) {
  StepEvents events(2, 1);
  events.HasExperts(1, 2, 4);
  Count({0, 3, 3, 1, 3, 0}, &events);
  EXPECT_THAT(events.expert_rows(1), ElementsAre(2, 1, 0, 3));
  Count({2, 1}, &events);  // of the last call alone
  EXPECT_THAT(events.expert_rows(1), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(events.expert_rows(0), IsEmpty());
}

TEST(StepEvents, IgnoreIdsThatAreNoExpert) {
  StepEvents events(2, 1);
  events.HasExperts(1, 2, 2);
  Count({-1, 2, 1, 1 << 30}, &events);
  EXPECT_THAT(events.expert_rows(1), ElementsAre(0, 1));
}

TEST(StepEvents, CountNothingInStepsWithoutExperts) {
  StepEvents events(2, 1);
  events.CountRows(1, KernelArgs());
  EXPECT_THAT(events.expert_rows(1), IsEmpty());
}

}  // namespace
}  // namespace infer
