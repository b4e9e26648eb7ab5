// SPDX-License-Identifier: Apache-2.0
//
// What must pass; bugs/compile holds what must not.
#include "tests/metal_emulation/generator/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer::emulation {
namespace {

std::vector<std::string> LintText(const std::string& text, std::string_view level = "3.1") {
  const absl::StatusOr<Source> source = SourceFromText("k.metal", text);
  std::vector<std::string> errors;
  for (const Diagnostic& error : Lint(*source, level)) errors.push_back(ToString(error));
  return errors;
}

class Allowed : public ::testing::TestWithParam<std::string> {};

TEST_P(Allowed, Passes) { EXPECT_THAT(LintText(GetParam()), ::testing::IsEmpty()); }

INSTANTIATE_TEST_SUITE_P(
    Lint, Allowed,
    ::testing::Values(
        "float F(thread const float* a, device float& b) { return a[0] * b; }",
        "float F(float a, float b) { const float c = a * b; return (a * b) & int(c * a); }",
        "static inline int F(int a) { return a; }", "struct S { static int F() { return 1; } };",
        "int F(int a[4]) { return a[(a[0])]; }",
        "void F() { if constexpr (sizeof(int) == 4) { } switch (1) { case 1: break; } }",
        "int F(int n) { return n ? n : 1; }", "constant float kTable[2] = {1, 2};",
        "// double goto new\nconstant int kDouble = 2;",
        "void F() { simdgroup_bfloat8x8 m; bfloat b; }",
        "int F(int2 a) { return F(a.x); } int F(int a) { return a; }",
        "void F(threadgroup float* a) { threadgroup float* b = (threadgroup float*)a; b[0] = 1; "
        "}"));

TEST(Lint, NamesFileAndLine) {
  EXPECT_THAT(LintText("int a;\ndouble b;"),
              ::testing::ElementsAre("k.metal:2: error: 'double': Metal has no double"));
}

TEST(Lint, TheLevelDecides) {
  EXPECT_THAT(LintText("void F() { bfloat4 b; }", "3.0"),
              ::testing::ElementsAre("k.metal:1: error: 'bfloat4' is Metal 3.1, the level is 3.0"));
  EXPECT_THAT(LintText("void F() { os_log_default.log(\"\"); os_log(1); }", "3.1"),
              ::testing::SizeIs(1));
}

}  // namespace
}  // namespace infer::emulation
