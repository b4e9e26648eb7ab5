// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::ExpectRefusal;
using test::ExpectRewrite;
using test::ExpectUnchanged;
using test::RuleFor;
using test::TestMachine;

// A GPU with its own memory that runs these ops, and scalar for the rest.
TestMachine Gpu(std::initializer_list<std::string_view> ops, int64_t candidates = 4) {
  TestMachine machine;
  machine.policy.rules = {RuleFor("all", {Target::kCuda, Target::kScalar})};
  for (std::string_view op : ops) machine.catalog.Add(op, Target::kCuda);
  machine.candidates = candidates;
  return machine;
}

constexpr std::string_view kLogits = R"(
    graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[R,8]) {
      %w = weight() {name = "w"} : f32[16,8]
      %l = linear(%x, %w) : f32[R,16] in "output"
      return %l, %x
    })";

TEST(SelectCandidates, AddsTheLargestLogitsAsLastResults) {
  ExpectRewrite(MakeSelectCandidates(), kLogits, R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[R,8]) {
        %w = weight() {name = "w"} : f32[16,8]
        %l = linear(%x, %w) : f32[R,16] in "output"
        %i, %v = top_k(%l) {k = 4, normed = false} : i32[R,4], f32[R,4] in "candidates"
        return %l, %x, %i, %v
      })",
                Gpu({"linear", "top_k"}));
}

TEST(SelectCandidates, TakesNoMoreThanThereAre) {
  ExpectRewrite(MakeSelectCandidates(), kLogits, R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[R,8]) {
        %w = weight() {name = "w"} : f32[16,8]
        %l = linear(%x, %w) : f32[R,16] in "output"
        %i, %v = top_k(%l) {k = 16, normed = false} : i32[R,16], f32[R,16] in "candidates"
        return %l, %x, %i, %v
      })",
                Gpu({"linear", "top_k"}, 64));
}

TEST(SelectCandidates, DoesNothingUnlessAsked) {
  ExpectUnchanged(MakeSelectCandidates(), kLogits, Gpu({"linear", "top_k"}, 0));
}

TEST(SelectCandidates, LeavesLogitsThatAreComputedInTheMemoryOfTheCpu) {
  ExpectUnchanged(MakeSelectCandidates(), kLogits, Gpu({"top_k"}));
}

TEST(SelectCandidates, LeavesLogitsWhoseTargetHasNoKernelForIt) {
  ExpectRefusal(MakeSelectCandidates(), kLogits, "no kernel", Gpu({"linear"}));
}

TEST(SelectCandidates, LeavesResultsThatAreNotLogits) {
  const std::string all_rows = R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8]) {
        %w = weight() {name = "w"} : f32[16,8]
        %l = linear(%x, %w) : f32[T,16]
        return %l
      })";
  ExpectUnchanged(MakeSelectCandidates(), all_rows, Gpu({"linear", "top_k"}));
}

}  // namespace
}  // namespace infer
