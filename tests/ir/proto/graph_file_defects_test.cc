// SPDX-License-Identifier: Apache-2.0
//
// Every way in which a stored Program can lie: each is refused with one line that names the file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <limits>
#include <random>

#include "ir/base/advice.h"
#include "ir/base/strings.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"
#include "ir/proto/graph.pb.h"
#include "ir/proto/program_file.h"
#include "ir/proto/serialize.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

using test::SampleGraph;
using test::SampleProgram;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const std::string& SampleBytes() {
  static const std::string* bytes = new std::string(SerializeProgram(SampleProgram()).value());
  return *bytes;
}

proto::Program SampleMessage() {
  proto::Program message;
  EXPECT_TRUE(message.ParseFromString(SampleBytes()));
  message.clear_checksum();
  return message;
}

std::string Seal(const proto::Program& message) {
  std::string bytes = message.SerializeAsString();
  AppendChecksum(&bytes);
  return bytes;
}

void ExpectRefused(std::string_view bytes, std::string_view expected) {
  absl::StatusOr<Program> program = DeserializeProgram(bytes, "dir/p.pb");
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.status().code(), absl::StatusCode::kInvalidArgument);
  std::string message(ToStd(program.status().message()));
  EXPECT_THAT(message, StartsWith("dir/p.pb: "));
  EXPECT_THAT(message, HasSubstr(std::string(expected)));
  EXPECT_FALSE(AdviceOf(program.status()).empty()) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

// Positions in the sample: 0 tokens, 1 batch, 2 token_embd, 3 attn_norm, 4 attn_q, 5 kv, 6 embed,
// 7 norm, 8 q_proj, 9 heads, 10 half, 11 kv_write, 12 attention, 13 add, 14 rows, 15 output.
struct FileDefect {
  const char* name;
  std::function<void(proto::Program&)> damage;
  const char* message;
};

proto::Graph& G(proto::Program& p) { return *p.mutable_regimes(0)->mutable_graph(); }
proto::Node& N(proto::Program& p, int at) { return *G(p).mutable_nodes(at); }
proto::Type& TypeOf(proto::Program& p, int at) {
  return *N(p, at).mutable_results(0)->mutable_type();
}
proto::Plan& PlanOf(proto::Program& p) { return *G(p).mutable_plan(); }
proto::Segment& Steps(proto::Program& p) { return *PlanOf(p).mutable_segments(0); }
proto::Slot& SlotAt(proto::Program& p, int at) { return *PlanOf(p).mutable_slots(at); }
proto::Placement& PlacementOf(proto::Program& p, int at) {
  return *G(p).mutable_placements(static_cast<int>(N(p, at).placement()));
}

class FileDefects : public ::testing::TestWithParam<FileDefect> {};

TEST_P(FileDefects, AreRefusedInOneLine) {
  proto::Program message = SampleMessage();
  GetParam().damage(message);
  ExpectRefused(Seal(message), GetParam().message);
}

std::string FileDefectName(const ::testing::TestParamInfo<FileDefect>& info) {
  return info.param.name;
}

const FileDefect kFileDefects[] = {
    {"format_missing", [](auto& p) { p.clear_format(); }, "is not an infer program"},
    {"format_other", [](auto& p) { p.set_format("onnx"); }, "is not an infer program"},
    {"format_of_a_graph", [](auto& p) { p.set_format("infer graph"); },
     "is an infer graph, expected an infer program"},
    {"version_missing", [](auto& p) { p.clear_schema_version(); }, "has schema version 0"},
    {"version_negative", [](auto& p) { p.set_schema_version(-1); }, "has schema version -1"},
    {"version_next", [](auto& p) { p.set_schema_version(2); },
     "was written by a newer version (schema 2, known here: 1); update infer"},
    {"version_last", [](auto& p) { p.set_schema_version(0x7fffffff); },
     "was written by a newer version"},
};

