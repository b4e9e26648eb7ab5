// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/cli/captured_run.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help_text.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class KvType { kF16, kF32 };

struct Options {
  std::string model;
  int32_t predict = 256;
  uint64_t context = 4096;
  float temp = 0.5f;
  bool chat = false;
  bool warmup = true;
  int level = 0;
  KvType kv_type = KvType::kF16;
  std::string format = "text";
  std::optional<uint32_t> seed;
  std::optional<KvType> other;
  std::optional<bool> think;
  bool cache = false;
  std::string cache_folder;
  std::vector<std::string> stop = {"default"};
  std::vector<int32_t> ids;
  std::string file;
  std::vector<std::string> more;
};

class FlagsTest : public ::testing::Test {
 protected:
  FlagsTest() {
    Options& o = options_;
    flags_.Text("-m,--model", &o.model, "FILE", "model");
    flags_.Int("-n,--predict", &o.predict, "N", "tokens").Min(-1).Alias("--max-tokens");
    flags_.Size("-c,--ctx", &o.context, "N", "context");
    flags_.Float("--temp", &o.temp, "X", "temperature").Range(0, 2);
    flags_.Bool("--chat", &o.chat, "chat");
    flags_.Bool("--warmup", &o.warmup, "warm up");
    flags_.Count("-l,--level", &o.level, "level");
    flags_.Enum("--kv-type", &o.kv_type, {{"f16", KvType::kF16}, {"f32", KvType::kF32}}, "type");
    flags_.Choice("--format", &o.format, {"text", "json"}, "format");
    flags_.Int("-s,--seed", &o.seed, "N", "seed").Default("random");
    flags_.Enum("--other", &o.other, {{"f16", KvType::kF16}, {"f32", KvType::kF32}}, "type");
    flags_.Bool("--think", &o.think, "think");
    flags_.SwitchOrText("--cache", &o.cache, &o.cache_folder, "DIR", "cache");
    flags_.TextList("--stop", &o.stop, "TEXT", "stop");
    flags_.IntList("--ids", &o.ids, "N,...", "ids").Min(0);
    flags_.Positional("FILE", &o.file, "file");
    flags_.PositionalList("MORE", &o.more, "more");
  }
  void Parse(const std::vector<std::string>& args, Env env = {}) {
    absl::StatusOr<ParseAction> action = flags_.Parse(args, LookupIn(std::move(env)));
    ASSERT_TRUE(action.ok()) << action.status();
    EXPECT_EQ(*action, ParseAction::kRun);
  }
  std::string Error(const std::vector<std::string>& args, Env env = {}) {
    absl::Status status = flags_.Parse(args, LookupIn(std::move(env))).status();
    EXPECT_EQ(ExitCodeFor(status), kExitUsage) << status;
    return std::string(status.message());
  }

  Options options_;
  Flags flags_{"tool", "A tool."};
};

TEST_F(FlagsTest, LeavesDefaultsAlone) {
  Parse({});
  EXPECT_EQ(options_.predict, 256);
  EXPECT_THAT(options_.stop, ElementsAre("default"));
  EXPECT_FALSE(options_.seed.has_value());
  EXPECT_FALSE(flags_.Given("--predict"));
}

TEST_F(FlagsTest, SetsEveryType) {
  Parse({"-m",         "x.gguf",  "-n",          "-1",     "-c",        "8k",
         "--temp=1.5", "--chat",  "--no-warmup", "-ll",    "--kv_type", "f32",
         "--format",   "json",    "-s",          "7",      "--other",   "f32",
         "--no-think", "--stop",  "a",           "--stop", "b,c",       "--ids",
         "1,2",        "--ids=3", "file",        "x",      "y"});
  EXPECT_EQ(options_.model, "x.gguf");
  EXPECT_EQ(options_.predict, -1);
  EXPECT_EQ(options_.context, 8192u);
  EXPECT_EQ(options_.temp, 1.5f);
  EXPECT_TRUE(options_.chat);
  EXPECT_FALSE(options_.warmup);
  EXPECT_EQ(options_.level, 2);
  EXPECT_EQ(options_.kv_type, KvType::kF32);
  EXPECT_EQ(options_.format, "json");
  EXPECT_EQ(options_.seed, 7u);
  EXPECT_EQ(options_.other, KvType::kF32);
  EXPECT_EQ(options_.think, false);
  EXPECT_THAT(options_.stop, ElementsAre("a", "b,c"));
  EXPECT_THAT(options_.ids, ElementsAre(1, 2, 3));
  EXPECT_EQ(options_.file, "file");
  EXPECT_THAT(options_.more, ElementsAre("x", "y"));
}

TEST_F(FlagsTest, TheLastOfAValueFlagCountsUnderAnyName) {
  Parse({"-n", "1", "--max_tokens", "2"});
  EXPECT_EQ(options_.predict, 2);
}

