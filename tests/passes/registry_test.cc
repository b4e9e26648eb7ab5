// SPDX-License-Identifier: Apache-2.0
#include "passes/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ir/base/strings.h"
#include "passes/pipeline.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> NamesOf(const std::vector<std::unique_ptr<Pass>>& passes) {
  std::vector<std::string> names;
  for (const auto& pass : passes) names.emplace_back(pass->name());
  return names;
}

TEST(Registry, SaysOfAPassWhatThePassSays) {
  for (const PassInfo& info : AllPasses()) {
    std::unique_ptr<Pass> pass = info.make();
    EXPECT_EQ(info.name, pass->name());
    EXPECT_EQ(info.needs, pass->needs());
    EXPECT_EQ(info.gives, pass->gives());
  }
}

TEST(Registry, HasANameAndALineForEachPassOnce) {
  std::set<std::string> names;
  for (const PassInfo& info : AllPasses()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(info.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos)
        << info.name;
    EXPECT_FALSE(info.summary.empty()) << info.name;
    EXPECT_LE(info.summary.size(), 80u) << info.name;
    EXPECT_EQ(info.summary.find('\n'), std::string_view::npos) << info.name;
  }
}

TEST(Registry, IsTheDefaultPipeline) {
  std::vector<std::string> listed;
  for (PassRuns runs : {PassRuns::kOnce, PassRuns::kEachRegime}) {
    for (const PassInfo& info : AllPasses()) {
      if (info.runs == runs) listed.push_back(info.name);
    }
  }
  std::vector<std::string> run = NamesOf(GraphPasses());
  for (std::string& name : NamesOf(RegimePasses())) run.push_back(std::move(name));
  EXPECT_EQ(run, listed);
  EXPECT_EQ(run.front(), "bind-shapes");
  EXPECT_EQ(run.back(), "plan-memory");
}

TEST(Registry, LeavesOutWhatIsSkipped) {
  const std::vector<std::string> skip = {"legalize"};
  EXPECT_THAT(NamesOf(RegimePasses()), ::testing::Contains("legalize"));
  EXPECT_THAT(NamesOf(RegimePasses(skip)), Not(::testing::Contains("legalize")));
  EXPECT_EQ(RegimePasses(skip).size(), RegimePasses().size() - 1);
  EXPECT_EQ(GraphPasses(skip).size(), GraphPasses().size());
}

TEST(Registry, FindsAPassByName) {
  absl::StatusOr<const PassInfo*> found = FindPass("place-nodes");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ((*found)->gives, Stage::kPlaced);
  EXPECT_FALSE((*found)->keeps_stage());
}

TEST(Registry, SuggestsTheNearestName) {
  EXPECT_EQ(FindPass("place-node").status().message(),
            "unknown pass \"place-node\" (did you mean place-nodes?)");
  EXPECT_THAT(std::string(FindPass("xyzzy").status().message()), Not(HasSubstr("did you mean")));
}

TEST(CheckSkip, TakesPassesThatKeepTheStage) {
  std::vector<std::string> keeping;
  for (const PassInfo& info : AllPasses()) {
    if (info.keeps_stage()) keeping.push_back(info.name);
  }
  EXPECT_FALSE(keeping.empty());
  EXPECT_EQ(CheckSkip(keeping), absl::OkStatus());
  EXPECT_EQ(CheckSkip({}), absl::OkStatus());
}

TEST(CheckSkip, RefusesPassesThatMoveTheGraphToAnotherStage) {
  for (const PassInfo& info : AllPasses()) {
    if (info.keeps_stage()) continue;
    const std::vector<std::string> skip = {"legalize", info.name};
    std::string message(CheckSkip(skip).message());
    EXPECT_THAT(message, HasSubstr(StrCat("pass ", info.name,
                                          " cannot be skipped: it takes the "
                                          "graph from stage ",
                                          Name(info.needs), " to ", Name(info.gives))));
    EXPECT_THAT(message, HasSubstr("legalize")) << "it names those that can be";
  }
}

TEST(CheckSkip, RefusesNamesThatAreNoPasses) {
  const std::vector<std::string> skip = {"legalise"};
  absl::Status status = CheckSkip(skip);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("did you mean legalize?"));
}

}  // namespace
}  // namespace infer
