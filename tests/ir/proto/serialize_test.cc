// SPDX-License-Identifier: Apache-2.0
#include "ir/proto/serialize.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "ir/base/strings.h"
#include "ir/graph/builder.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"
#include "ir/proto/graph.pb.h"
#include "ir/proto/program_file.h"
#include "ir/text/fingerprint.h"
#include "ir/verify/verifier.h"
#include "tests/ir/same_graph.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

using test::AddKernelChoices;
using test::SampleGraph;
using test::SampleProgram;
using test::SampleProgramOnTwoDevices;
using ::testing::HasSubstr;

TEST(SerializeProgram, KeepsTheNumberOfSequences) {
  Program program = SampleProgram();
  program.sequences = 2;
  const std::string bytes = SerializeProgram(program).value();
  EXPECT_EQ(DeserializeProgram(bytes, "p.pb").value().sequences, 2);
  for (const int64_t wrong : {int64_t{0}, int64_t{-1}, program.symbols[Symbol::kS].max + 1}) {
    program.sequences = wrong;
    EXPECT_THAT(std::string(Verify(program).message()), HasSubstr("sequences")) << wrong;
  }
}

class SerializeStages : public ::testing::TestWithParam<Stage> {};

TEST_P(SerializeStages, GraphsComeBackEqual) {
  Graph graph = SampleGraph(GetParam());
  absl::StatusOr<std::string> bytes = SerializeGraph(graph);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  absl::StatusOr<Graph> again = DeserializeGraph(*bytes, "g.pb");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(Fingerprint(*again), Fingerprint(graph));
  EXPECT_EQ(again->stage(), graph.stage());
  EXPECT_EQ(again->symbols(), graph.symbols());
  EXPECT_TRUE(SameValue(again->plan(), graph.plan()));
  EXPECT_EQ(again->results().size(), 2u);
  EXPECT_EQ(NodeIds(*again), NodeIds(graph));
  std::vector<Node*> nodes = graph.nodes();
  std::vector<Node*> nodes_again = again->nodes();
  ASSERT_EQ(nodes.size(), nodes_again.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_TRUE(SameValue(nodes[i]->placement(), nodes_again[i]->placement()));
    EXPECT_EQ(nodes[i]->merged_scopes(), nodes_again[i]->merged_scopes());
  }
  EXPECT_EQ(SerializeGraph(*again).value(), *bytes);
}

INSTANTIATE_TEST_SUITE_P(All, SerializeStages,
                         ::testing::Values(Stage::kImported, Stage::kBound, Stage::kPlaced,
                                           Stage::kScheduled, Stage::kPlanned));

TEST(Serialize, ProgramsComeBackEqual) {
  Program program = SampleProgramOnTwoDevices(false);
  AddKernelChoices(&program);
  program.kernel_choices.back().parts = {0, 1};
  std::string bytes = SerializeProgram(program).value();
  absl::StatusOr<Program> again = DeserializeProgram(bytes, "p.pb");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->schema_version, kProgramSchemaVersion);
  EXPECT_EQ(again->model, program.model);
  EXPECT_EQ(again->weights, program.weights);
  EXPECT_EQ(again->states, program.states);
  EXPECT_EQ(again->policy, program.policy);
  EXPECT_EQ(again->overrides, program.overrides);
  EXPECT_EQ(again->machine, program.machine);
  EXPECT_EQ(again->symbols, program.symbols);
  EXPECT_EQ(again->passes, program.passes);
  EXPECT_EQ(again->kernels, program.kernels);
  EXPECT_EQ(again->kernel_choices, program.kernel_choices);
  ASSERT_EQ(again->regimes.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(again->regimes[i].min_tokens, program.regimes[i].min_tokens);
    EXPECT_EQ(again->regimes[i].max_tokens, program.regimes[i].max_tokens);
    EXPECT_FALSE(again->regimes[i].kernel_choices.empty());
    EXPECT_EQ(again->regimes[i].kernel_choices, program.regimes[i].kernel_choices);
    EXPECT_EQ(Fingerprint(again->regimes[i].graph), Fingerprint(program.regimes[i].graph));
  }
  EXPECT_EQ(SerializeProgram(*again).value(), bytes);
}

