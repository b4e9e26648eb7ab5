// SPDX-License-Identifier: Apache-2.0
#include "tools/run/chat_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/qwen3/family.h"
#include "tools/run/chat_commands.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

absl::Status Change(std::string_view name, std::string_view value, RunOptions* options) {
  return ChangeSetting(name, value, kQwen3Family, options);
}

TEST(ChatSettings, ChangeWhatTheirFlagsChange) {
  RunOptions options;
  options.chat = true;
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"temp", "0.25"},
                                                        {"top-k", "7"},
                                                        {"top_p", "0.5"},
                                                        {"--min-p", "0.125"},
                                                        {"repeat-penalty", "1.5"},
                                                        {"presence-penalty", "0.5"},
                                                        {"repeat-last-n", "9"},
                                                        {"seed", "11"},
                                                        {"n", "12"},
                                                        {"think", "off"}}) {
    EXPECT_TRUE(Change(name, value, &options).ok()) << name;
  }
  const SamplerOptions sampler = SamplerFor(options, kQwen3Family);
  EXPECT_EQ(sampler.temperature, 0.25);
  EXPECT_EQ(sampler.top_k, 7);
  EXPECT_EQ(sampler.top_p, 0.5);
  EXPECT_EQ(sampler.min_p, 0.125);
  EXPECT_EQ(sampler.repeat_penalty, 1.5);
  EXPECT_EQ(sampler.presence_penalty, 0.5);
  EXPECT_EQ(sampler.repeat_last_n, 9);
  EXPECT_EQ(sampler.seed, 11u);
  EXPECT_EQ(options.max_tokens, 12);
  EXPECT_EQ(options.think, ThinkMode::kOff);
  const std::string text = SettingsText(options, kQwen3Family);
  EXPECT_THAT(text, HasSubstr("temp              0.25"));
  EXPECT_THAT(text, HasSubstr("think             off"));
  for (const std::string& name : SettingNames()) EXPECT_THAT(text, HasSubstr(name));
  EXPECT_TRUE(Change("seed", "-1", &options).ok());
  EXPECT_EQ(options.seed, std::nullopt);
}

TEST(ChatSettings, RefuseWhatTheirFlagsRefuse) {
  RunOptions options;
  for (const auto& [name, value, why] : std::vector<std::array<std::string, 3>>{
           {"temp", "-1", "/set temp: temperature is -1"},
           {"temp", "warm", "/set temp: 'warm'"},
           {"top-p", "2", "top_p is 2"},
           {"n", "-2", "at least -1"},
           {"seed", "x", "'x' is not a seed"},
           {"think", "maybe", "is not one of auto, on, off"},
           {"tepm", "1", "unknown parameter 'tepm' (did you mean temp?)"}}) {
    EXPECT_THAT(std::string(Change(name, value, &options).message()), HasSubstr(why));
  }
  EXPECT_EQ(options.temperature, std::nullopt);
  EXPECT_EQ(options.max_tokens, 256);
}

TEST(ChatCommands, AreWordsBehindASlash) {
  for (const char* line : {"/help", " /set temp 1", "/nothing", "/quit ", "/?"}) {
    EXPECT_TRUE(IsCommand(line)) << line;
  }
  for (const char* line :
       {"/etc/hosts is a file", "/", "/ help", "help", "/2", "//", "/??", "/a\nb", ""}) {
    EXPECT_FALSE(IsCommand(line)) << line;
  }
}

TEST(ChatCommands, AreCompleted) {
  EXPECT_THAT(CompleteCommand("/re"), ElementsAre("/regen"));
  EXPECT_THAT(CompleteCommand("/set top"), ElementsAre("/set top-k", "/set top-p"));
  EXPECT_THAT(CompleteCommand("/"), ::testing::SizeIs(10));
  EXPECT_THAT(CompleteCommand(""), IsEmpty());
  EXPECT_THAT(CompleteCommand("/x"), IsEmpty());
  EXPECT_THAT(CompleteCommand("hello"), IsEmpty());
}

}  // namespace
}  // namespace infer