TEST_F(FlagsTest, CommandLineWinsOverEnvironmentOverConfigOverDefault) {
  TempDir dir;
  WriteFile(dir.Path("c.json"), R"({"predict": 1, "temp": 1, "ctx": "1k", "stop": ["x", "y"]})");
  Parse({"-n", "3", "--config", dir.Path("c.json")}, {{"INFER_PREDICT", "2"}, {"INFER_TEMP", "2"}});
  EXPECT_EQ(options_.predict, 3);
  EXPECT_EQ(options_.temp, 2);
  EXPECT_EQ(options_.context, 1024u);
  EXPECT_EQ(options_.format, "text");
  EXPECT_THAT(options_.stop, ElementsAre("x", "y"));
  EXPECT_EQ(flags_.Find("--predict")->OriginText(), "cli");
  EXPECT_EQ(flags_.Find("--temp")->OriginText(), "env INFER_TEMP");
  EXPECT_EQ(flags_.Find("--ctx")->OriginText(), "config " + dir.Path("c.json"));
  EXPECT_EQ(flags_.Find("--format")->OriginText(), "default");
  EXPECT_TRUE(flags_.Given("--ctx"));
}

TEST_F(FlagsTest, ReadsTheEnvironment) {
  TempDir dir;
  WriteFile(dir.Path("c.json"), R"({"chat": true})");
  Parse({}, {{"INFER_KV_TYPE", "f32"},
             {"INFER_LEVEL", "3"},
             {"INFER_WARMUP", "0"},
             {"INFER_MODEL", ""},
             {"INFER_HELP", "1"},
             {"INFER_CONFIG", dir.Path("c.json")}});
  EXPECT_EQ(options_.kv_type, KvType::kF32);
  EXPECT_EQ(options_.level, 3);
  EXPECT_FALSE(options_.warmup);
  EXPECT_TRUE(options_.chat);
  EXPECT_FALSE(flags_.Given("--model"));  // empty counts as not set
}

TEST_F(FlagsTest, ErrorsNameFlagValueAndWhatIsAllowed) {
  EXPECT_EQ(Error({"-n", "x"}), "--predict: 'x' is not a whole number");
  EXPECT_EQ(Error({"-n", "-2"}), "--predict: -2 is too small, at least -1 is allowed");
  EXPECT_THAT(Error({"-n", "9999999999"}), HasSubstr("out of range, allowed is -2147483648 to"));
  EXPECT_EQ(Error({"--temp", "2.5"}), "--temp: 2.5 is out of range, allowed is 0 to 2");
  EXPECT_EQ(Error({"--kv-type", "f15"}),
            "--kv-type: 'f15' is not one of f16, f32 (did you mean f16?)");
  EXPECT_EQ(Error({"--chat=maybe"}), "--chat: 'maybe' is not true or false");
  EXPECT_EQ(Error({"--ids", "1,,2"}), "--ids: '' is not a whole number");
  EXPECT_EQ(Error({"--ids", "-1"}), "--ids: -1 is too small, at least 0 is allowed");
  EXPECT_EQ(Error({}, {{"INFER_SEED", "x"}}), "--seed (env INFER_SEED): 'x' is not a whole number");
}

TEST_F(FlagsTest, ConfigErrorsNameTheFile) {
  TempDir dir;
  std::string path = dir.Path("c.json");
  WriteFile(path, R"({"predcit": 1})");
  EXPECT_EQ(Error({"--config", path}),
            path + ": key 'predcit' is not a flag of tool (did you mean predict?)");
  WriteFile(path, R"({"predict": [1, 2]})");
  EXPECT_THAT(Error({"--config", path}), HasSubstr("array of 2 values, expected one"));
  WriteFile(path, R"({"predict": 1.5})");
  EXPECT_THAT(Error({"--config", path}), HasSubstr("--predict (config " + path + "): '1.5'"));
  EXPECT_EQ(ExitCodeFor(flags_.Parse({"--config", dir.Path("none")}, LookupIn({})).status()),
            kExitBadInput);
}

TEST_F(FlagsTest, HelpComesBeforeABrokenEnvironment) {
  auto action = flags_.Parse({"--help"}, LookupIn({{"INFER_SEED", "x"}}));
  ASSERT_TRUE(action.ok()) << action.status();
  EXPECT_EQ(*action, ParseAction::kHelp);
}

TEST_F(FlagsTest, RefusesAuthorsMistakes) {
  bool value = false;
  Flags twice("tool", "");
  twice.Bool("--quiet-mode", &value, "");
  twice.Bool("-x,--other", &value, "").Alias("--quiet-mode");
  EXPECT_EQ(ExitCodeFor(twice.Parse({}, LookupIn({})).status()), kExitRuntime);
  Flags reserved("tool", "");
  reserved.Bool("--models", &value, "");
  EXPECT_THAT(std::string(reserved.Parse({}, LookupIn({})).status().message()),
              HasSubstr("INFER_MODELS is reserved"));
}

