// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/trace_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/cli/exit_code.h"

namespace infer {
namespace {

std::string FirstBytes(std::string_view path) {
  absl::StatusOr<std::unique_ptr<TraceEncoder>> encoder = MakeTraceEncoder(path);
  EXPECT_TRUE(encoder.ok()) << encoder.status();
  std::string out;
  if (encoder.ok())
    (*encoder)->Begin({.process = "p", .threads = {}, .counters = {}, .facts = {}}, &out);
  return out.substr(0, 1);
}

TEST(MakeTraceEncoder, GoesByTheName) {
  EXPECT_EQ(FirstBytes("a/b.json"), "{");
  EXPECT_EQ(FirstBytes("a/b.pftrace"), "\n");  // field 1, length-delimited
  EXPECT_EQ(FirstBytes("b.perfetto-trace"), "\n");
}

TEST(MakeTraceEncoder, RefusesOtherNamesAsUsage) {
  for (const char* path : {"trace", "t.pb", "-", "", "t.json.gz"}) {
    const absl::Status status = MakeTraceEncoder(path).status();
    EXPECT_EQ(ExitCodeFor(status), kExitUsage) << path;
    EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("--trace")) << path;
  }
}

}  // namespace
}  // namespace infer
