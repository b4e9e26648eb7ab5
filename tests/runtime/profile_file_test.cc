// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "ir/proto/program_file.h"
#include "runtime/profile.h"
#include "tests/runtime/sample_profile.h"

namespace infer {
namespace {

using test::SampleProfile;
using ::testing::HasSubstr;

std::string SampleBytes() { return SerializeProfile(SampleProfile()).value(); }

std::string Refusal(std::string_view bytes) {
  absl::StatusOr<Profile> profile = DeserializeProfile(bytes, "p.pb");
  EXPECT_EQ(profile.status().code(), absl::StatusCode::kInvalidArgument) << profile.status();
  return std::string(profile.status().message());
}

// With a checksum that fits, so that what is in it is looked at.
std::string Sealed(std::string content) {
  AppendChecksum(&content);
  return content;
}
std::string Content() {
  std::string bytes = SampleBytes();
  return bytes.substr(0, bytes.size() - 9);
}

std::string RefusalOf(const Profile& profile) { return Refusal(SerializeProfile(profile).value()); }

TEST(ProfileFile, ComesBackEqual) {
  absl::StatusOr<Profile> profile = DeserializeProfile(SampleBytes(), "p.pb");
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_TRUE(*profile == SampleProfile());
}

TEST(ProfileFile, RemembersThatADeviceWasEmulated) {
  Profile profile = SampleProfile();
  profile.emulated = true;
  absl::StatusOr<Profile> again = DeserializeProfile(SerializeProfile(profile).value(), "p.pb");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->emulated);
}

TEST(ProfileFile, RemembersTheThreadsOfRanks) {
  Profile profile = SampleProfile();
  profile.rank_threads = {1, 1};
  absl::StatusOr<Profile> again = DeserializeProfile(SerializeProfile(profile).value(), "p.pb");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->rank_threads, profile.rank_threads);
  profile.rank_threads = {1, 2};
  EXPECT_THAT(RefusalOf(profile), HasSubstr("ranks with 3 threads, expected 2"));
  profile.rank_threads = {3, -1};
  EXPECT_THAT(RefusalOf(profile), HasSubstr("a rank with -1 threads"));
}

TEST(ProfileFile, EqualProfilesGiveEqualBytes) { EXPECT_EQ(SampleBytes(), SampleBytes()); }

TEST(ProfileFile, RefusesWhatIsSomethingElse) {
  EXPECT_THAT(Refusal(""), HasSubstr("p.pb: is empty"));
  EXPECT_THAT(Refusal("GGUF\3\0\0\0"), HasSubstr("GGUF model"));
  EXPECT_THAT(Refusal("regime of T 1..512"), HasSubstr("text"));
  EXPECT_THAT(Refusal(Sealed("\n\rinfer program\x10\x01")),
              HasSubstr("is an infer program, expected an infer profile"));
  EXPECT_THAT(Refusal(SampleBytes().substr(0, 60)), HasSubstr("profile the program again"));
}

TEST(ProfileFile, RefusesOtherVersions) {
  for (int32_t version : {-1, 0, kProfileSchemaVersion + 1}) {
    Profile profile = SampleProfile();
    profile.schema_version = version;
    EXPECT_THAT(RefusalOf(profile), HasSubstr("schema version"));
  }
}

TEST(ProfileFile, RefusesNumbersThatNoRunGives) {
  Profile profile = SampleProfile();
  profile.threads = 0;
  EXPECT_THAT(RefusalOf(profile), HasSubstr("0 threads"));
  profile = SampleProfile();
  profile.regimes[0].groups[0].timings[2].total_ns = -1;
  EXPECT_THAT(RefusalOf(profile), HasSubstr("time -1"));
  profile = SampleProfile();
  profile.regimes[0].groups[0].wall_ns = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(RefusalOf(profile), HasSubstr("expected 0 to"));
  profile = SampleProfile();
  profile.regimes[0].groups[1].calls = 0;
  EXPECT_THAT(RefusalOf(profile), HasSubstr("0 calls"));
  profile = SampleProfile();
  profile.regimes[0].groups[0].wall_p50_ns = -2;
  EXPECT_THAT(RefusalOf(profile), HasSubstr("time -2"));
  profile = SampleProfile();
  profile.regimes[0].groups[1].timings.pop_back();
  EXPECT_THAT(RefusalOf(profile), HasSubstr("3 timings of 4 nodes"));
  profile = SampleProfile();
  profile.regimes[0].groups[0].timings[0].estimate_ns = std::numeric_limits<double>::infinity();
  EXPECT_THAT(RefusalOf(profile), HasSubstr("estimate"));
  profile = SampleProfile();
  profile.regimes[0].groups[0].estimate_ns = -1;
  EXPECT_THAT(RefusalOf(profile), HasSubstr("estimate -1"));
  profile = SampleProfile();
  profile.regimes[0].groups[0].estimate_ns = 1e300;
  EXPECT_THAT(RefusalOf(profile), HasSubstr("estimate 1e+300, expected 0 to 1e+18"));
}

