// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/generator/functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer::emulation {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> Names(const std::vector<FunctionDefinition>& functions) {
  std::vector<std::string> names;
  for (const FunctionDefinition& function : functions) names.emplace_back(function.name);
  return names;
}

TEST(FindFunctions, SeesThoseInNamespacesAndStructs) {
  const std::string text = R"(
    namespace a { float F(int x) { if (x) { return 1; } return 2; } }
    struct S { int m; float G() const { return m; } };
    enum : uint { kA = 4 };
    constant float table[] = {1, 2};
    template <typename T> kernel void K(device T* out [[buffer(0)]]) { for (;;) {} })";
  EXPECT_THAT(Names(FindFunctions(Tokenize(text))), ElementsAre("F", "G", "K"));
}

TEST(AllMentions, FollowsCalls) {
  const std::string text = "int A() { return kOne; } int B() { return A(); } int C() { return 0; }";
  const std::vector<Token> tokens = Tokenize(text);
  const std::vector<FunctionDefinition> functions = FindFunctions(tokens);
  EXPECT_THAT(AllMentions(functions, "B"), Contains("kOne"));
  EXPECT_THAT(AllMentions(functions, "C"), Not(Contains("kOne")));
}

TEST(RecursiveFunctions, OverloadsAreNone) {
  const std::string text = "int F(int2 a) { return F(a.x); } int F(int a) { return a; }";
  const std::vector<Token> tokens = Tokenize(text);
  EXPECT_THAT(RecursiveFunctions(FindFunctions(tokens)), IsEmpty());
}

}  // namespace
}  // namespace infer::emulation