const FileDefect kProgramDefects[] = {
    {"kernel_candidate_target",
     [](auto& p) { p.add_kernels()->set_target(static_cast<proto::Target>(9)); },
     "has the unknown target 9"},
    {"kernel_choice_rows", [](auto& p) { p.add_kernel_choices()->set_rows("Q"); },
     "kernel choice 0 is for \"Q\" rows, expected T, R, S or a number"},
    {"kernel_choice_for_no_table", [](auto& p) { p.mutable_regimes(0)->add_kernel_choices(0); },
     "has the kernel choice 0; the number of kernel choices is 0"},
    {"no_model_file", [](auto& p) { p.mutable_model()->clear_files(); }, "names no model file"},
    {"file_absolute", [](auto& p) { p.mutable_model()->mutable_files(0)->set_name("/etc/passwd"); },
     "named \"/etc/passwd\", expected a name without folders"},
    {"file_parent", [](auto& p) { p.mutable_model()->mutable_files(0)->set_name(".."); },
     "expected a name without folders"},
    {"file_in_parent", [](auto& p) { p.mutable_model()->mutable_files(0)->set_name("..\\x.gguf"); },
     "expected a name without folders"},
    {"file_empty", [](auto& p) { p.mutable_model()->mutable_files(0)->set_name(""); },
     "expected a name without folders"},
    {"file_with_nul",
     [](auto& p) { p.mutable_model()->mutable_files(0)->set_name(std::string("a\0b", 3)); },
     "expected a name without folders"},
    {"file_with_line_break",
     [](auto& p) { p.mutable_model()->mutable_files(0)->set_name("a\n/b"); }, "a\\n/b"},
    {"hash_short", [](auto& p) { p.mutable_model()->set_header_hash("abc"); },
     "expected 32 lower-case hex digits"},
    {"hash_not_hex", [](auto& p) { p.mutable_model()->set_header_hash(std::string(32, 'g')); },
     "expected 32 lower-case hex digits"},
    {"weight_missing", [](auto& p) { p.mutable_weights()->RemoveLast(); },
     "weight \"token_embd.weight\" is not in the Program's list"},
    {"weight_without_name", [](auto& p) { p.mutable_weights(0)->clear_name(); }, "has no name"},
    {"weights_unsorted", [](auto& p) { p.mutable_weights()->SwapElements(0, 1); },
     "weights must be in ascending order"},
    {"weight_twice", [](auto& p) { *p.add_weights() = p.weights(2); },
     "weights must be in ascending order, each once"},
    {"weight_type_differs",
     [](auto& p) {
       p.mutable_weights(2)->mutable_type()->set_dtype("f16");
       p.mutable_weights(2)->set_bytes(96 * 64 * 2);
     },
     "is q8_0[96,64], but the weight is f16[96,64]"},
    {"weight_is_batch",
     [](auto& p) {
       p.mutable_weights(0)->mutable_type()->Clear();
       p.mutable_weights(0)->mutable_type()->set_kind(proto::Type::BATCH);
     },
     "is not a tensor"},
    {"weight_dtype_unknown",
     [](auto& p) { p.mutable_weights(0)->mutable_type()->set_dtype("f33"); },
     "weight \"blk.0.attn_norm.weight\": unknown element type \"f33\""},
    {"weight_symbolic", [](auto& p) { p.mutable_weights(0)->mutable_type()->set_dims(0, "T"); },
     "must be numbers from 1 to"},
    {"weight_bytes", [](auto& p) { p.mutable_weights(0)->set_bytes(255); },
     "has 255 bytes, but f32[64] takes 256"},
    {"weight_bytes_overflow",
     [](auto& p) {
       proto::Type& type = *p.mutable_weights(0)->mutable_type();
       type.clear_dims();
       for (int i = 0; i < 4; ++i) type.add_dims("2147483647");
     },
     "has 256 bytes"},
    {"weight_file_index", [](auto& p) { p.mutable_weights(0)->set_file(1); },
     "is in file 1; the number of files is 1"},
    {"weight_file_negative", [](auto& p) { p.mutable_weights(0)->set_file(-1); },
     "is in file -1; the number of files is 1"},
    {"weight_outside_file", [](auto& p) { p.mutable_weights(0)->set_offset(99745); },
     "lie outside its file of 100000 bytes"},
    {"weight_end_wraps", [](auto& p) { p.mutable_weights(0)->set_offset(~uint64_t{0}); },
     "lie outside its file"},
    {"weight_layout_empty", [](auto& p) { p.mutable_weights(0)->add_layouts(""); },
     "layout without a name"},
    {"weight_space_unknown",
     [](auto& p) { p.mutable_weights(0)->set_spaces(0, static_cast<proto::Device>(99)); },
     "a space of a weight has the unknown value 99"},
    {"weight_space_missing", [](auto& p) { p.mutable_weights(0)->clear_spaces(); },
     "on cpu, where the Program does not keep it"},
    {"weight_spaces_twice",
     [](auto& p) { p.mutable_weights(0)->add_spaces(p.weights(0).spaces(0)); },
     "in ascending order, each once"},
    {"weight_layout_repeated",
     [](auto& p) {
       for (int i = 0; i < 1000; ++i) p.mutable_weights(0)->add_layouts(p.weights(0).layouts(0));
     },
     "its layouts must be in ascending order, each once"},
    {"weight_layout_missing", [](auto& p) { p.mutable_weights(0)->clear_layouts(); },
     "in the layout \"gguf\", which the Program does not list for it"},
    {"state_elsewhere", [](auto& p) { p.mutable_states(0)->set_home_space(proto::DEVICE_METAL); },
     "runs in the memory of cpu, but state 0 is in that of metal"},
    {"placement_of_an_earlier_build",
     [](auto& p) {
       p.mutable_regimes(0)->mutable_graph()->mutable_placements(0)->clear_kernel_record();
     },
     "does not record what the kernel needs: the file is from an earlier build"},
    {"partition_unknown",
     [](auto& p) {
       p.mutable_regimes(0)
           ->mutable_graph()
           ->mutable_placements(0)
           ->mutable_kernel_record()
           ->mutable_partition()
           ->set_domain(static_cast<proto::Partition::Domain>(77));
     },
     "the partition of a kernel has the unknown value 77"},
    {"wait_unknown",
     [](auto& p) {
       p.mutable_regimes(0)->mutable_graph()->mutable_plan()->add_waits(
           static_cast<proto::Device>(9));
     },
     "a device that is waited for has the unknown value 9"},
    {"state_missing", [](auto& p) { p.clear_states(); }, "the Program has no state 0"},
    {"state_id", [](auto& p) { p.mutable_states(0)->set_id(1); }, "states must be numbered from 0"},
    {"state_type", [](auto& p) { p.mutable_states(0)->set_head_dim(64); },
     "is kv<f16[1,32]>, but state 0 is kv<f16[1,64]>"},
    {"state_kind", [](auto& p) { p.mutable_states(0)->clear_kind(); }, "unknown kind 0"},
    {"state_dtype", [](auto& p) { p.mutable_states(0)->set_dtype("x"); }, "element type \"x\""},
    {"state_heads", [](auto& p) { p.mutable_states(0)->set_kv_heads(0); }, "state 0 must have"},
    {"state_space", [](auto& p) { p.mutable_states(0)->clear_home_space(); },
     "the space of a state has the unknown value 0"},
    {"rule_without_targets", [](auto& p) { p.mutable_policy()->mutable_rule(0)->clear_targets(); },
     "has no targets"},
    {"rule_target_unknown",
     [](auto& p) {
       p.mutable_policy()->mutable_rule(0)->set_targets(0, static_cast<proto::Target>(9));
     },
     "names the unknown target 9"},
    {"rule_name_twice", [](auto& p) { *p.mutable_policy()->add_rule() = p.policy().rule(0); },
     "must have a unique, non-empty name"},
    {"policy_enum",
     [](auto& p) { p.mutable_policy()->set_composites(static_cast<proto::Policy::Composites>(5)); },
     "unknown value for composites or activations"},
    {"policy_kv_type", [](auto& p) { p.mutable_policy()->set_kv_type("f12"); },
     "is not an element type"},
    {"rule_op", [](auto& p) { p.mutable_policy()->mutable_rule(0)->set_op("linaer"); },
     "the policy's rule \"everything\" names the unknown op \"linaer\" (did you mean linear?)"},
    {"rule_weight_type",
     [](auto& p) { p.mutable_policy()->mutable_rule(0)->set_weight_type("q9"); },
     "the policy's rule \"everything\" names the unknown weight type \"q9\""},
    {"rule_bounds",
     [](auto& p) {
       p.mutable_policy()->mutable_rule(0)->set_min_rows(5);
       p.mutable_policy()->mutable_rule(0)->set_max_rows(4);
     },
     "the policy's rule \"everything\" can match nothing: for rows, its minimum 5"},
    {"rule_regex", [](auto& p) { p.mutable_policy()->mutable_rule(0)->set_node_regex("("); },
     "rule \"everything\": node_regex: the pattern '(' is invalid at character 2"},
    {"machine_text", [](auto& p) { p.mutable_machine()->set_text("name: \"a\"\nthread: 2"); },
     "the machine description:2:1: a machine description has no field thread (did you mean "
     "threads?)"},
    {"machine_number", [](auto& p) { p.mutable_machine()->mutable_text()->append("call_ns: -1"); },
     "call_ns"},
    {"machine_other_origin",
     [](auto& p) { p.mutable_machine()->set_origin(proto::Machine::CALIBRATED); },
     "the machine description is generic, the Program says it is calibrated"},
    {"machine_calibrated_without_text",
     [](auto& p) {
       p.mutable_machine()->clear_text();
       p.mutable_machine()->set_origin(proto::Machine::CALIBRATED);
     },
     "says its machine description is calibrated but has none"},
    {"control_in_policy", [](auto& p) { p.mutable_policy()->set_name("x\033[31m"); },
     "the policy has a control character in its name"},
    {"control_in_rule", [](auto& p) { p.mutable_policy()->mutable_rule(0)->set_name("a\nb"); },
     "the policy's rule \"a\\nb\" has a control character in its name"},
    {"control_in_override", [](auto& p) { p.set_overrides(0, "\x7f"); },
     "the Program's overrides \"\\x7f\" has a control character"},
    {"control_in_pass", [](auto& p) { p.mutable_passes(0)->set_name("\b"); }, "the Program's name"},
    {"control_in_layout", [](auto& p) { p.mutable_weights(0)->set_layouts(0, "a\rb"); },
     "the Program's layouts \"a\\rb\""},
    {"machine_origin", [](auto& p) { p.mutable_machine()->clear_origin(); },
     "the machine's origin has the unknown value 0"},
    {"no_symbols", [](auto& p) { p.clear_symbols(); }, "the range of T is 0..0"},
    {"no_regimes", [](auto& p) { p.clear_regimes(); }, "do not cover 1..16 tokens"},
    {"regime_gap", [](auto& p) { p.mutable_regimes(1)->set_min_tokens(6); },
     "the regime of 6..16 tokens must begin at 5"},
    {"regime_overlap", [](auto& p) { p.mutable_regimes(1)->set_min_tokens(4); },
     "the regime of 4..16 tokens must begin at 5"},
    {"regimes_unsorted", [](auto& p) { p.mutable_regimes()->SwapElements(0, 1); },
     "must begin at 1"},
    {"regime_backwards", [](auto& p) { p.mutable_regimes(0)->set_max_tokens(0); },
     "and not be empty"},
    {"regime_missing", [](auto& p) { p.mutable_regimes()->RemoveLast(); },
     "do not cover 1..16 tokens"},
    {"regime_after_the_last", [](auto& p) { *p.add_regimes() = p.regimes(1); },
     "there are regimes beyond the largest number of tokens"},
    {"regime_beyond", [](auto& p) { p.mutable_symbols()->mutable_t()->set_max(15); },
     "do not cover 1..15 tokens"},
    {"regime_tokens", [](auto& p) { G(p).mutable_symbols()->mutable_t()->set_max(3); },
     "the range of T in its graph is 1..3, expected 1..4"},
    {"regime_rows", [](auto& p) { p.mutable_symbols()->mutable_r()->set_max(2); },
     "the range of R in its graph is 1..1, expected 1..2"},
};

