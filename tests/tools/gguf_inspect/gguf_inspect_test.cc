// SPDX-License-Identifier: Apache-2.0
#include "tools/gguf_inspect/gguf_inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/gguf_writer.h"
#include "tools/gguf_inspect/value_text.h"
#include "tools/report/text_table.h"

namespace infer {
namespace {

using test::GgufImage;
using test::ScratchDir;
using test::SmallImage;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const char kModel[] = INFER_SOURCE_DIR "/tools/assets/tiny-tales-q8_0.gguf";

std::string Inspect(InspectOptions options) {
  if (options.path.empty()) options.path = kModel;
  const absl::StatusOr<std::string> out = InspectGguf(options);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? *out : "";
}

TEST(Inspect, ShowsSummaryMetadataAndTensors) {
  const std::string out = Inspect({});
  EXPECT_THAT(out, HasSubstr("tiny-tales, architecture qwen3"));
  EXPECT_THAT(out, HasSubstr("6.0 MiB (6,282,080 bytes)"));
  EXPECT_THAT(out, HasSubstr("68: 25 f32 (16.0 KiB), 43 q8_0 (5.8 MiB)"));
  EXPECT_THAT(out, HasSubstr("5,771,264"));
  EXPECT_THAT(out, HasSubstr("[\"!\", \"\\\"\", \"#\", \"$\", \"%\", \"&\", ... 4090 more]"));
  EXPECT_THAT(out, HasSubstr("blk.0.ffn_down.weight     q8_0   256 x 768  204.0 KiB  1253216"));
}

TEST(Inspect, ShowsOnlyWhatIsAskedFor) {
  InspectOptions options;
  options.tensors = true;
  options.grep = "^blk\\.[01]\\.attn_q\\.";
  EXPECT_EQ(Inspect(options),
            "tensor               type      shape      size   offset  file\n"
            "blk.0.attn_q.weight  q8_0  256 x 256  68.0 KiB  1985888     1\n"
            "blk.1.attn_q.weight  q8_0  256 x 256  68.0 KiB  2824032     1\n");
  options.format = ReportFormat::kCsv;
  EXPECT_THAT(Inspect(options), HasSubstr("blk.1.attn_q.weight,q8_0,256 x 256,69632,2824032,1\n"));
}

TEST(Inspect, ShowsOneValueInFull) {
  InspectOptions options;
  options.key = "qwen3.block_count";
  EXPECT_EQ(Inspect(options), "6\n");
  options.key = "tokenizer.ggml.merges";
  EXPECT_THAT(Inspect(options), StartsWith("h e\n"));
  options = {};
  options.chat_template = true;
  EXPECT_EQ(Inspect(options).size(), 4116u);
}

TEST(Inspect, ShowsTheTokenizer) {
  InspectOptions options;
  options.tokenizer = true;
  EXPECT_THAT(Inspect(options), HasSubstr("tokenizer.ggml.eos_token_id      4091  <|im_end|>"));
  EXPECT_THAT(Inspect(options), HasSubstr("4,096 x string"));
  options.grep = "^<\\|im_";
  EXPECT_EQ(Inspect(options),
            "  id  type     text\n"
            "4090  control  <|im_start|>\n"
            "4091  control  <|im_end|>\n");
}

TEST(Inspect, JsonHasTheSameFacts) {
  InspectOptions options;
  options.format = ReportFormat::kJson;
  const nlohmann::json json = nlohmann::json::parse(Inspect(options), nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["files"][0]["bytes"], 6282080);
  EXPECT_EQ(json["tensors"].size(), 68u);
  EXPECT_EQ(json["tensors"][2]["shape"], (std::vector<int>{256, 768}));
  EXPECT_EQ(json["metadata"][0]["value"], "qwen3");
  EXPECT_EQ(json["metadata"][18]["count"], 4096);
  EXPECT_EQ(json["metadata"][18]["value"].size(), 10u);
}

TEST(Inspect, RefusesWithTheCause) {
  InspectOptions options;
  options.path = kModel;
  options.key = "no.such";
  EXPECT_TRUE(absl::IsNotFound(InspectGguf(options).status()));
  options = {};
  options.path = kModel;
  options.grep = "a(";
  EXPECT_THAT(std::string(InspectGguf(options).status().message()), HasSubstr("pattern 'a('"));
  options.grep = "";
  options.format = ReportFormat::kCsv;
  EXPECT_THAT(std::string(InspectGguf(options).status().message()), HasSubstr("choose one of"));
  options.path = "/no/such/file";
  EXPECT_TRUE(absl::IsNotFound(InspectGguf(options).status()));
}

// Nested repetition takes exponential time without PCRE2's limits.
TEST(Inspect, HostilePatternsEnd) {
  const ScratchDir dir;
  GgufImage image = SmallImage();
  image.Add(std::string(20000, 'a') + "b", 0, "x");
  InspectOptions options;
  options.path = dir.Write("m.gguf", image.Bytes());
  options.grep = "(a+)+$";
  EXPECT_TRUE(InspectGguf(options).ok());
}

TEST(Inspect, HostileTextCannotDriveATerminal) {
  const ScratchDir dir;
  GgufImage image = SmallImage();
  image.Set("test.string", 8, test::Text("\x1b[2J\xc2\x9b\xff\nend"));
  InspectOptions options;
  options.path = dir.Write("m.gguf", image.Bytes());
  const std::string out = Inspect(options);
  EXPECT_THAT(out, HasSubstr("\\x1b[2J\\xc2\\x9b\\xff\\nend"));
  EXPECT_THAT(out, Not(HasSubstr("\x1b")));
  options.format = ReportFormat::kJson;
  EXPECT_FALSE(nlohmann::json::parse(Inspect(options), nullptr, false).is_discarded());
}

TEST(Verify, AcceptsRealModelsAndTellsProgress) {
  VerifyOptions options;
  options.path = kModel;
  uint64_t last = 0;
  options.progress = [&](uint64_t done, uint64_t total) {
    EXPECT_GT(done, last);
    EXPECT_EQ(total, 6144000u);
    last = done;
  };
  const absl::StatusOr<std::string> out = VerifyGguf(options);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(*out, HasSubstr("none in 68 tensors"));
  EXPECT_EQ(last, 6144000u);
  options.progress = nullptr;
  options.format = ReportFormat::kJson;
  EXPECT_EQ(nlohmann::json::parse(*VerifyGguf(options), nullptr, false)["ok"], true);
}

struct BadValue {
  uint32_t type;
  std::vector<uint64_t> dims;
  std::string data;
  std::string_view message;
};

TEST(Verify, FindsNanAndInfinityInEveryScannedType) {
  const std::string good_block = test::U16(0x3c00) + std::string(32, '\1');
  const BadValue kBad[] = {
      {0, {2}, test::F32(1) + test::U32(0x7fc00000), "element 1 is NaN"},
      {0, {2}, test::U32(0xff800000) + test::F32(1), "element 0 is infinite"},
      {1, {3}, test::U16(0) + test::U16(0x7bff) + test::U16(0x7c01), "element 2 is NaN"},
      {30, {2}, test::U16(0x7f80) + test::U16(0), "element 0 is infinite"},
      {28, {1}, test::U64(0x7ff8000000000000), "element 0 is NaN"},
      {8,
       {64},
       good_block + test::U16(0xfc00) + std::string(32, '\1'),
       "scale of block 1 is infinite"},
  };
  for (const BadValue& bad : kBad) {
    const ScratchDir dir;
    GgufImage image = SmallImage();
    image.AddTensor("bad.weight", bad.dims, bad.type, bad.data);
    VerifyOptions options;
    options.path = dir.Write("m.gguf", image.Bytes());
    const absl::Status status = VerifyGguf(options).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("tensor \"bad.weight\": "));
    EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(bad.message)));
    EXPECT_THAT(std::string(status.message()), HasSubstr("(1 such values in 1 tensors)"));
  }
}