TEST(ProfileFile, RefusesRowsOfExpertsThatNoRunGives) {
  const auto refusal = [](std::vector<ExpertLoad> experts) {
    Profile profile = SampleProfile();
    profile.regimes[0].groups[0].experts = std::move(experts);
    return RefusalOf(profile);
  };
  EXPECT_THAT(refusal({{4, {1, 2}}}), HasSubstr("2 experts of node 4"));
  EXPECT_THAT(refusal({{-1, {1}}}), HasSubstr("node -1"));
  EXPECT_THAT(refusal({{2, {1}}, {2, {1}}}), HasSubstr("a node from 3 to 4, exclusive"));
  EXPECT_THAT(refusal({{2, {}}}), HasSubstr("0 experts of node 2"));
  EXPECT_THAT(refusal({{2, {1, -5}}}), HasSubstr("time -5"));
}

TEST(ProfileFile, RefusesNamesThatATerminalWouldObey) {
  Profile profile = SampleProfile();
  profile.policy = "\033[31m";
  EXPECT_THAT(RefusalOf(profile), HasSubstr("a name with control characters: \"\\x1b[31m\""));
  profile = SampleProfile();
  profile.regimes[0].nodes[1].name = "a\nb";
  EXPECT_THAT(RefusalOf(profile), HasSubstr("control characters"));
}

TEST(ProfileFile, RefusesTimelinesThatCannotBeDrawn) {
  auto refusal = [](auto change) {
    Profile profile = SampleProfile();
    CallTimeline& timeline = profile.regimes[0].groups[0].timeline;
    change(&timeline);
    return RefusalOf(profile);
  };
  EXPECT_THAT(refusal([](CallTimeline* t) { t->threads.pop_back(); }),
              HasSubstr("1 tokens on 1 threads, expected 2"));
  EXPECT_THAT(refusal([](CallTimeline* t) { t->threads[1].pop_back(); }),
              HasSubstr("3 times for 4 nodes"));
  EXPECT_THAT(refusal([](CallTimeline* t) { t->threads[1][2].end_ns = 0; }),
              HasSubstr("node 2 is out of order"));
  EXPECT_THAT(refusal([](CallTimeline* t) { t->threads[0][3].wait_end_ns = t->wall_ns + 1; }),
              HasSubstr("node 3 is out of order"));
  EXPECT_THAT(refusal([](CallTimeline* t) { t->threads[0][1].inner_wait_ns = 100000; }),
              HasSubstr("node 1 is out of order"));
  EXPECT_THAT(refusal([](CallTimeline* t) { t->threads[0][0].start_ns = -1; }),
              HasSubstr("node 0 is out of order"));
  EXPECT_THAT(refusal([](CallTimeline* t) { t->positions = -1; }), HasSubstr("time -1"));
}

TEST(ProfileFile, RefusesEveryPrefixAndEveryFlippedBit) {
  const std::string bytes = SampleBytes();
  for (size_t size = 0; size < bytes.size(); ++size) Refusal(bytes.substr(0, size));
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    Refusal(flipped);
  }
}

// Whatever a forger writes is refused or is a profile that can be written again.
TEST(ProfileFile, SurvivesDamageUnderAValidChecksum) {
  const std::string content = Content();
  std::mt19937 random(7);
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string damaged =
        content.substr(0, i % 4 == 0 ? random() % content.size() : content.size());
    for (uint32_t k = random() % 4; k > 0 && !damaged.empty(); --k) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    absl::StatusOr<Profile> profile = DeserializeProfile(Sealed(damaged), "p.pb");
    if (!profile.ok()) continue;
    ++accepted;
    for (const ProfileRegime& regime : profile->regimes) {
      for (const CallGroup& group : regime.groups) {
        ASSERT_EQ(group.timings.size(), regime.nodes.size());
      }
    }
  }
  EXPECT_GT(accepted, 100);  // names and times are free
}

}  // namespace
}  // namespace infer