// Texts and files have one limit, so that what is read from a file can be written as text.
TEST(Serialize, RefusesRowsThatATextCannotHave) {
  Program program = SampleProgram();
  AddKernelChoices(&program);
  proto::Program message;
  ASSERT_TRUE(message.ParseFromString(SerializeProgram(program).value()));
  message.clear_checksum();
  message.mutable_kernel_choices(0)->set_rows("2147483648");
  std::string bytes = message.SerializeAsString();
  AppendChecksum(&bytes);
  EXPECT_THAT(
      std::string(DeserializeProgram(bytes, "p.pb").status().message()),
      HasSubstr("kernel choice 0 is for \"2147483648\" rows, expected T, R, S or a number"));
}

TEST(Serialize, EqualProgramsGiveEqualBytes) {
  EXPECT_EQ(SerializeProgram(SampleProgram()).value(), SerializeProgram(SampleProgram()).value());
}

TEST(Serialize, KeepsEveryKindOfAttributeAndVariadicInputs) {
  Graph graph("attrs");
  Value x = graph.AddInput("x", ValueType::F32({Symbol::kT, 4}))->output();
  Value batch = graph.AddInput("batch", ValueType::Batch())->output();
  GraphBuilder b(&graph);
  Value heads = ops::Reshape(b.In("heads"), x, {0, 1, 4});
  ops::RopeParams params;
  params.freq_scale = 0.1;
  params.original_context = 32768;
  Value turned = ops::Rope(b.In("rope"), heads, batch, params);
  Value flat = ops::Reshape(b.In("flat"), turned, {0, 4});
  graph.AddResult(ops::ConcatColumns(b.In("concat"), {flat, flat, x}));
  ASSERT_TRUE(b.status().ok()) << b.status();
  Graph again = DeserializeGraph(SerializeGraph(graph).value(), "g").value();
  EXPECT_EQ(Fingerprint(again), Fingerprint(graph));
  EXPECT_EQ(again.nodes()[3]->attr<double>(1), 0.1);
  EXPECT_EQ(again.nodes()[3]->attr<int64_t>(6), 32768);
  EXPECT_EQ(again.nodes()[5]->inputs().size(), 3u);
}

// Stored, such a scope could not be told from the name of a fused node.
TEST(Serialize, RefusesAScopeWithAPlus) {
  Program program = SampleProgram();
  program.regimes[0].graph.nodes().back()->set_scope("a+b");
  EXPECT_THAT(
      std::string(SerializeProgram(program).status().message()),
      ::testing::HasSubstr("the Program's scope \"a+b\" has a '+', which joins the names of "
                           "a fused node's members"));
}

TEST(Serialize, StoresEqualPlacementsOnce) {
  proto::Program message;
  ASSERT_TRUE(message.ParseFromString(SerializeProgram(SampleProgram()).value()));
  const proto::Graph& graph = message.regimes(0).graph();
  // Ten nodes run; the two `linear` differ in cost, so nothing is shared here but all are listed.
  EXPECT_EQ(graph.placements_size(), 10);
  // Placements name what their kernel needs, so only nodes of one op can have the same.
  Graph same = SampleGraph(Stage::kPlaced);
  std::vector<Node*> products = same.NodesOf(ops::kLinear);
  ASSERT_EQ(products.size(), 2u);
  products[0]->set_placement(*products[1]->placement());
  proto::GraphFile file;
  ASSERT_TRUE(file.ParseFromString(SerializeGraph(same).value()));
  EXPECT_EQ(file.graph().placements_size(), 9);
}

TEST(Serialize, WritesTextprotoThatProtobufReads) {
  std::string text = ProgramToTextproto(SampleProgram()).value();
  EXPECT_THAT(text, HasSubstr("kernel: \"rms_norm_scalar\""));
  proto::Program message;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message));
  EXPECT_EQ(message.regimes_size(), 2);
}

TEST(Serialize, WritesJsonWithTheNamesOfTheSchema) {
  std::string json = ProgramToJson(SampleProgram()).value();
  EXPECT_THAT(json, HasSubstr("\"header_hash\": \"0123456789abcdef0123456789abcdef\""));
  EXPECT_THAT(json, HasSubstr("\"mode\": \"SERIAL\""));
}

TEST(Serialize, RefusesToWriteWhatItCouldNotRead) {
  Program unverified = SampleProgram();
  unverified.regimes.pop_back();
  EXPECT_THAT(SerializeProgram(unverified).status().ToString(), HasSubstr("do not cover"));
  Program not_utf8 = SampleProgram();
  not_utf8.overrides = {"\xff"};
  EXPECT_THAT(SerializeProgram(not_utf8).status().ToString(), HasSubstr("not UTF-8"));
}

}  // namespace
}  // namespace infer
