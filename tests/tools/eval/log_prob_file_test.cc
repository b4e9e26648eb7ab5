// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/log_prob_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "ir/base/strings.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class T>
void Put(std::string* bytes, T value) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Two windows of 6 tokens, so rows after tokens 3 and 4 of each; a vocabulary of 3.
std::string FileBytes() {
  std::string bytes = "_logits_";
  for (int32_t n : {6, 3, 2}) Put(&bytes, n);
  for (int32_t i = 0; i < 12; ++i) Put(&bytes, i % 3);
  for (int row = 0; row < 4; ++row) {
    Put(&bytes, 0.5f);
    Put(&bytes, -10.0f * static_cast<float>(row));
    for (uint16_t step : {1, 2, 3, 0}) Put(&bytes, step);
  }
  return bytes;
}

absl::StatusOr<LogProbFile> Open(const std::string& bytes) {
  // Tests run side by side.
  const std::string path = StrCat(::testing::TempDir(), "/", getpid(), "_log_probs.bin");
  std::ofstream(path, std::ios::binary) << bytes;
  return LogProbFile::Open(path);
}

TEST(LogProbFile, HoldsWindowsAndRows) {
  absl::StatusOr<LogProbFile> file = Open(FileBytes());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->context(), 6);
  EXPECT_EQ(file->vocabulary(), 3);
  EXPECT_EQ(file->windows(), 2);
  EXPECT_EQ(file->first_row(), 3);
  EXPECT_THAT(file->tokens(1), ElementsAre(0, 1, 2, 0, 1, 2));
  std::vector<float> row(3);
  file->ReadRow(1, 4, row);
  EXPECT_THAT(row, ElementsAre(-29.5f, -29.0f, -28.5f));
  EXPECT_TRUE(file->Check().ok());
}

TEST(LogProbFile, ACutOrForeignFileIsRefused) {
  const std::string whole = FileBytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    const absl::Status status = Open(whole.substr(0, size)).status();
    ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << size;
    EXPECT_THAT(std::string(status.message()), HasSubstr("log_probs.bin")) << size;
  }
  for (int32_t bad : {0, -1, 1 << 30}) {
    for (size_t at : {8, 12, 16}) {
      std::string bytes = whole;
      std::memcpy(bytes.data() + at, &bad, sizeof bad);
      EXPECT_FALSE(Open(bytes).ok()) << bad << " at " << at;
    }
  }
  std::string bytes = whole;
  bytes[20] = 7;
  EXPECT_THAT(std::string(Open(bytes).status().message()), HasSubstr("has the token 7"));
}

}  // namespace
}  // namespace infer
