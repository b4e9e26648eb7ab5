// SPDX-License-Identifier: Apache-2.0
//
// Adding an op touches one new file and one list line: nothing that prints, parses, verifies or
// stores graphs may know one by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/strings.h"
#include "ir/graph/op_def.h"
#include "ir/ops/op_list.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "kv_read" -> "ops::kKvRead"
std::string RecordName(std::string_view op_name) {
  std::string record = "ops::k";
  bool upper = true;
  for (char c : op_name) {
    if (c != '_') record += upper ? static_cast<char>(c - 'a' + 'A') : c;
    upper = c == '_';
  }
  return record;
}

bool HasIdentifier(std::string_view source, std::string_view identifier) {
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = source.find(identifier); at != source.npos;
       at = source.find(identifier, at + 1)) {
    size_t end = at + identifier.size();
    if (end == source.size() || !is_word(source[end])) return true;
  }
  return false;
}

// The ops that a source names, but for `input`, which the graph itself is built on.
std::vector<std::string> OpsNamedIn(std::string_view source, bool quoted_too) {
  std::vector<std::string> named;
  for (const OpDef* op : AllOps()) {
    if (op->name == "input") continue;
    bool quoted = source.find(StrCat("\"", op->name, "\"")) != source.npos;
    if ((quoted && quoted_too) || HasIdentifier(source, RecordName(op->name))) {
      named.emplace_back(op->name);
    }
  }
  return named;
}

TEST(NoOpNames, TheCheckFindsThem) {
  EXPECT_THAT(OpsNamedIn("if (name == \"linear\")", true), ElementsAre("linear"));
  EXPECT_THAT(OpsNamedIn("node.Is(ops::kKvRead)", false), ElementsAre("kv_read"));
  EXPECT_THAT(OpsNamedIn("node.Is(ops::kInput) kAddress ops::kAddress \"add it\"", true),
              IsEmpty());
}

TEST(NoOpNames, InWhatHandlesGraphs) {
  std::filesystem::path ir = std::filesystem::path(INFER_SOURCE_DIR) / "ir";
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ir)) {
    const std::string folder = entry.path().parent_path().filename().string();
    const std::string name = entry.path().filename().string();
    const std::string extension = entry.path().extension().string();
    if (folder == "ops" || (extension != ".h" && extension != ".cc" && extension != ".proto")) {
      continue;
    }
    std::ifstream file(entry.path());
    std::string source{std::istreambuf_iterator<char>(file), {}};
    ASSERT_FALSE(source.empty()) << name;
    // A step's field is called as the op `copy` is.
    EXPECT_THAT(OpsNamedIn(source, name != "text_fields.h"), IsEmpty()) << name;
    ++files;
  }
  EXPECT_GE(files, 80);
}

}  // namespace
}  // namespace infer