const FileDefect kNodeDefects[] = {
    {"graph_empty", [](auto& p) { G(p).clear_nodes(); }, "which does not exist"},
    {"no_graph", [](auto& p) { p.mutable_regimes(0)->clear_graph(); }, "the stage"},
    {"no_results", [](auto& p) { G(p).clear_results(); }, "the graph has no results"},
    {"result_dangling", [](auto& p) { G(p).mutable_results(0)->set_node(3); },
     "a result of the graph: refers to the node 3, which does not exist"},
    {"result_index", [](auto& p) { G(p).mutable_results(0)->set_result(1); },
     "refers to result 1 of %output (linear), which has 1"},
    {"stage_missing", [](auto& p) { G(p).clear_stage(); }, "the stage has the unknown value 0"},
    {"stage_unknown", [](auto& p) { G(p).set_stage(static_cast<proto::Graph::Stage>(6)); },
     "the stage has the unknown value 6"},
    {"stage_lie", [](auto& p) { G(p).set_stage(proto::Graph::SCHEDULED); },
     "its graph is scheduled, expected planned"},
    {"op_unknown", [](auto& p) { N(p, 6).set_op("exec"); },
     "node \"embed\" (\"exec\"): the op is unknown"},
    {"op_empty", [](auto& p) { N(p, 6).clear_op(); }, "the op is unknown"},
    {"op_other", [](auto& p) { N(p, 14).set_op("kv_read"); }, "its id is"},
    {"op_with_line_break", [](auto& p) { N(p, 6).set_op("a\nb"); }, "(\"a\\nb\")"},
    {"id_duplicate", [](auto& p) { N(p, 7).set_id(N(p, 6).id()); },
     "is already used by another node"},
    {"id_lie",
     [](auto& p) {
       G(p).mutable_results(0)->set_node(5);
       N(p, 15).set_id(5);
     },
     "its id is 5, expected"},
    {"scope_lie", [](auto& p) { N(p, 15).set_scope("elsewhere"); }, "its id is"},
    {"input_dangling", [](auto& p) { N(p, 7).mutable_inputs(0)->set_node(1); },
     "input 0: refers to the node 1, which does not exist"},
    {"input_of_itself", [](auto& p) { N(p, 7).mutable_inputs(0)->set_node(N(p, 7).id()); },
     "the graph has a cycle or is out of order"},
    {"cycle", [](auto& p) { N(p, 7).mutable_inputs(0)->set_node(N(p, 13).id()); },
     "the graph has a cycle or is out of order"},
    {"order_of_nodes", [](auto& p) { G(p).mutable_nodes()->SwapElements(6, 7); },
     "which comes later"},
    {"input_result_index", [](auto& p) { N(p, 7).mutable_inputs(0)->set_result(7); },
     "refers to result 7 of %embed (embed), which has 1"},
    {"input_result_negative", [](auto& p) { N(p, 7).mutable_inputs(0)->set_result(-1); },
     "refers to result -1"},
    {"arity_less", [](auto& p) { N(p, 7).mutable_inputs()->RemoveLast(); },
     "has 1 inputs, expected 2"},
    {"arity_more", [](auto& p) { *N(p, 7).add_inputs() = N(p, 7).inputs(0); },
     "has 3 inputs, expected 2"},
    {"input_of_weight", [](auto& p) { *N(p, 2).add_inputs() = N(p, 7).inputs(0); },
     "which comes later"},
    {"input_kind", [](auto& p) { N(p, 7).mutable_inputs(0)->set_node(N(p, 1).id()); },
     "is batch, expected a tensor"},
    {"index_not_from_input", [](auto& p) { N(p, 6).mutable_inputs(1)->set_node(N(p, 3).id()); },
     "holds row numbers and must be an input of the graph"},
    {"results_none", [](auto& p) { N(p, 7).clear_results(); }, "has no results"},
    {"results_two", [](auto& p) { *N(p, 7).add_results() = N(p, 7).results(0); },
     "has 2 results, expected 1"},
    {"attr_missing", [](auto& p) { N(p, 7).clear_attrs(); }, "has no attribute eps"},
    {"attr_unknown", [](auto& p) { N(p, 15).add_attrs()->set_name("code"); },
     "has the unknown attribute \"code\""},
    {"attr_name", [](auto& p) { N(p, 7).mutable_attrs(0)->set_name("esp"); },
     "has the attribute \"esp\", expected eps"},
    {"attr_kind", [](auto& p) { N(p, 7).mutable_attrs(0)->set_int_value(1); },
     "attribute eps is of kind int, expected double"},
    {"attr_no_value", [](auto& p) { N(p, 7).mutable_attrs(0)->clear_value(); },
     "attribute eps is of kind none, expected double"},
    {"attr_dims_negative",
     [](auto& p) { N(p, 9).mutable_attrs(0)->mutable_ints_value()->set_values(1, -2); },
     "dims must be positive"},
    {"attr_slice_outside", [](auto& p) { N(p, 10).mutable_attrs(0)->set_int_value(33); },
     "columns must lie inside x"},
    {"attr_slice_overflow",
     [](auto& p) { N(p, 10).mutable_attrs(1)->set_int_value(0x7fffffffffffffff); },
     "columns must lie inside x"},
    {"attr_state_id", [](auto& p) { N(p, 5).mutable_attrs(0)->set_int_value(1); },
     "the Program has no state 1"},
    {"attr_state_negative", [](auto& p) { N(p, 5).mutable_attrs(0)->set_int_value(-1); },
     "id must not be negative"},
    {"type_kind", [](auto& p) { TypeOf(p, 7).clear_kind(); },
     "the kind of a type has the unknown value 0"},
    {"type_dtype_unknown", [](auto& p) { TypeOf(p, 7).set_dtype("q9"); },
     "unknown element type \"q9\""},
    {"type_dtype_mismatch", [](auto& p) { TypeOf(p, 7).set_dtype("f16"); },
     "result 0 is f16[T,64], expected f32[T,64]"},
    {"type_shape_lie", [](auto& p) { TypeOf(p, 7).set_dims(1, "128"); },
     "result 0 is f32[T,128], expected f32[T,64]"},
    {"type_rank",
     [](auto& p) {
       for (int i = 0; i < 3; ++i) TypeOf(p, 7).add_dims("1");
     },
     "has 5 dimensions, expected at most 4"},
    {"type_dim_zero", [](auto& p) { TypeOf(p, 7).set_dims(1, "0"); },
     "the dimension \"0\", expected T, R, S or a number"},
    {"type_dim_negative", [](auto& p) { TypeOf(p, 7).set_dims(1, "-1"); }, "the dimension \"-1\""},
    {"type_dim_spelling", [](auto& p) { TypeOf(p, 7).set_dims(1, "064"); },
     "the dimension \"064\""},
    {"type_dim_symbol", [](auto& p) { TypeOf(p, 7).set_dims(1, "Q"); }, "the dimension \"Q\""},
    {"type_dim_huge", [](auto& p) { TypeOf(p, 0).set_dims(0, "99999999999999999999"); },
     "the dimension \"99999999999999999999\""},
    {"type_dim_large", [](auto& p) { TypeOf(p, 0).set_dims(0, "2147483648"); },
     "has the dimension \"2147483648\", expected T, R, S or a number from 1 to 2147483647"},
    {"type_batch_with_shape", [](auto& p) { TypeOf(p, 1).add_dims("T"); },
     "a batch has no element type"},
    {"weight_node_type", [](auto& p) { TypeOf(p, 3).set_dims(0, "63"); },
     "weight must be an f32 vector"},
};

