// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/perfetto.h"

#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/base/strings.h"
#include "tests/runtime/trace/read_perfetto.h"

namespace infer {
namespace {

using test::ReadPerfetto;
using test::ReadTrace;
using test::ReadTrack;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TraceHeader Header() {
  return {.process = "infer",
          .threads = {"thread 0", "thread 1"},
          .counters = {{"tokens", false}, {"KV cache", true}},
          .facts = {{"policy", "auto"}, {"threads", int64_t{2}}}};
}

// A call with two steps in it on thread 0, one step on thread 1, and counters.
std::string SmallTrace() {
  std::unique_ptr<TraceEncoder> encoder = MakePerfettoEncoder();
  std::string out;
  encoder->Begin(Header(), &out);
  encoder->Describe(0, {"call", "call", {{"T", int64_t{1}}}}, &out);
  encoder->Describe(1, {"q_proj", "simd", {{"layer", int64_t{300}}, {"op", "linear"}}}, &out);
  encoder->Count(1, 0, 0, &out);
  encoder->BeginSlice(0, 0, 0, 1000, 0, &out);
  encoder->BeginSlice(0, 1, 10, 400, 50, &out);
  encoder->EndSlice(0, 400, &out);
  encoder->Describe(1, {"q_proj", "simd", {{"layer", int64_t{300}}, {"op", "other"}}}, &out);
  encoder->BeginSlice(0, 1, 400, 990, 0, &out);
  encoder->EndSlice(0, 990, &out);
  encoder->EndSlice(0, 1000, &out);
  encoder->BeginSlice(1, 1, 20, 380, 0, &out);
  encoder->EndSlice(1, 380, &out);
  encoder->Count(1, 1000, int64_t{5} << 33, &out);
  encoder->End(&out);
  return out;
}

TEST(Perfetto, NamesProcessThreadsAndCounters) {
  const ReadTrace trace = ReadPerfetto(SmallTrace());
  EXPECT_THAT(trace.problems, IsEmpty());
  ASSERT_THAT(trace.tracks, SizeIs(5));
  const ReadTrack& process = trace.Named("infer");
  EXPECT_EQ(process.kind, "process");
  EXPECT_THAT(process.labels, ElementsAre("policy: auto", "threads: 2"));
  for (const char* name : {"thread 0", "thread 1"}) {
    EXPECT_EQ(trace.Named(name).kind, "thread");
    EXPECT_EQ(trace.tracks.at(trace.Named(name).parent).kind, "process");
  }
  EXPECT_EQ(trace.Named("tokens").unit, 2);    // UNIT_COUNT
  EXPECT_EQ(trace.Named("KV cache").unit, 3);  // UNIT_SIZE_BYTES
}

TEST(Perfetto, SlicesNestOnTheirThreadAndCarryTheirLabels) {
  const ReadTrace trace = ReadPerfetto(SmallTrace());
  EXPECT_THAT(trace.problems, IsEmpty());
  const ReadTrack& first = trace.Named("thread 0");
  ASSERT_THAT(first.slices, SizeIs(3));
  EXPECT_EQ(first.slices[0].name, "call");
  EXPECT_EQ(first.slices[0].end_ns, 1000u);
  EXPECT_EQ(first.slices[0].depth, 0);
  EXPECT_EQ(first.slices[1].depth, 1);
  EXPECT_EQ(first.slices[1].category, "simd");
  EXPECT_EQ(first.slices[1].start_ns, 10u);
  EXPECT_EQ(first.slices[1].end_ns, 400u);
  EXPECT_THAT(first.slices[1].fields,
              UnorderedElementsAre(Pair("layer", "300"), Pair("op", "linear"),
                                   Pair("inner_wait_ns", "50")));
  EXPECT_THAT(first.slices[2].fields,
              UnorderedElementsAre(Pair("layer", "300"), Pair("op", "other")));
  const ReadTrack& second = trace.Named("thread 1");
  ASSERT_THAT(second.slices, SizeIs(1));
  EXPECT_EQ(second.slices[0].depth, 0);
}

TEST(Perfetto, CountersHave64Bits) {
  EXPECT_THAT(ReadPerfetto(SmallTrace()).Named("KV cache").values,
              ElementsAre(Pair(0, 0), Pair(1000, int64_t{5} << 33)));
}

TEST(Perfetto, AnUnusedTraceIsValid) {
  std::unique_ptr<TraceEncoder> encoder = MakePerfettoEncoder();
  std::string out;
  encoder->Begin(Header(), &out);
  encoder->End(&out);
  EXPECT_THAT(ReadPerfetto(out).problems, IsEmpty());
}

// Each field as "numbers from the outermost message=value". Which fields are messages stands in no
// encoding, so they are listed.
void Flatten(const std::string& bytes, const std::string& path, std::vector<std::string>* out) {
  constexpr std::string_view kMessages[] = {"1",      "1.11",   "1.11.4", "1.12",
                                            "1.12.1", "1.60",   "1.60.3", "1.60.4",
                                            "1.60.8", "1.12.2", "1.12.3", "1.12.29"};
  google::protobuf::UnknownFieldSet fields;
  ASSERT_TRUE(fields.ParseFromString(bytes)) << path;
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField& field = fields.field(i);
    const std::string here = StrCat(path, path.empty() ? "" : ".", field.number());
    if (field.type() == google::protobuf::UnknownField::TYPE_VARINT) {
      out->push_back(StrCat(here, "=", field.varint()));
    } else if (std::ranges::count(kMessages, here) > 0) {
      Flatten(field.length_delimited(), here, out);
    } else {
      out->push_back(StrCat(here, "=", field.length_delimited()));
    }
  }
}

// Numbers as Perfetto publishes them, written out a second time.
TEST(Perfetto, FieldsHaveThePublishedNumbers) {
  std::unique_ptr<TraceEncoder> encoder = MakePerfettoEncoder();
  std::string out;
  encoder->Begin({.process = "p", .threads = {"t"}, .counters = {{"c", true}}, .facts = {}}, &out);
  encoder->Describe(0, {"n", "k", {{"a", int64_t{7}}, {"b", "s"}}}, &out);
  encoder->BeginSlice(0, 0, 5, 9, 0, &out);
  encoder->EndSlice(0, 9, &out);
  encoder->Count(0, 9, 77, &out);
  std::vector<std::string> fields;
  Flatten(out, "", &fields);
  EXPECT_THAT(
      fields,
      ElementsAre("1.60.1=1", "1.60.3.1=1", "1.60.3.6=p", "1.10=1", "1.13=1", "1.87=1",  // process
                  "1.60.1=2", "1.60.5=1", "1.60.4.1=1", "1.60.4.2=1", "1.60.4.5=t",
                  "1.10=1",                                                            // thread
                  "1.60.1=3", "1.60.5=1", "1.60.2=c", "1.60.8.3=3", "1.10=1",          // counter
                  "1.12.3.1=1", "1.12.3.2=inner_wait_ns", "1.12.1.1=2", "1.12.1.2=k",  // strings
                  "1.12.2.1=3", "1.12.2.2=n", "1.12.3.1=4", "1.12.3.2=a", "1.12.3.1=5",
                  "1.12.3.2=b", "1.12.29.1=6", "1.12.29.2=s", "1.10=1", "1.13=2",           //
                  "1.8=5", "1.11.9=1", "1.11.11=2", "1.11.3=2", "1.11.10=3", "1.11.4.1=4",  // begin
                  "1.11.4.4=7", "1.11.4.1=5", "1.11.4.17=6", "1.10=1", "1.13=2",            //
                  "1.8=9", "1.11.9=2", "1.11.11=2", "1.10=1", "1.13=2",                     // end
                  "1.8=9", "1.11.9=4", "1.11.11=3", "1.11.30=77", "1.10=1", "1.13=2"));     // value
}

}  // namespace
}  // namespace infer
