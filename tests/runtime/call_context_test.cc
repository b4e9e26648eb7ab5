// SPDX-License-Identifier: Apache-2.0
#include "runtime/call_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "backends/backends.h"
#include "runtime/executor.h"
#include "tests/runtime/tiny_program.h"

namespace infer {
namespace {

using test::TinyProgram;
using test::TinyWeights;
using test::VectorWeights;
using ::testing::ElementsAre;

class CallContextTest : public ::testing::Test {
 protected:
  VectorWeights weights_ = TinyWeights();
  std::unique_ptr<KernelRegistry> registry_ = MakeKernelRegistry();
  std::shared_ptr<const Executable> executable_ =
      Executable::CreateAlone(TinyProgram(weights_), weights_, *registry_).value();
};

TEST_F(CallContextTest, StatesMustBeThoseOfTheProgram) {
  KvView view;
  EXPECT_EQ(CallContext::Create(*executable_, {&view, 1}).status().code(),
            absl::StatusCode::kInternal);
}

TEST_F(CallContextTest, OperandsStayWhereArgumentsPointAtThem) {
  auto context = CallContext::Create(*executable_, {});
  ASSERT_TRUE(context.ok()) << context.status();
  const CallContext::RegimeState& regime = (*context)->regimes()[0];
  const Operand* begin = regime.operands.data();
  const Operand* end = begin + regime.operands.size();
  for (const KernelArgs& args : regime.args) {
    EXPECT_TRUE(args.inputs.data() >= begin && args.outputs.data() + args.outputs.size() <= end);
  }
}

// Calls in different contexts leave each other's values alone.
TEST_F(CallContextTest, SeveralContextsRunOneExecutable) {
  auto first = CallContext::Create(*executable_, {}).value();
  auto second = CallContext::Create(*executable_, {}).value();
  Executor one(executable_.get(), first.get());
  Executor two(executable_.get(), second.get());
  const std::array<int32_t, 1> ids_of_one = {3}, ids_of_two = {5}, rows = {0};
  Batch batch;
  batch.out_rows = rows;
  auto run = [&](Executor& executor, const std::array<int32_t, 1>& ids) {
    const std::array<std::span<const std::byte>, 2> inputs = {std::as_bytes(std::span(ids)), {}};
    EXPECT_EQ(executor.Run({1, 1, 1}, inputs, batch), absl::OkStatus());
  };
  run(one, ids_of_one);
  run(two, ids_of_two);
  auto logits = [](const Executor& executor) {
    const float* values = executor.result(0).f32();
    return std::vector<float>(values, values + 3);
  };
  EXPECT_THAT(logits(one), ElementsAre(60, 62, 64));
  EXPECT_THAT(logits(two), ElementsAre(100, 102, 104));
}

}  // namespace
}  // namespace infer