const FileDefect kPlacementDefects[] = {
    {"missing", [](auto& p) { N(p, 7).clear_placement(); },
     "%layer.0.attn.norm (rms_norm): has no placement"},
    {"index", [](auto& p) { N(p, 7).set_placement(10); },
     "refers to placement 10; the number of placements is 10"},
    {"of_weight", [](auto& p) { N(p, 2).set_placement(0); }, "although it is not executed"},
    {"kernel", [](auto& p) { PlacementOf(p, 7).clear_kernel(); }, "names no kernel"},
    {"rule", [](auto& p) { PlacementOf(p, 7).clear_rule(); }, "names no rule"},
    {"target", [](auto& p) { PlacementOf(p, 7).clear_target(); }, "names the unknown target 0"},
    {"target_negative",
     [](auto& p) { PlacementOf(p, 7).set_target(static_cast<proto::Target>(-3)); },
     "names the unknown target -3"},
    {"source", [](auto& p) { PlacementOf(p, 7).clear_source(); },
     "the source of a placement has the unknown value 0"},
    {"rejected_missing", [](auto& p) { PlacementOf(p, 7).mutable_rejected()->RemoveLast(); },
     "does not say why cuda was not taken"},
    {"rejected_code", [](auto& p) { PlacementOf(p, 7).mutable_rejected(0)->clear_code(); },
     "the code of a rejected target has the unknown value 0"},
    {"rejected_target", [](auto& p) { PlacementOf(p, 7).mutable_rejected(0)->clear_target(); },
     "names the unknown target 0"},
    {"term", [](auto& p) { PlacementOf(p, 7).mutable_terms(0)->set_cmp("=="); },
     "expected a field with <= or >="},
    {"estimate", [](auto& p) { PlacementOf(p, 7).set_estimate_ns_max(-1); },
     "%layer.0.attn.norm (rms_norm): its placement's estimate_ns_max is -1"},
    {"estimate_nan", [](auto& p) { PlacementOf(p, 7).set_estimate_ns_min(kNan); },
     "%layer.0.attn.norm (rms_norm): its placement's estimate_ns_min is nan"},
    {"flops_negative", [](auto& p) { PlacementOf(p, 7).mutable_flops()->set_ct(-1); },
     "%layer.0.attn.norm (rms_norm): ct of its placement's cost.flops is -1"},
    {"flops_infinite_in_a_call", [](auto& p) { PlacementOf(p, 7).mutable_flops()->set_cts(1e308); },
     "its placement's cost.flops is inf for the largest call, expected at most 1e+18"},
    {"estimate_of_ages", [](auto& p) { PlacementOf(p, 7).set_estimate_ns_max(1e300); },
     "estimate_ns_max is 1e+300, expected a number from 0 to 1e+18"},
    {"rejected_text",
     [](auto& p) { PlacementOf(p, 7).mutable_rejected(0)->set_text("\033]0;x\007"); },
     "the Program's text \"\\x1b]0;x\\x07\" has a control character"},
    {"result_name", [](auto& p) { N(p, 7).mutable_results(0)->set_name("a\nb"); },
     "the Program's value \"a\\nb\" has a control character"},
    {"plus_in_merged_scope", [](auto& p) { N(p, 7).add_merged_scopes("c+"); },
     "the Program's merged scope \"c+\" has a '+'"},
    {"flops_infinite", [](auto& p) { PlacementOf(p, 7).mutable_flops()->set_cts(kInfinity); },
     "cts of its placement's cost.flops is inf"},
    {"bytes_nan", [](auto& p) { PlacementOf(p, 7).mutable_bytes()->set_c0(kNan); },
     "c0 of its placement's cost.bytes is nan"},
    {"term_threshold", [](auto& p) { PlacementOf(p, 7).mutable_terms(0)->set_threshold(kNan); },
     "threshold of its placement's predicate about \"rows\" is nan"},
    {"term_lo", [](auto& p) { PlacementOf(p, 7).mutable_terms(0)->set_lo(-1); },
     "lo of its placement's predicate about \"rows\" is -1"},
    {"term_hi", [](auto& p) { PlacementOf(p, 7).mutable_terms(0)->set_hi(kInfinity); },
     "hi of its placement's predicate about \"rows\" is inf"},
};

