// SPDX-License-Identifier: Apache-2.0
#include "tools/api/program_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "ir/proto/serialize.h"
#include "tests/tools/cli/captured_run.h"
#include "tools/api/bundled_model.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ProgramFile, AModelOfAnySizeIsToldFromAProgram) {
  TempDir dir;
  const std::string path = dir.Path("m.gguf");
  WriteFile(path, std::string("GGUF\3\0\0\0", 8));
  for (uint64_t bytes : {uint64_t{8}, uint64_t{kMaxProgramFileBytes} + 1}) {
    std::filesystem::resize_file(path, bytes);
    const absl::Status status = ReadProgramFile(path).status();
    EXPECT_EQ(ExitCodeFor(status), kExitBadInput) << bytes;
    EXPECT_THAT(std::string(status.message()),
                AllOf(StartsWith(path + ": is a GGUF model, where a compiled Program belongs"),
                      HasSubstr("compile it first")))
        << bytes;
  }
}

TEST(ProgramFile, WhatElseIsTooLargeIsCalledThat) {
  TempDir dir;
  WriteFile(dir.Path("p.pb"), "\n");
  std::filesystem::resize_file(dir.Path("p.pb"), kMaxProgramFileBytes + 1);
  EXPECT_THAT(std::string(ReadProgramFile(dir.Path("p.pb")).status().message()),
              HasSubstr("holds more than the 67108864 bytes"));
}

TEST(ProgramFile, TheBundledModelIsFoundWhereverTheProgramIs) {
  TempDir dir;
  Program program;
  program.model.files = {{.name = "tiny-tales-q8_0.gguf"}};
  const absl::StatusOr<std::string> found = FindModelBeside(dir.Path("p.pb"), program);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, *FindBundledModel());
  program.model.files[0].name = "another.gguf";
  EXPECT_EQ(FindModelBeside(dir.Path("p.pb"), program).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace infer
