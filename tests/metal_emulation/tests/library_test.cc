// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/metal_emulation/tests/metal_harness.h"

namespace infer::emulation {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr char kLibraryShader[] = "tests/metal_emulation/bugs/run/host.metal";

std::string ShaderText() {
  std::ifstream in(std::string(INFER_SOURCE_DIR "/") + kLibraryShader);
  return {std::istreambuf_iterator<char>(in), {}};
}

NS::String* Text(const char* text) { return NS::String::string(text, NS::UTF8StringEncoding); }

// What the host sets of the two constants, and the error of newFunction.
std::string ErrorOfFunction(MetalHarness& metal, const char* function,
                            const std::function<void(MTL::FunctionConstantValues*)>& set) {
  const Ref<MTL::Library> library = metal.Library(kLibraryShader);
  const Ref<MTL::FunctionConstantValues> values =
      NS::TransferPtr(MTL::FunctionConstantValues::alloc()->init());
  set(values.get());
  NS::Error* error = nullptr;
  const Ref<MTL::Function> made =
      NS::TransferPtr(library->newFunction(Text(function), values.get(), &error));
  return made ? "" : error->localizedDescription()->utf8String();
}

TEST(Library, IsFoundByItsText) {
  MetalHarness metal;
  const Ref<MTL::Library> library = metal.LibraryFromText(ShaderText());
  ASSERT_TRUE(library);
  std::vector<std::string> names;
  const NS::Array* const all = library->functionNames();
  for (NS::UInteger i = 0; i < all->count(); ++i) {
    names.push_back(all->object<NS::String>(i)->utf8String());
  }
  EXPECT_THAT(names, UnorderedElementsAre("copy", "scale", "scale_by_constant", "sum_of_group",
                                          "small_groups"));
}

TEST(Library, BlanksAndCommentsDoNotMatter) {
  MetalHarness metal;
  EXPECT_TRUE(metal.LibraryFromText("// another comment\n" + ShaderText() + "\n\n"));
}

TEST(Library, AnyOtherTextIsRefused) {
  MetalHarness metal;
  std::string error;
  EXPECT_FALSE(metal.LibraryFromText(ShaderText() + ";", &error));
  EXPECT_THAT(error, HasSubstr("none of the shaders that were compiled into the emulation"));
}

TEST(Library, IncludesOfFilesAreRefused) {
  MetalHarness metal;
  std::string error;
  EXPECT_FALSE(metal.LibraryFromText("#include \"args.h\"\n" + ShaderText(), &error));
  EXPECT_THAT(error, HasSubstr("finds no files"));
}

TEST(Library, FailsAsATestWants) {
  Settings failing;
  failing.library_failures["host"] = "program_source:1:1: error: no";
  const ScopedSettings scoped(failing);
  MetalHarness metal;
  std::string error;
  EXPECT_FALSE(metal.LibraryFromText(ShaderText(), &error));
  EXPECT_EQ(error, "program_source:1:1: error: no");
}

TEST(Library, NeedsALanguageVersion) {
  const MetalHarness metal;
  NS::Error* error = nullptr;
  const Ref<MTL::CompileOptions> options = NS::TransferPtr(MTL::CompileOptions::alloc()->init());
  EXPECT_EQ(metal.device()->newLibrary(Text(ShaderText().c_str()), options.get(), &error), nullptr);
  EXPECT_THAT(error->localizedDescription()->utf8String(), HasSubstr("setLanguageVersion"));
  EXPECT_EQ(metal.device()->newLibrary(Text(ShaderText().c_str()), nullptr, &error), nullptr);
}

TEST(Function, MustExist) {
  MetalHarness metal;
  EXPECT_THAT(ErrorOfFunction(metal, "nothing", [](auto*) {}),
              HasSubstr("no kernel named 'nothing'"));
}

TEST(Function, NeedsTheConstantsThatItReads) {
  MetalHarness metal;
  const int factor = 3;
  EXPECT_EQ(ErrorOfFunction(metal, "copy", [](auto*) {}), "");
  // It reads them in a function that it calls.
  EXPECT_THAT(
      ErrorOfFunction(metal, "scale_by_constant", [](auto*) {}),
      HasSubstr("function constant 'kFactor' (index 0) of kernel 'scale_by_constant' has no"));
  EXPECT_THAT(ErrorOfFunction(metal, "scale_by_constant",
                              [&](auto* values) {
                                values->setConstantValue(&factor, MTL::DataTypeInt,
                                                         NS::UInteger{0});
                              }),
              HasSubstr("'kNegate'"));
}

TEST(Function, NeedsConstantsOfTheirType) {
  MetalHarness metal;
  const bool yes = true;
  EXPECT_THAT(ErrorOfFunction(metal, "scale_by_constant",
                              [&](auto* values) {
                                values->setConstantValue(&yes, MTL::DataTypeBool, NS::UInteger{0});
                                values->setConstantValue(&yes, MTL::DataTypeBool, NS::UInteger{1});
                              }),
              HasSubstr("is a int, the value given is a bool"));
}

TEST(Function, TakesConstantsByNameToo) {
  MetalHarness metal;
  const bool yes = true;
  const int factor = 3;
  EXPECT_EQ(ErrorOfFunction(metal, "scale_by_constant",
                            [&](auto* values) {
                              values->setConstantValue(&factor, MTL::DataTypeInt, Text("kFactor"));
                              values->setConstantValue(&yes, MTL::DataTypeBool, Text("kNegate"));
                            }),
            "");
}

TEST(Pipeline, EachHasItsOwnConstants) {
  MetalHarness metal;
  const Ref<MTL::Library> library = metal.Library(kLibraryShader);
  std::vector<Ref<MTL::ComputePipelineState>> pipelines;
  for (const int factor : {2, 5}) {
    const Ref<MTL::FunctionConstantValues> values =
        NS::TransferPtr(MTL::FunctionConstantValues::alloc()->init());
    const bool negate = factor == 5;
    values->setConstantValue(&factor, MTL::DataTypeInt, NS::UInteger{0});
    values->setConstantValue(&negate, MTL::DataTypeBool, NS::UInteger{1});
    const Ref<MTL::Function> function =
        NS::TransferPtr(library->newFunction(Text("scale_by_constant"), values.get(), nullptr));
    pipelines.push_back(
        NS::TransferPtr(metal.device()->newComputePipelineState(function.get(), nullptr)));
  }
  const auto in = metal.BufferOf(std::vector<float>{1, 2});
  const auto out = metal.Buffer(8);
  for (const int i : {0, 1, 0}) {
    EXPECT_EQ(metal.Run(pipelines[static_cast<size_t>(i)].get(), {{0, out.get()}, {1, in.get()}},
                        MTL::Size(2, 1, 1), MTL::Size(1, 1, 1)),
              "");
    const float factor = i == 0 ? 2 : -5;
    EXPECT_THAT(Contents<float>(out), ::testing::ElementsAre(factor, 2 * factor));
  }
}

TEST(Pipeline, FailsWithTheTextThatATestSets) {
  Settings settings;
  settings.pipeline_failures["copy"] = "Compiler encountered an internal error";
  const ScopedSettings scoped(settings);
  MetalHarness metal;
  const Ref<MTL::Library> library = metal.Library(kLibraryShader);
  NS::Error* error = nullptr;
  const Ref<MTL::Function> function = NS::TransferPtr(library->newFunction(Text("copy")));
  EXPECT_EQ(metal.device()->newComputePipelineState(function.get(), &error), nullptr);
  EXPECT_STREQ(error->localizedDescription()->utf8String(),
               "Compiler encountered an internal error");
  EXPECT_TRUE(metal.Pipeline(kLibraryShader, "scale"));
}

TEST(Pipeline, KnowsTheKernelsLimitOfThreads) {
  MetalHarness metal;
  EXPECT_EQ(metal.Pipeline(kLibraryShader, "copy")->maxTotalThreadsPerThreadgroup(), 1024u);
  EXPECT_EQ(metal.Pipeline(kLibraryShader, "small_groups")->maxTotalThreadsPerThreadgroup(), 64u);
  EXPECT_EQ(metal.Pipeline(kLibraryShader, "copy")->threadExecutionWidth(), 32u);
}

}  // namespace
}  // namespace infer::emulation