const FileDefect kPlanDefects[] = {
    {"missing", [](auto& p) { G(p).clear_plan(); }, "the graph is planned and has no plan"},
    {"step_missing", [](auto& p) { Steps(p).mutable_steps()->RemoveLast(); },
     "%output (linear): no step of the plan runs it"},
    {"step_twice", [](auto& p) { *Steps(p).add_steps() = Steps(p).steps(0); },
     "step 10: runs %embed (embed) again"},
    {"step_order", [](auto& p) { Steps(p).mutable_steps()->SwapElements(2, 3); },
     "step 2: runs %layer.0.attn.heads (reshape) before"},
    {"step_dangling", [](auto& p) { Steps(p).mutable_steps(0)->set_node(7); },
     "a step names the node 7, which does not exist"},
    {"step_empty", [](auto& p) { Steps(p).mutable_steps(0)->clear_work(); },
     "a step names the node 0, which does not exist"},
    {"step_mode", [](auto& p) { Steps(p).mutable_steps(0)->clear_mode(); },
     "the mode of a step has the unknown value 0"},
    {"copy_device",
     [](auto& p) {
       Steps(p).mutable_steps(0)->mutable_copy()->mutable_value()->set_node(N(p, 0).id());
     },
     "the source of a copy has the unknown value 0"},
    {"segment_device", [](auto& p) { Steps(p).set_device(proto::DEVICE_METAL); },
     "on metal but it is placed on scalar"},
    {"segment_device_unknown", [](auto& p) { Steps(p).clear_device(); },
     "the device of a segment has the unknown value 0"},
    {"segment_space", [](auto& p) { Steps(p).set_shared_space(proto::DEVICE_METAL); },
     "is on cpu and in the memory of metal"},
    {"segment_space_unknown",
     [](auto& p) { Steps(p).set_shared_space(static_cast<proto::Device>(9)); },
     "the space of a segment has the unknown value 9"},
    {"segment_empty", [](auto& p) { PlanOf(p).add_segments()->set_device(proto::DEVICE_METAL); },
     "segment 1 of the plan has no steps"},
    {"slot_missing", [](auto& p) { PlanOf(p).mutable_slots()->RemoveLast(); },
     "%output (linear): has no slot on cpu"},
    {"slot_dangling", [](auto& p) { SlotAt(p, 1).mutable_value()->set_node(9); },
     "a slot names the node 9"},
    {"slot_result", [](auto& p) { SlotAt(p, 1).mutable_value()->set_result(3); },
     "is for a value that does not exist"},
    {"slot_space", [](auto& p) { SlotAt(p, 1).clear_space(); },
     "the space of a slot has the unknown value 0"},
    {"slot_other_space", [](auto& p) { SlotAt(p, 1).set_space(proto::DEVICE_METAL); },
     "lie outside the arena"},
    {"slot_overlap", [](auto& p) { SlotAt(p, 2).set_offset(SlotAt(p, 1).offset()); },
     "overlap those of %embed (embed) in step 1"},
    {"slot_outside", [](auto& p) { SlotAt(p, 9).set_offset(1 << 24); }, "lie outside the arena"},
    {"slot_wraps", [](auto& p) { SlotAt(p, 9).set_offset(~uint64_t{63}); },
     "lie outside the arena"},
    {"slot_misaligned", [](auto& p) { SlotAt(p, 1).set_offset(68); }, "is not a multiple of 64"},
    {"slot_too_small", [](auto& p) { SlotAt(p, 1).set_bytes(1023); },
     "has 1023 bytes, but f32[T,64] takes up to 1024"},
    {"slot_lifetime", [](auto& p) { SlotAt(p, 1).set_last_step(5); },
     "is in use in steps 0..5, but the value is needed in 0..7"},
    {"slot_alias", [](auto& p) { SlotAt(p, 4).clear_alias_of(); },
     "belongs to a view and must alias the value it shows"},
    {"slot_alias_dangling", [](auto& p) { SlotAt(p, 4).mutable_alias_of()->set_node(2); },
     "an alias names the node 2"},
    {"workspace_overlap",
     [](auto& p) { Steps(p).mutable_steps(6)->set_workspace_offset(SlotAt(p, 6).offset()); },
     "overlaps a slot in use"},
    {"arena_missing", [](auto& p) { PlanOf(p).clear_arenas(); }, "lie outside the arena"},
    {"arena_small",
     [](auto& p) {
       PlanOf(p).mutable_arenas(0)->set_bytes(64);
       PlanOf(p).mutable_arenas(0)->set_lower_bound(0);
     },
     "lie outside the arena"},
    {"arena_huge", [](auto& p) { PlanOf(p).mutable_arenas(0)->set_bytes(~uint64_t{0}); },
     "expected lower bound <= bytes <= 2^44"},
    {"arena_bound", [](auto& p) { PlanOf(p).mutable_arenas(0)->set_lower_bound(1 << 24); },
     "expected lower bound <= bytes"},
};