TEST(Verify, SaysWhatItCouldNotScan) {
  const ScratchDir dir;
  GgufImage image = SmallImage();
  image.AddTensor("k.weight", {256}, 12, std::string(144, '\xff'));
  VerifyOptions options;
  options.path = dir.Write("m.gguf", image.Bytes());
  EXPECT_THAT(*VerifyGguf(options), HasSubstr("not scanned   1 tensors"));
}

TEST(Hash, ChangesWithTheTensorOnly) {
  const ScratchDir dir;
  HashOptions options;
  options.format = ReportFormat::kJson;
  options.path = dir.Write("a.gguf", SmallImage().Bytes());
  const auto before = nlohmann::json::parse(*HashGguf(options), nullptr, false);
  GgufImage image = SmallImage();
  image.Tensor("b.weight").data[5] ^= 1;
  options.path = dir.Write("b.gguf", image.Bytes());
  const auto after = nlohmann::json::parse(*HashGguf(options), nullptr, false);
  EXPECT_EQ(before["header_hash"], after["header_hash"]);
  EXPECT_EQ(before["tensors"][0], after["tensors"][0]);
  EXPECT_NE(before["tensors"][1]["hash"], after["tensors"][1]["hash"]);
  EXPECT_NE(before["total"], after["total"]);
}

TEST(Hash, TextNamesHeaderTensorsAndTotal) {
  HashOptions options;
  options.path = kModel;
  options.full = true;
  const std::string out = *HashGguf(options);
  EXPECT_THAT(out, StartsWith("header (xxh3-128)  "));
  EXPECT_THAT(out, HasSubstr("xxh3-64 of all bytes"));
  EXPECT_THAT(out, HasSubstr("208896  blk.0.ffn_down.weight"));
  EXPECT_THAT(out, HasSubstr("total (xxh3-128)"));
}

TEST(TextTable, AlignsAndQuotes) {
  TextTable table("lr");
  table.Add({"a", "1"});
  table.Add({"b,\"", "22"});
  EXPECT_EQ(table.Text(), "a     1\nb,\"  22\n");
  EXPECT_EQ(table.Csv(), "a,1\n\"b,\"\"\",22\n");
  EXPECT_EQ(HumanBytes(1023), "1023 B");
  EXPECT_EQ(HumanBytes(1536), "1.5 KiB");
  EXPECT_EQ(HumanBytes(~uint64_t{0}), "16.0 EiB");
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(123456789), "123,456,789");
}

}  // namespace
}  // namespace infer
