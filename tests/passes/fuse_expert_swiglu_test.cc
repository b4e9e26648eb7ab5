// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "ir/base/strings.h"
#include "passes/passes.h"
#include "tests/support/same_numbers.h"

namespace infer {
namespace {

using test::ExpectRefusal;
using test::ExpectRewrite;
using test::ExpectSameNumbers;

// `body` is what follows the routing.
std::string Experts(std::string_view body) {
  return StrCat(R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8], %z: f32[T,8]) {
      %router = weight() {name = "router"} : f32[5,8]
      %gate = weight() {name = "gate"} : f32[5,4,8]
      %up = weight() {name = "up"} : f16[5,4,8]
      %s = linear(%x, %router) : f32[T,5]
      %ids, %shares = route(%s) {k = 2, normed = true} : i32[T,2], f32[T,2]
)",
                body, "    }");
}

const std::string kTwoProjections = Experts(R"(
      %g = expert_linear(%x, %gate, %ids) : f32[T,2,4] in "gate_proj"
      %u = expert_linear(%x, %up, %ids) : f32[T,2,4] in "up_proj"
      %y = swiglu(%g, %u) : f32[T,2,4] in "gated"
      return %y)");

TEST(FuseExpertSwiglu, JoinsGateUpAndTheirSwiglu) {
  ExpectRewrite(MakeFuseExpertSwiglu(), kTwoProjections, Experts(R"(
      %y = expert_swiglu(%x, %gate, %up, %ids) : f32[T,2,4] in "gate_proj+up_proj+gated" from "gated"
      return %y)"));
}

TEST(FuseExpertSwiglu, KeepsTheNumbers) {
  ExpectSameNumbers(MakeFuseExpertSwiglu(), kTwoProjections);
}

TEST(FuseExpertSwiglu, LeavesAProjectionThatIsUsedElsewhere) {
  ExpectRefusal(MakeFuseExpertSwiglu(), Experts(R"(
      %g = expert_linear(%x, %gate, %ids) : f32[T,2,4]
      %u = expert_linear(%x, %up, %ids) : f32[T,2,4]
      %y = swiglu(%g, %u) : f32[T,2,4]
      return %y, %u)"),
                "used elsewhere");
}

TEST(FuseExpertSwiglu, LeavesProjectionsOfOtherValues) {
  ExpectRefusal(MakeFuseExpertSwiglu(), Experts(R"(
      %g = expert_linear(%x, %gate, %ids) : f32[T,2,4]
      %u = expert_linear(%z, %up, %ids) : f32[T,2,4]
      %y = swiglu(%g, %u) : f32[T,2,4]
      return %y)"),
                "project other values");
}

TEST(FuseExpertSwiglu, LeavesProjectionsByOtherExperts) {
  ExpectRefusal(MakeFuseExpertSwiglu(), Experts(R"(
      %p = softmax(%s) : f32[T,5]
      %other, %v = top_k(%p) {k = 2, normed = false} : i32[T,2], f32[T,2]
      %g = expert_linear(%x, %gate, %ids) : f32[T,2,4]
      %u = expert_linear(%x, %up, %other) : f32[T,2,4]
      %y = swiglu(%g, %u) : f32[T,2,4]
      return %y)"),
                "other experts");
}

TEST(FuseExpertSwiglu, LeavesASwigluOfOneProjection) {
  ExpectRefusal(MakeFuseExpertSwiglu(), Experts(R"(
      %g = expert_linear(%x, %gate, %ids) : f32[T,2,4]
      %y = swiglu(%g, %g) : f32[T,2,4]
      return %y)"),
                "one projection");
}

}  // namespace
}  // namespace infer
