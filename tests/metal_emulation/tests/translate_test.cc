// SPDX-License-Identifier: Apache-2.0
//
// Text in, text out.
#include "tests/metal_emulation/generator/translate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/metal_emulation/generator/tables.h"

namespace infer::emulation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Translation TranslateText(const std::string& text) {
  const absl::StatusOr<Source> source = SourceFromText("k.metal", text);
  return Translate(*source);
}

// Without the line that names the file, and with one blank for several.
std::string Code(const std::string& text) {
  const Translation translation = TranslateText(text);
  EXPECT_THAT(translation.errors, IsEmpty());
  std::string code = translation.code.substr(translation.code.find("\"\n") + 2);
  std::string result;
  for (const char c : code) {
    if (c != ' ' || (!result.empty() && result.back() != ' ')) result += c;
  }
  return result;
}

TEST(Translate, AddressSpacesBecomeMacros) {
  EXPECT_EQ(Code("void F(device const float* a, constant int& b, thread float* c);"),
            "void F(MSL_DEVICE const float* a, MSL_CONSTANT int& b, float* c);");
}

TEST(Translate, NumbersBecomeFloatsAndHalves) {
  EXPECT_EQ(Code("a = 1.0 + 2.5f + 1e-3 + 1.0h + 2h + 7 + 0x1F + 3u;"),
            "a = 1.0f + 2.5f + 1e-3f + 1.0f16 + 2.0f16 + 7 + 0x1F + 3u;");
}

TEST(Translate, ConstructorsOfVectors) {
  EXPECT_EQ(Code("x = float4(1) + half2 (a, b); float4 c; y = vec<T, 4>(z); vec<T, 2> w;"),
            "x = metal::msl_make<float4>(1) + metal::msl_make<half2> (a, b); float4 c; "
            "y = metal::msl_make<vec<T, 4>>(z); vec<T, 2> w;");
}

TEST(Translate, ThreadgroupVariablesAreObjectsOfTheGroup) {
  EXPECT_EQ(Code("kernel void k() { threadgroup float a[4][8]; threadgroup uint b; "
                 "threadgroup float* c = a[0]; }"),
            "void k() { MSL_THREADGROUP_VARIABLE(a, [4][8], float ); "
            "MSL_THREADGROUP_VARIABLE(b, , uint ); MSL_THREADGROUP float* c = a[0]; }");
}

TEST(Translate, MacrosAreRewrittenToo) {
  EXPECT_EQ(Code("#define GET(p) ((device const float*)(p))[0] * 2.0\n"),
            "#define GET(p) ((MSL_DEVICE const float*)(p))[0] * 2.0f\n");
}

TEST(Translate, LinesKeepTheirNumbers) {
  const std::string text =
      "/* a\n b */ int x;\nkernel void k(device int* a [[buffer(0)]],\n  uint i "
      "[[thread_position_in_grid]]) {}\ntemplate [[host_name(\"n\")]]\nkernel void k<int>();\nint "
      "y;";
  const std::string code = TranslateText(text).code;
  const std::string body = code.substr(code.find("\"\n") + 2);
  const auto line_of = [](const std::string& in, const char* word) {
    return std::count(in.begin(), in.begin() + static_cast<long>(in.find(word)), '\n');
  };
  EXPECT_EQ(line_of(body, "int x"), line_of(text, "int x"));
  EXPECT_EQ(line_of(body, "uint i"), line_of(text, "uint i"));
  EXPECT_EQ(line_of(body, "int y"), line_of(text, "int y"));
}

TEST(Translate, ParametersAreRecordedByPosition) {
  const Translation translation = TranslateText(
      "kernel void k(constant Args& p [[ buffer(2) ]], threadgroup float* t [[threadgroup(1)]],\n"
      "              uint3 g [[threadgroup_position_in_grid]]) {}");
  ASSERT_THAT(translation.errors, IsEmpty());
  const auto& parameters = translation.tables.kernels.at("k").parameters;
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_EQ(parameters[0].kind, "kBuffer");
  EXPECT_EQ(parameters[0].index, 2);
  EXPECT_EQ(parameters[0].name, "p");
  EXPECT_EQ(parameters[1].kind, "kThreadgroup");
  EXPECT_EQ(parameters[1].index, 1);
  EXPECT_EQ(parameters[2].kind, "kThreadgroupPositionInGrid");
}

TEST(Translate, HostNamesOfTemplatesInBothForms) {
  const Translation translation = TranslateText(R"(
template <typename T, int N> kernel void k(device T* a [[buffer(0)]]) {}
template [[host_name("k_f")]] kernel decltype(k<float, 4>) k<float, 4>;
template [[host_name("k_h")]] kernel void k<half, 2>(device half* a [[buffer(0)]]);
)");
  ASSERT_THAT(translation.errors, IsEmpty());
  const auto& instances = translation.tables.instances;
  ASSERT_EQ(instances.size(), 2u);
  EXPECT_EQ(instances[0].host_name, "k_f");
  EXPECT_EQ(instances[0].expression, "k<float, 4>");
  EXPECT_EQ(instances[1].host_name, "k_h");
  EXPECT_EQ(instances[1].expression, "k<half, 2>");
}

TEST(Translate, KernelsByAttributeAndTheirLimits) {
  const Translation translation = TranslateText(
      "[[kernel, max_total_threads_per_threadgroup(128)]] void a(device int* x [[buffer(0)]]) {}\n"
      "[[max_total_threads_per_threadgroup(64)]] kernel void b(device int* x [[buffer(0)]]) {}\n"
      "kernel void c(device int* x [[buffer(0)]]) {}\n");
  ASSERT_THAT(translation.errors, IsEmpty());
  EXPECT_EQ(translation.tables.kernels.at("a").max_threads, 128);
  EXPECT_EQ(translation.tables.kernels.at("b").max_threads, 64);
  EXPECT_EQ(translation.tables.kernels.at("c").max_threads, 1024);
  EXPECT_EQ(translation.tables.instances.size(), 3u);
}

TEST(Translate, FunctionConstants) {
  const Translation translation = TranslateText(
      "constant bool kBias [[function_constant(3)]];\n"
      "bool F() { return is_function_constant_defined(kBias) && kBias; }");
  ASSERT_THAT(translation.errors, IsEmpty());
  EXPECT_THAT(translation.code, HasSubstr("MSL_FUNCTION_CONSTANT(bool, kBias);"));
  EXPECT_THAT(translation.code, HasSubstr("(kBias_defined) && kBias"));
  ASSERT_EQ(translation.tables.constants.size(), 1u);
  EXPECT_EQ(translation.tables.constants[0].index, 3);
}

TEST(GenerateFile, KernelsKnowTheConstantsThatTheyReach) {
  const absl::StatusOr<Source> source = SourceFromText("k.metal", R"(
constant int kA [[function_constant(0)]];
constant int kB [[function_constant(1)]];
int F() { return kB; }
kernel void one(device int* x [[buffer(0)]]) { x[0] = kA; }
kernel void two(device int* x [[buffer(0)]]) { x[0] = F(); }
)");
  const std::string file = GenerateFile(*source, Translate(*source));
  EXPECT_THAT(file, HasSubstr("constants_0 = {0, }"));
  EXPECT_THAT(file, HasSubstr("constants_1 = {1, }"));
}

}  // namespace
}  // namespace infer::emulation