TEST(FlagsRequired, MissesFlagsAndArguments) {
  std::string model, file;
  Flags flags("tool", "");
  flags.Text("--model", &model, "FILE", "").Required();
  flags.Positional("FILE", &file, "").Required();
  auto message = [&](const std::vector<std::string>& args) {
    return std::string(flags.Parse(args, LookupIn({})).status().message());
  };
  EXPECT_EQ(message({"x"}), "--model FILE is missing; see tool --help");
  EXPECT_EQ(message({"--model", "m", "a", "b"}), "unexpected argument 'b'; see tool --help");
  Flags second("tool", "");
  second.Positional("FILE", &file, "").Required();
  EXPECT_EQ(std::string(second.Parse({}, LookupIn({})).status().message()),
            "argument FILE is missing; see tool --help");
}

class ModesTest : public ::testing::Test {
 protected:
  ModesTest() {
    flags_.Bool("-a,--all", &all_, "all");
    flags_.Text("-m,--model", &model_, "FILE", "model");
    Flags& show = flags_.Mode("show", "Show.");
    show.Positional("FILE", &file_, "file").Required();
    Flags& verify = flags_.Mode("verify", "Verify.");
    verify.Bool("--deep", &deep_, "deep");
    verify.Positional("FILE", &file_, "file").Required();
  }
  std::string Message(const std::vector<std::string>& args) {
    return std::string(flags_.Parse(args, LookupIn({})).status().message());
  }
  bool all_ = false, deep_ = false;
  std::string model_, file_;
  Flags flags_{"tool", ""};
};

TEST_F(ModesTest, TakesTheModeWithItsFlagsAndTheTools) {
  EXPECT_EQ(Message({"-a", "-m", "show", "verify", "--deep", "F"}), "");
  EXPECT_EQ(flags_.mode(), "verify");
  EXPECT_EQ(model_, "show");  // a value, not a mode
  EXPECT_EQ(file_, "F");
  EXPECT_TRUE(all_ && deep_);
}

TEST_F(ModesTest, FallsBackToTheDefaultMode) {
  flags_.SetDefaultMode("show");
  EXPECT_EQ(Message({"F"}), "");
  EXPECT_EQ(flags_.mode(), "show");
  EXPECT_EQ(file_, "F");
}

TEST_F(ModesTest, RefusesAFlagOfAnotherMode) {
  EXPECT_THAT(Message({"show", "--deep", "F"}), HasSubstr("unknown flag --deep"));
}

TEST_F(ModesTest, NeedsAModeWithoutADefault) {
  EXPECT_EQ(Message({}), "tool: a mode is missing: one of show, verify; see tool --help");
}

TEST_F(ModesTest, SuggestsAMode) {
  EXPECT_EQ(Message({"verfy", "F"}),
            "tool: 'verfy' is not one of its modes show, verify (did you mean verify?)");
}

TEST_F(ModesTest, SuggestsAModeThatBecameAFile) {
  flags_.Positional("FILE", &file_, "file");
  EXPECT_EQ(Message({"verfy", "x"}),
            "tool: 'verfy' is not one of its modes show, verify (did you mean verify?)");
}

TEST_F(FlagsTest, ASwitchMayHaveAText) {
  Parse({"--cache=some/dir"});
  EXPECT_TRUE(options_.cache);
  EXPECT_EQ(options_.cache_folder, "some/dir");
  EXPECT_EQ(flags_.Find("--cache")->ValueText(), "some/dir");
  EXPECT_THAT(HelpText(flags_), HasSubstr("--cache[=DIR]"));
}

TEST_F(FlagsTest, ASwitchWithATextIsStillASwitch) {
  Parse({"--cache", "file"});
  EXPECT_TRUE(options_.cache);
  EXPECT_EQ(options_.cache_folder, "");
  EXPECT_EQ(options_.file, "file") << "only `=` attaches a text";
}

TEST_F(FlagsTest, ASwitchWithATextCanBeTurnedOff) {
  Parse({"--no-cache"}, {{"INFER_CACHE", "dir"}});
  EXPECT_FALSE(options_.cache);
}

TEST_F(FlagsTest, TheEnvironmentMayHoldTheTextOfASwitch) {
  Parse({}, {{"INFER_CACHE", "dir"}});
  EXPECT_TRUE(options_.cache);
  EXPECT_EQ(options_.cache_folder, "dir");
}

TEST_F(FlagsTest, TheTextOfASwitchIsNotEmpty) {
  EXPECT_EQ(ExitCodeFor(flags_.Parse({"--cache="}, LookupIn({})).status()), kExitUsage);
}

}  // namespace
}  // namespace infer