INSTANTIATE_TEST_SUITE_P(File, FileDefects, ::testing::ValuesIn(kFileDefects), FileDefectName);
INSTANTIATE_TEST_SUITE_P(Program, FileDefects, ::testing::ValuesIn(kProgramDefects),
                         FileDefectName);
INSTANTIATE_TEST_SUITE_P(Node, FileDefects, ::testing::ValuesIn(kNodeDefects), FileDefectName);
INSTANTIATE_TEST_SUITE_P(Placement, FileDefects, ::testing::ValuesIn(kPlacementDefects),
                         FileDefectName);
INSTANTIATE_TEST_SUITE_P(Plan, FileDefects, ::testing::ValuesIn(kPlanDefects), FileDefectName);

TEST(FileKinds, AreNamed) {
  ExpectRefused("", "is empty");
  ExpectRefused(std::string("\n\rinfer profile\x10\x01\x1a\x03\x0a\x01x", 23),
                "is a profile, expected an infer program; pass it as a profile");
  ExpectRefused("GGUF\3\0\0\0", "is a GGUF model, not a compiled Program");
  ExpectRefused("graph @qwen3 stage(planned) (%tokens: i32[T]) {\n}\n", "looks like a text dump");
  ExpectRefused(ProgramToTextproto(SampleProgram()).value(), "looks like a text dump");
  ExpectRefused(ProgramToJson(SampleProgram()).value(), "looks like a text dump");
  ExpectRefused(SerializeGraph(SampleGraph(Stage::kPlanned)).value(),
                "is an infer graph, expected an infer program");
  ExpectRefused(std::string(1000, '\0'), "is damaged or cut short");
  ExpectRefused(std::string(1000, '\xff'), "is damaged or cut short");
  ExpectRefused(std::string((64 << 20) + 1, '\1'), "expected at most 67108864");
}

