// SPDX-License-Identifier: Apache-2.0
//
// Linked into a test that runs on the software device: INFER_TEST_ORDER=reverse or =shuffled sets
// the order of threads and of dispatches that no barrier separates. A missing barrier between the
// steps of a command buffer shows only then.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "tests/metal_emulation/emulation.h"

namespace infer::emulation {
namespace {

class DispatchOrder : public ::testing::Environment {
 public:
  void SetUp() override {
    const char* const text = std::getenv("INFER_TEST_ORDER");
    if (text == nullptr) return;
    const std::string_view name = text;
    ASSERT_TRUE(name == "reverse" || name == "shuffled") << "INFER_TEST_ORDER=" << name;
    settings().order = name == "reverse" ? Order::kReverse : Order::kShuffled;
    settings().dispatch_order = settings().order;
    // What a dispatch touches is the same in every order, and costs a third of the time.
    settings().trace = false;
  }
};

const ::testing::Environment* const kRegistered =
    ::testing::AddGlobalTestEnvironment(new DispatchOrder);

}  // namespace
}  // namespace infer::emulation
