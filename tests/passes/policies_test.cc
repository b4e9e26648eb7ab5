// SPDX-License-Identifier: Apache-2.0
#include "passes/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "ir/base/strings.h"
#include "tests/support/gguf_writer.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::filesystem::path kFolder = std::filesystem::path(INFER_SOURCE_DIR) / "passes/policies";

TEST(Policies, AreTheFilesOfTheirFolder) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    files.insert(entry.path().filename().string());
  }
  std::set<std::string> built_in;
  for (const NamedPolicyText& policy : NamedPolicies()) {
    built_in.insert(StrCat(policy.name, ".textproto"));
    std::ifstream file(kFolder / StrCat(policy.name, ".textproto"));
    std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(policy.textproto, text);
  }
  EXPECT_EQ(built_in, files);
}

TEST(Policies, ParseAndAreNamedAfterTheirFile) {
  for (const NamedPolicyText& text : NamedPolicies()) {
    absl::StatusOr<Policy> policy = LoadPolicy(text.name);
    ASSERT_TRUE(policy.ok()) << policy.status();
    EXPECT_EQ(policy->name, text.name);
    EXPECT_NE(policy->summary, "");
  }
}

TEST(Policies, AreInOrder) {
  std::span<const NamedPolicyText> all = NamedPolicies();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
}

// A policy that leaves some node without a rule would fail on models its author did not try.
TEST(Policies, EndWithARuleForEverything) {
  for (const NamedPolicyText& text : NamedPolicies()) {
    absl::StatusOr<Policy> policy = LoadPolicy(text.name);
    ASSERT_TRUE(policy.ok()) << policy.status();
    Rule bare;
    bare.name = policy->rules.back().name;
    bare.targets = policy->rules.back().targets;
    EXPECT_EQ(policy->rules.back(), bare) << text.name;
  }
}

TEST(Policies, ReferenceIsWhatTheOthersAnswerTo) {
  absl::StatusOr<Policy> policy = LoadPolicy("reference");
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_EQ(policy->composites, Policy::Composites::kDecompose);
  EXPECT_EQ(policy->activations, Policy::Activations::kFloat);
  EXPECT_EQ(policy->kv_type, DType::kF32);
}

TEST(LoadPolicy, SaysWhichNamesThereAre) {
  absl::StatusOr<Policy> policy = LoadPolicy("referense");
  EXPECT_EQ(policy.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(policy.status().message(),
            "policy referense is neither a file nor one of: auto, cuda, metal, parallel, "
            "reference, scalar, simd, tutorial (did you mean reference?)");
}

TEST(LoadPolicy, ReadsAFile) {
  test::ScratchDir dir;
  std::string path =
      dir.Write("mine.textproto", "name: \"mine\" rule { name: \"r\" targets: [SCALAR] }");
  absl::StatusOr<Policy> policy = LoadPolicy(path);
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_EQ(policy->name, "mine");
}

TEST(LoadPolicy, NamesFileAndLineOfAnError) {
  test::ScratchDir dir;
  std::string path = dir.Write("bad.textproto", "name: \"bad\"\nrule { nam: \"r\" }");
  EXPECT_THAT(LoadPolicy(path).status().ToString(), HasSubstr(path + ":2:"));
}

TEST(LoadPolicy, RefusesAFolderAFileThatIsTooLongAndAnEndlessOne) {
  test::ScratchDir dir;
  EXPECT_THAT(LoadPolicy(dir.path()).status().ToString(), HasSubstr("cannot be read"));
  std::string path = dir.Write("long.textproto", std::string(2 << 20, ' '));
  EXPECT_THAT(LoadPolicy(path).status().ToString(), HasSubstr("a policy has at most 1048576"));
  EXPECT_THAT(LoadPolicy("/dev/zero").status().ToString(), HasSubstr("at most 1048576"));
}

}  // namespace
}  // namespace infer