TEST(FileKinds, GraphReaderRefusesAProgram) {
  absl::StatusOr<Graph> graph = DeserializeGraph(SampleBytes(), "g.pb");
  ASSERT_FALSE(graph.ok());
  EXPECT_THAT(std::string(ToStd(graph.status().message())),
              HasSubstr("g.pb: is an infer program, expected an infer graph"));
}

TEST(FileDamage, EveryPrefixIsRefused) {
  for (size_t length = 0; length < SampleBytes().size(); ++length) {
    ASSERT_FALSE(DeserializeProgram(SampleBytes().substr(0, length), "p").ok()) << length;
  }
}

TEST(FileDamage, TrailingBytesAreRefused) {
  ExpectRefused(SampleBytes() + '\0', "is damaged or cut short");
  ExpectRefused(SampleBytes() + SampleBytes(), "");
}

TEST(FileDamage, EveryFlippedBitIsFoundByTheChecksum) {
  for (size_t at = 0; at < SampleBytes().size(); ++at) {
    std::string bytes = SampleBytes();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
    ASSERT_FALSE(DeserializeProgram(bytes, "p").ok()) << at;
  }
}

// With a checksum that fits, what comes through must be a Program that can be written again.
// INFER_TEST_DAMAGES sets the number of damaged files.
TEST(FileDamage, RandomBytesWithARightChecksumNeverCrash) {
  std::mt19937 random(2026);
  Program one_regime = SampleProgram();
  one_regime.regimes.pop_back();
  one_regime.symbols[Symbol::kT].max = 4;
  std::string content = SerializeProgram(one_regime).value();
  content.resize(content.size() - 9);
  const char* const wanted = std::getenv("INFER_TEST_DAMAGES");
  const int damages = wanted == nullptr ? 5'000 : std::atoi(wanted);
  ASSERT_GT(damages, 0);
  int accepted = 0;
  for (int i = 0; i < damages; ++i) {
    std::string bytes = content;
    for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    AppendChecksum(&bytes);
    absl::StatusOr<Program> program = DeserializeProgram(bytes, "p");
    if (!program.ok()) {
      ASSERT_EQ(program.status().code(), absl::StatusCode::kInvalidArgument);
      ASSERT_EQ(program.status().message().find('\n'), absl::string_view::npos);
      continue;
    }
    ++accepted;
    ASSERT_TRUE(SerializeProgram(*program).ok());
  }
  EXPECT_GT(accepted, 0);  // else the flips would test the parser alone
}

// Two bytes each in the file, some hundred in memory.
TEST(FileLimits, ManyEmptyMessagesAreRefusedBeforeTheyAreBuilt) {
  std::string bytes = "\n\rinfer program";
  const std::string empty_weight = {4 << 3 | 2, 0};
  for (int i = 0; i < (1 << 23) + 1; ++i) bytes += empty_weight;
  ExpectRefused(bytes, "has more than 8388608 parts");
}

TEST(FileLimits, UnknownFieldsOfAKnownVersionAreIgnored) {
  std::string bytes = SampleBytes().substr(0, SampleBytes().size() - 9);
  bytes += std::string(
      "\xfa\x7f\x03"
      "abc",
      6);  // field 2047, three bytes
  AppendChecksum(&bytes);
  EXPECT_TRUE(DeserializeProgram(bytes, "p").ok());
}

}  // namespace
}  // namespace infer
