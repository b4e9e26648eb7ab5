// SPDX-License-Identifier: Apache-2.0
//
// Every file of the malformed corpus, as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/frontends/gguf/malformed_cases.h"
#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class MalformedModel : public ::testing::TestWithParam<test::MalformedCase> {};

TEST_P(MalformedModel, IsRefusedInOneLine) {
  TempDir dir;
  std::string path = dir.Path("model.gguf");
  WriteFile(path, GetParam().bytes());
  CapturedRun run = RunNamed("infer-run", {"-m", path, "-p", "Once"});
  EXPECT_EQ(run.code, 3) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, StartsWith("error: "));
  EXPECT_THAT(run.err, HasSubstr("model.gguf"));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

INSTANTIATE_TEST_SUITE_P(Corpus, MalformedModel, ::testing::ValuesIn(test::MalformedCases()),
                         [](const auto& malformed) {
                           std::string name(malformed.param.name);
                           for (char& c : name) {
                             if (!isalnum(static_cast<unsigned char>(c))) c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace infer
