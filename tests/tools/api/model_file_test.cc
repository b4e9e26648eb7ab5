// SPDX-License-Identifier: Apache-2.0
#include "tools/api/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "tests/tools/cli/captured_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Refusal(const std::string& bytes) {
  TempDir dir;
  WriteFile(dir.Path("f"), bytes);
  const absl::Status status = ModelFile::Open(dir.Path("f")).status();
  EXPECT_EQ(ExitCodeFor(status), kExitBadInput);
  return std::string(status.message());
}

TEST(ModelFile, NamesTheFilesThatTheseToolsWrite) {
  EXPECT_THAT(Refusal("\x0a\x0dinfer program\x10\x01"),
              HasSubstr("f: is a compiled Program, where a GGUF model belongs"));
  EXPECT_THAT(Refusal("\x0a\x0binfer graph\x10\x01"), HasSubstr("is a stored graph"));
  EXPECT_THAT(Refusal("\x0a\x0dinfer profile\x10\x01"),
              HasSubstr("is a profile, where a GGUF model belongs"));
}

TEST(ModelFile, LeavesOtherFilesToTheReader) {
  EXPECT_THAT(Refusal(std::string("PK\x03\x04") + std::string(100, 'x')), HasSubstr("zip archive"));
  EXPECT_THAT(Refusal("\x0a\x0dinfer prog"), Not(HasSubstr("Program")));
  EXPECT_THAT(Refusal(""), HasSubstr("the file is empty"));
  const absl::Status missing = ModelFile::Open("no-such-file").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound) << missing;
}

// Opening it to look inside would wait for a writer.
TEST(ModelFile, RefusesAPipeAtOnce) {
  TempDir dir;
  ASSERT_EQ(mkfifo(dir.Path("fifo").c_str(), 0600), 0);
  const absl::Status status = ModelFile::Open(dir.Path("fifo")).status();
  EXPECT_EQ(ExitCodeFor(status), kExitBadInput);
  EXPECT_THAT(std::string(status.message()), HasSubstr("is a pipe or device"));
}

}  // namespace
}  // namespace infer
