// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen3/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "ir/base/strings.h"
#include "tests/frontends/qwen3/toy_model.h"

namespace infer {
namespace {

using test::GgufImage;
using test::OpenedImage;
using test::Remove;
using test::SetF32;
using test::SetText;
using test::SetU32;
using test::ToyModel;
using ::testing::HasSubstr;
using ::testing::StartsWith;

absl::StatusOr<Qwen3Config> Read(const GgufImage& image) {
  return ReadQwen3Config(*OpenedImage(image).file);
}

Qwen3Config ReadOrFail(const GgufImage& image) {
  absl::StatusOr<Qwen3Config> config = Read(image);
  EXPECT_TRUE(config.ok()) << config.status();
  return config.ok() ? *config : Qwen3Config();
}

TEST(Qwen3Config, ReadsEveryNumber) {
  Qwen3Config config = ReadOrFail(ToyModel());
  EXPECT_EQ(config.name, "toy");
  EXPECT_EQ(config.layers, 1);
  EXPECT_EQ(config.hidden, 8);
  EXPECT_EQ(config.heads, 2);
  EXPECT_EQ(config.kv_heads, 1);
  EXPECT_EQ(config.head_dim, 6);
  EXPECT_EQ(config.feed_forward, 10);
  EXPECT_EQ(config.vocabulary, 12);
  EXPECT_EQ(config.context, 64);
  EXPECT_EQ(config.eps, 0.5);
  EXPECT_EQ(config.rope.base, 1000.0);
  EXPECT_TRUE(config.tied);
}

TEST(Qwen3Config, FindsAnOutputMatrixOfItsOwn) {
  test::ToyShape shape;
  shape.tied = false;
  EXPECT_FALSE(ReadOrFail(ToyModel(shape)).tied);
}

TEST(Qwen3Config, FallsBackWhereTheFormatAllowsIt) {
  GgufImage image = ToyModel();
  for (const char* key :
       {"general.name", "qwen3.attention.head_count_kv", "qwen3.attention.key_length",
        "qwen3.attention.value_length", "qwen3.rope.freq_base"}) {
    Remove(image, key);
  }
  Qwen3Config config = ReadOrFail(image);
  EXPECT_EQ(config.name, "toy.gguf");
  EXPECT_EQ(config.kv_heads, 2);
  EXPECT_EQ(config.head_dim, 4);
  EXPECT_EQ(config.rope.base, 10000.0);
}

TEST(Qwen3Config, MakesANameFitForMessages) {
  GgufImage image = ToyModel();
  SetText(image, "general.name", "two\nlines");
  EXPECT_EQ(ReadOrFail(image).name.find('\n'), std::string::npos);
}

TEST(Qwen3Config, ReadsNoRopeScaling) {
  for (bool written : {false, true}) {
    GgufImage image = ToyModel();
    if (written) {
      SetText(image, "qwen3.rope.scaling.type", "none");
      SetF32(image, "qwen3.rope.scaling.factor", 4);  // not looked at
    }
    ops::RopeParams rope = ReadOrFail(image).rope;
    EXPECT_EQ(rope.freq_scale, 1.0);
    EXPECT_EQ(rope.ext_factor, 0.0);
    EXPECT_EQ(rope.attn_factor, 1.0);
  }
}

TEST(Qwen3Config, ReadsLinearRopeScaling) {
  GgufImage image = ToyModel();
  SetF32(image, "qwen3.rope.scaling.factor", 4);
  EXPECT_EQ(ReadOrFail(image).rope.freq_scale, 0.25) << "a factor alone is linear scaling";
  SetText(image, "qwen3.rope.scaling.type", "linear");
  ops::RopeParams rope = ReadOrFail(image).rope;
  EXPECT_EQ(rope.freq_scale, 0.25);
  EXPECT_EQ(rope.ext_factor, 0.0);
}

TEST(Qwen3Config, ReadsYarnWithItsDefaults) {
  GgufImage image = ToyModel();
  SetText(image, "qwen3.rope.scaling.type", "yarn");
  SetF32(image, "qwen3.rope.scaling.factor", 4);
  ops::RopeParams rope = ReadOrFail(image).rope;
  EXPECT_EQ(rope.freq_scale, 0.25);
  EXPECT_EQ(rope.ext_factor, 1.0);
  EXPECT_EQ(rope.attn_factor, 1.0);
  EXPECT_EQ(rope.beta_fast, 32.0);
  EXPECT_EQ(rope.beta_slow, 1.0);
  EXPECT_EQ(rope.original_context, 64);
}

TEST(Qwen3Config, ReadsYarnWithEveryKey) {
  GgufImage image = ToyModel();
  SetText(image, "qwen3.rope.scaling.type", "yarn");
  SetF32(image, "qwen3.rope.scaling.factor", 2);
  SetU32(image, "qwen3.rope.scaling.original_context_length", 32);
  SetF32(image, "qwen3.rope.scaling.yarn_ext_factor", 0.5f);
  SetF32(image, "qwen3.rope.scaling.attn_factor", 3);
  SetF32(image, "qwen3.rope.scaling.yarn_attn_factor", 0.25f);
  SetF32(image, "qwen3.rope.scaling.yarn_beta_fast", 16);
  SetF32(image, "qwen3.rope.scaling.yarn_beta_slow", 2);
  ops::RopeParams rope = ReadOrFail(image).rope;
  EXPECT_EQ(rope.freq_scale, 0.5);
  EXPECT_EQ(rope.original_context, 32);
  EXPECT_EQ(rope.ext_factor, 0.5);
  EXPECT_EQ(rope.attn_factor, 0.75);
  EXPECT_EQ(rope.beta_fast, 16.0);
  EXPECT_EQ(rope.beta_slow, 2.0);
}

TEST(Qwen3Config, ReadsThePooling) {
  EXPECT_EQ(ReadOrFail(ToyModel()).pooling, Pooling::kNone);
  for (uint32_t type = 0; type <= 4; ++type) {
    GgufImage image = ToyModel();
    SetU32(image, "qwen3.pooling_type", type);
    EXPECT_EQ(ReadOrFail(image).pooling, static_cast<Pooling>(type));
  }
}

TEST(Qwen3Config, RefusesOtherArchitectures) {
  for (const char* other : {"qwen3moe", "llama", "qwen2", "Qwen3", "", "a\nb"}) {
    GgufImage image = ToyModel();
    SetText(image, "general.architecture", other);
    absl::Status status = Read(image).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    std::string message(ToStd(status.message()));
    EXPECT_THAT(message, HasSubstr("expected \"qwen3\""));
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

// A key with a value that is refused. `found` is part of the message, next to file and key.
struct BadKey {
  const char* name;
  const char* key;
  std::function<void(GgufImage&, const char*)> damage;
  const char* found;
};

class BadKeys : public ::testing::TestWithParam<BadKey> {};

TEST_P(BadKeys, AreRefusedWithFileAndKey) {
  GgufImage image = ToyModel();
  GetParam().damage(image, GetParam().key);
  absl::Status status = Read(image).status();
  ASSERT_FALSE(status.ok());
  std::string message(ToStd(status.message()));
  EXPECT_THAT(message, StartsWith("toy.gguf: "));
  EXPECT_THAT(message, HasSubstr(StrCat("\"", GetParam().key, "\"")));
  EXPECT_THAT(message, HasSubstr(GetParam().found));
}

std::function<void(GgufImage&, const char*)> Number(uint32_t value) {
  return [=](GgufImage& image, const char* key) { SetU32(image, key, value); };
}
std::function<void(GgufImage&, const char*)> Real(float value) {
  return [=](GgufImage& image, const char* key) { SetF32(image, key, value); };
}
std::function<void(GgufImage&, const char*)> Word(const char* value) {
  return [=](GgufImage& image, const char* key) { SetText(image, key, value); };
}
const auto kMissing = [](GgufImage& image, const char* key) { Remove(image, key); };
// YaRN's keys are looked at only with YaRN.
std::function<void(GgufImage&, const char*)> Yarn(
    std::function<void(GgufImage&, const char*)> set) {
  return [=](GgufImage& image, const char* key) {
    SetText(image, "qwen3.rope.scaling.type", "yarn");
    set(image, key);
  };
}
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const BadKey kBadKeys[] = {
    {"architecture_missing", "general.architecture", kMissing, "is missing, expected"},
    {"architecture_type", "general.architecture", Number(3), "has type u32"},
    {"name_type", "general.name", Number(3), "has type u32"},
    {"pooling_large", "qwen3.pooling_type", Number(5), "is 5, expected 0 to 4"},
    {"pooling_type", "qwen3.pooling_type", Real(1), "has type f32"},
    {"layers_missing", "qwen3.block_count", kMissing, "is missing, expected"},
    {"layers_type", "qwen3.block_count", Real(1), "has type f32"},
    {"layers_zero", "qwen3.block_count", Number(0), "is 0, expected 1 to 1024"},
    {"layers_many", "qwen3.block_count", Number(1025), "is 1025, expected 1 to 1024"},
    {"context_missing", "qwen3.context_length", kMissing, "is missing"},
    {"context_type", "qwen3.context_length", Word("x"), "has type string"},
    {"context_zero", "qwen3.context_length", Number(0), "is 0"},
    {"context_large", "qwen3.context_length", Number(0x80000000u), "expected 1 to 2147483647"},
    {"hidden_missing", "qwen3.embedding_length", kMissing, "is missing"},
    {"hidden_type", "qwen3.embedding_length", Real(8), "has type f32"},
    {"hidden_zero", "qwen3.embedding_length", Number(0), "is 0"},
    {"hidden_large", "qwen3.embedding_length", Number(1 << 21), "expected 1 to 1048576"},
    {"feed_forward_missing", "qwen3.feed_forward_length", kMissing, "is missing"},
    {"feed_forward_type", "qwen3.feed_forward_length", Word(""), "has type string"},
    {"feed_forward_zero", "qwen3.feed_forward_length", Number(0), "is 0"},
    {"feed_forward_large", "qwen3.feed_forward_length", Number(~0u), "is 4294967295"},
    {"heads_missing", "qwen3.attention.head_count", kMissing, "is missing"},
    {"heads_type", "qwen3.attention.head_count", Real(2), "has type f32"},
    {"heads_zero", "qwen3.attention.head_count", Number(0), "is 0"},
    {"heads_many", "qwen3.attention.head_count", Number(1025), "is 1025"},
    {"kv_heads_type", "qwen3.attention.head_count_kv", Real(1), "has type f32"},
    {"kv_heads_zero", "qwen3.attention.head_count_kv", Number(0), "is 0"},
    {"kv_heads_do_not_divide", "qwen3.attention.head_count_kv", Number(3),
     "is 3, which does not divide the 2 query heads"},
    {"key_length_type", "qwen3.attention.key_length", Word("6"), "has type string"},
    {"key_length_zero", "qwen3.attention.key_length", Number(0), "is 0"},
    {"key_length_odd", "qwen3.attention.key_length", Number(5), "gives a head size of 5"},
    {"key_length_large", "qwen3.attention.key_length", Number(1026), "is 1026"},
    {"value_length_differs", "qwen3.attention.value_length", Number(8),
     "is 8, but the head size is 6"},
    {"rope_dimensions_differ", "qwen3.rope.dimension_count", Number(4),
     "is 4, but the head size is 6"},
    {"heads_do_not_divide", "qwen3.attention.head_count",
     [](GgufImage& image, const char* key) {
       SetU32(image, key, 3);
       SetU32(image, "qwen3.attention.head_count_kv", 1);
       Remove(image, "qwen3.attention.key_length");
     },
     "does not divide the embedding length 8"},
    {"eps_missing", "qwen3.attention.layer_norm_rms_epsilon", kMissing, "is missing"},
    {"eps_type", "qwen3.attention.layer_norm_rms_epsilon", Number(1), "has type u32"},
    {"eps_zero", "qwen3.attention.layer_norm_rms_epsilon", Real(0), "is 0, expected a number"},
    {"eps_negative", "qwen3.attention.layer_norm_rms_epsilon", Real(-1), "is -1"},
    {"eps_large", "qwen3.attention.layer_norm_rms_epsilon", Real(1), "between 0 and 1"},
    {"eps_nan", "qwen3.attention.layer_norm_rms_epsilon", Real(kNan), "is nan"},
    {"base_type", "qwen3.rope.freq_base", Number(10000), "has type u32"},
    {"base_zero", "qwen3.rope.freq_base", Real(0), "is 0"},
    {"base_infinite", "qwen3.rope.freq_base", Real(kInf), "is inf"},
    {"scaling_type_type", "qwen3.rope.scaling.type", Number(1), "has type u32"},
    {"scaling_unknown", "qwen3.rope.scaling.type", Word("longrope"),
     "is \"longrope\", expected none, linear or yarn"},
    {"factor_type", "qwen3.rope.scaling.factor", Yarn(Number(4)), "has type u32"},
    {"factor_zero", "qwen3.rope.scaling.factor", Yarn(Real(0)), "is 0"},
    {"factor_nan", "qwen3.rope.scaling.factor", Yarn(Real(kNan)), "is nan"},
    {"original_context_type", "qwen3.rope.scaling.original_context_length", Yarn(Real(1)),
     "has type f32"},
    {"original_context_zero", "qwen3.rope.scaling.original_context_length", Yarn(Number(0)),
     "is 0"},
    {"ext_factor_infinite", "qwen3.rope.scaling.yarn_ext_factor", Yarn(Real(kInf)), "is inf"},
    {"attn_factor_zero", "qwen3.rope.scaling.attn_factor", Yarn(Real(0)), "is 0"},
    {"yarn_attn_factor_zero", "qwen3.rope.scaling.yarn_attn_factor", Yarn(Real(0)), "is 0"},
    {"beta_fast_negative", "qwen3.rope.scaling.yarn_beta_fast", Yarn(Real(-1)), "is -1"},
    {"beta_slow_type", "qwen3.rope.scaling.yarn_beta_slow", Yarn(Word("1")), "has type string"},
};

std::string BadKeyName(const ::testing::TestParamInfo<BadKey>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Qwen3Config, BadKeys, ::testing::ValuesIn(kBadKeys), BadKeyName);

TEST(Qwen3Config, RefusesAFileWithoutAModel) {
  GgufImage image = ToyModel();
  test::RemoveTensor(image, "token_embd.weight");
  EXPECT_THAT(Read(image).status().ToString(),
              HasSubstr("toy.gguf: tensor token_embd.weight is missing"));
}

}  // namespace
}  // namespace infer
