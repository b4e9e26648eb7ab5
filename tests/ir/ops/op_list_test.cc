// SPDX-License-Identifier: Apache-2.0
//
// What holds for every op, whichever are added: each has a text case here.
#include "ir/ops/op_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "ir/base/strings.h"
#include "ir/graph/builder.h"
#include "ir/graph/op_def.h"
#include "ir/ops/message.h"
#include "ir/ops/ops.h"
#include "ir/proto/serialize.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace infer {
namespace {

constexpr std::string_view kHead =
    "graph @g stage(imported) (%x: f32[T,8], %h: f32[T,4,2], %b: batch, %i: i32[T], %s: f32[T,S], "
    "%j: i32[T,2], %g: f32[T,4]) {\n"
    "  %w = weight() {name = \"w\"} : f32[16,8]\n"
    "  %m = weight() {name = \"m\"} : f16[8,8]\n"
    "  %e = weight() {name = \"e\"} : f16[3,4,8]\n"
    "  %n = weight() {name = \"n\"} : f32[8]\n"
    "  %d = weight() {name = \"d\"} : f32[2]\n"
    "  %kv = kv_state() {id = 0} : kv<f16[2,2]>\n";

// A line with a node of each op, as the printer writes it.
const std::map<std::string_view, std::string_view>& TextCases() {
  static const std::map<std::string_view, std::string_view> kCases = {
      {"all_gather",
       "%y = all_gather(%x) {axis = 1, ranks = 2, reason = \"linear needs whole rows\"} : "
       "f32[T,16]"},
      {"all_reduce", "%y = all_reduce(%x) {ranks = 4} : f32[T,8]"},
      {"all_rows", "%y, %z = all_rows(%x, %h) {ranks = 4} : f32[T,8], f32[T,4,2]"},
      {"add", "%y = add(%x, %n) : f32[T,8]"},
      {"add_rms_norm", "%y, %z = add_rms_norm(%x, %x, %n) {eps = 1e-05} : f32[T,8], f32[T,8]"},
      {"add_scalar", "%y = add_scalar(%x) {scalar = 1e-06} : f32[T,8]"},
      {"argmax", "%y, %p = argmax(%x) : i32[T], f32[T]"},
      {"attention", "%y = attention(%h, %kv, %b) {scale = 0.5} : f32[T,8]"},
      {"attention_inputs",
       "%y, %q = attention_inputs(%kv, %x, %k, %k, %d, %d, %b) {eps = 1e-05, base = 1e+06, "
       "freq_scale = 0.25, ext_factor = 1.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, "
       "original_context = 32768} : kv<f16[2,2]>, f32[T,4,2]"},
      {"attn_mask", "%y = attn_mask(%s, %b) : f32[T,S]"},
      {"broadcast_rows", "%y = broadcast_rows(%n) {columns = 4} : f32[8,4]"},
      {"combine", "%y = combine(%h, %g) : f32[T,2]"},
      {"concat_columns", "%y = concat_columns(%x, %x, %x) : f32[T,24]"},
      {"copy", "%y = copy(%x) : f32[T,8]"},
      {"embed", "%y = embed(%w, %i) : f32[T,8]"},
      {"expert_linear", "%y = expert_linear(%x, %e, %j) : f32[T,2,4]"},
      {"expert_swiglu", "%y = expert_swiglu(%x, %e, %e, %j) : f32[T,2,4]"},
      {"gather_rows", "%y = gather_rows(%x, %i) : f32[T,8]"},
      {"input", ""},
      {"kv_read", "%y, %v = kv_read(%kv, %b) : f32[S,4], f32[S,4]"},
      {"kv_state", "%y = kv_state() {id = 1} : kv<q8_0[8,128]>"},
      {"kv_write", "%y = kv_write(%kv, %k, %k, %b) : kv<f16[2,2]>"},
      {"linear", "%y = linear(%x, %w) : f32[T,16]"},
      {"linear_add", "%y = linear_add(%x, %m, %x) : f32[T,8]"},
      {"matmul", "%y = matmul(%w, %t) : f32[16,T]"},
      {"mul", "%y = mul(%x, %x) : f32[T,8]"},
      {"multi_linear", "%y, %z = multi_linear(%x, %w, %m) : f32[T,16], f32[T,8]"},
      {"norm_linear", "%y, %z = norm_linear(%x, %n, %w, %m) {eps = 1e-05} : f32[T,16], f32[T,8]"},
      {"norm_swiglu", "%y = norm_swiglu(%x, %n, %m, %m) {eps = 1e-05} : f32[T,8]"},
      {"qk_norm_rope",
       "%y, %z = qk_norm_rope(%x, %k, %d, %d, %b) {eps = 1e-05, base = 1e+06, freq_scale = 0.25, "
       "ext_factor = 1.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, "
       "original_context = 32768} : f32[T,4,2], f32[T,2,2]"},
      {"reshape", "%y = reshape(%x) {dims = [0,2,4]} : f32[T,2,4]"},
      {"rms_norm", "%y = rms_norm(%x, %n) {eps = 1e-05} : f32[T,8]"},
      {"rope",
       "%y = rope(%h, %b) {base = 1e+06, freq_scale = 0.25, ext_factor = 1.0, attn_factor = 1.0, "
       "beta_fast = 32.0, beta_slow = 1.0, original_context = 32768, adjacent = true, "
       "factors = [8.0]} : f32[T,4,2]"},
      {"route", "%y, %z = route(%x) {k = 2, normed = true} : i32[T,2], f32[T,2]"},
      {"row_sum_squares", "%y = row_sum_squares(%h) : f32[T,4]"},
      {"rsqrt", "%y = rsqrt(%x) : f32[T,8]"},
      {"scale", "%y = scale(%x) {factor = -2.0} : f32[T,8]"},
      {"select_rows", "%y = select_rows(%x, %b) : f32[R,8]"},
      {"self_attention",
       "%y, %z = self_attention(%kv, %x, %k, %k, %d, %d, %b) {scale = 0.5, eps = 1e-05, "
       "base = 1e+06, freq_scale = 0.25, ext_factor = 1.0, attn_factor = 1.0, beta_fast = 32.0, "
       "beta_slow = 1.0, original_context = 32768} : kv<f16[2,2]>, f32[T,8]"},
      {"silu", "%y = silu(%x) : f32[T,8]"},
      {"slice_columns", "%y = slice_columns(%x) {begin = 2, columns = 4} : f32[T,4]"},
      {"softmax", "%y = softmax(%x) : f32[T,8]"},
      {"swiglu", "%y = swiglu(%x, %x) : f32[T,8]"},
      {"top_k", "%y, %z = top_k(%x) {k = 3, normed = false} : i32[T,3], f32[T,3]"},
      {"transpose", "%y = transpose(%x) : f32[8,T]"},
      {"weight", "%y = weight() {name = \"blk.0.attn_q.weight\"} : q4_k[64,256]"},
  };
  return kCases;
}

std::string CaseText(std::string_view line) {
  std::string text = std::string(kHead);
  if (line.find("%k,") != line.npos) {
    text += "  %k = slice_columns(%x) {begin = 0, columns = 4} : f32[T,4]\n";
  }
  if (line.find("%t)") != line.npos) text += "  %t = transpose(%x) : f32[8,T]\n";
  if (!line.empty()) StrAppend(&text, "  ", line, "\n");
  return text + "  return\n}\n";
}

class EveryOp : public ::testing::TestWithParam<const OpDef*> {
 protected:
  void SetUp() override {
    auto it = TextCases().find(GetParam()->name);
    ASSERT_NE(it, TextCases().end()) << "no text case for the op " << GetParam()->name;
    text_ = CaseText(it->second);
    absl::StatusOr<Graph> graph = ParseGraph(text_);
    ASSERT_TRUE(graph.ok()) << graph.status() << "\n" << text_;
    graph_ = *std::move(graph);
    ASSERT_FALSE(graph_.NodesOf(*GetParam()).empty());
    node_ = graph_.NodesOf(*GetParam()).back();
  }

  std::string text_;
  Graph graph_;
  Node* node_ = nullptr;
};

TEST_P(EveryOp, TextSurvives) { EXPECT_EQ(PrintGraph(graph_), text_); }

TEST_P(EveryOp, StoredFormSurvives) {
  graph_.AddResult(node_->output(node_->num_results() - 1));
  absl::StatusOr<std::string> bytes = SerializeGraph(graph_);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  absl::StatusOr<Graph> read = DeserializeGraph(*bytes, "test");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(PrintGraph(*read), PrintGraph(graph_));
}

TEST_P(EveryOp, InfersTheTypesOfItsTextCase) {
  Types inputs = node_->InputTypes();
  Types declared = node_->ResultTypes();
  absl::StatusOr<Types> types = CheckAndInfer({node_->op(), inputs, node_->attrs(), declared});
  ASSERT_TRUE(types.ok()) << types.status();
  EXPECT_EQ(*types, declared);
}

TEST_P(EveryOp, CostIsFiniteAndNotNegative) {
  Cost cost = CostOf(*node_);
  for (const SymbolicCount& count : {cost.flops, cost.bytes}) {
    double value = count.At({.t = 512, .r = 1, .s = 40960});
    EXPECT_TRUE(std::isfinite(value) && value >= 0) << value;
  }
  EXPECT_EQ(node_->op().cost != nullptr, cost.bytes.At({.t = 1, .r = 1, .s = 1}) > 0);
}

TEST_P(EveryOp, DecompositionHasTheSameResultTypes) {
  if (!GetParam()->composite()) return;
  size_t nodes_before = graph_.num_nodes();
  GraphBuilder b = GraphBuilder::Before(&graph_, node_);
  std::vector<Value> results = GetParam()->decompose(b, *node_);
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_GT(graph_.num_nodes(), nodes_before);
  Types types;
  for (Value value : results) types.push_back(value.type());
  EXPECT_EQ(types, node_->ResultTypes());
}

// A decomposition may use composites, as long as that comes to an end.
TEST_P(EveryOp, DecomposesIntoPrimitivesInTheEnd) {
  std::vector<Node*> work = {node_};
  for (int rounds = 0; !work.empty(); ++rounds) {
    ASSERT_LT(rounds, 5);
    std::vector<Node*> parts;
    for (Node* node : work) {
      if (!node->op().composite()) continue;
      GraphBuilder b = GraphBuilder::Before(&graph_, node);
      node->op().decompose(b, *node);
      ASSERT_TRUE(b.status().ok()) << b.status();
      parts.insert(parts.end(), b.emitted().begin(), b.emitted().end());
    }
    work = std::move(parts);
  }
}

TEST_P(EveryOp, RecordIsComplete) {
  const OpDef& op = *GetParam();
  EXPECT_FALSE(op.summary.empty());
  if (!op.family.empty()) {
    // Rules about the op that it grew from reach it, and that op is no member of another.
    ASSERT_NE(FindOp(op.family), nullptr) << op.family;
    EXPECT_TRUE(FindOp(op.family)->family.empty());
    EXPECT_TRUE(op.composite());
  }
  EXPECT_NE(op.infer, nullptr);
  for (const InputSpec& input : op.inputs) {
    EXPECT_FALSE(input.name.empty());
    EXPECT_TRUE(!input.variadic || &input == &op.inputs.back());
  }
  int num_inputs = static_cast<int>(op.inputs.size());
  EXPECT_LT(op.traits.aliases_input, num_inputs);
  EXPECT_LT(op.traits.in_place_input, num_inputs);
  EXPECT_LT(op.traits.index_input, num_inputs);
  EXPECT_LT(op.traits.expert_input, num_inputs);
  EXPECT_LT(op.traits.product_input, num_inputs);
  // A declared type is all that a node without inputs can go by, and the only need for one.
  EXPECT_EQ(op.traits.declares_types, op.inputs.empty());
}

INSTANTIATE_TEST_SUITE_P(Ops, EveryOp, ::testing::ValuesIn(AllOps().begin(), AllOps().end()),
                         [](const auto& op) { return std::string(op.param->name); });

TEST(OpList, IsSortedAndUnique) {
  std::string_view before;
  for (const OpDef* op : AllOps()) {
    EXPECT_LT(before, op->name);
    before = op->name;
  }
}

TEST(OpList, EveryTextCaseIsOfAnOp) {
  for (const auto& [name, text] : TextCases()) EXPECT_NE(FindOp(name), nullptr) << name;
}

TEST(AllRows, RefusesWhatHasNoRowsInCommon) {
  const auto error = [](std::vector<ValueType> types, int64_t ranks) {
    Graph graph;
    std::vector<Value> values;
    for (const ValueType& type : types) values.push_back(graph.AddInput("x", type)->output());
    GraphBuilder builder(&graph);
    ops::AllRows(builder, values, ranks, "");
    return std::string(ToStd(builder.status().message()));
  };
  const ValueType rows = ValueType::F32({Symbol::kT, 8});
  EXPECT_EQ(error({rows}, 2), "");
  EXPECT_THAT(error({rows}, 1), ::testing::HasSubstr("ranks must be 2 to 1024, found 1"));
  EXPECT_THAT(error({ValueType::F32({8})}, 2),
              ::testing::HasSubstr("values must be f32 with rows, found f32[8]"));
  EXPECT_THAT(error({ValueType::Batch()}, 2), ::testing::HasSubstr("expected a tensor"));
  EXPECT_THAT(error({rows, ValueType::F32({16, 8})}, 2),
              ::testing::HasSubstr("the same rows, found f32[T,8] and f32[16,8]"));
}

TEST(AllGather, RefusesPartsOfNoFixedSize) {
  const auto error = [](const ValueType& type, int64_t axis) {
    Graph graph;
    GraphBuilder builder(&graph);
    ops::AllGather(builder, graph.AddInput("x", type)->output(), axis, 2, "");
    return std::string(ToStd(builder.status().message()));
  };
  EXPECT_EQ(error(ValueType::F32({Symbol::kT, 16}), 1), "");
  EXPECT_EQ(error(ValueType::F32({16, 8}), 0), "");
  for (const ValueType& type :
       {ValueType::F32({16, Symbol::kT}), ValueType::F32({Symbol::kT, 16})}) {
    EXPECT_THAT(error(type, 0), ::testing::HasSubstr("cannot join 2 parts along axis 0"));
  }
}

TEST(Collectives, StayRoundedWhereTheyAreSentSo) {
  Graph graph;
  GraphBuilder builder(&graph);
  const ValueType rows = ValueType::F32({Symbol::kT, 8});
  Value x = graph.AddInput("x", rows)->output();
  Node* gather = ops::AllGather(builder, x, /*axis=*/1, /*ranks=*/2, "").node;
  Node* all = ops::AllRows(builder, {x, x}, 2, "shared");
  ops::StayRounded(gather, 0, "why");
  ops::StayRounded(all, 1, "why");
  const auto types = [](const Node& node) {
    return CheckAndInfer({node.op(), node.InputTypes(), node.attrs(), {}});
  };
  for (const Node* node : {gather, all}) {
    ASSERT_TRUE(types(*node).ok()) << types(*node).status();
    EXPECT_EQ(*types(*node), node->ResultTypes());
  }
  EXPECT_EQ(ToString(gather->result().type), "bf16[T,16]");
  EXPECT_EQ(ToString(all->result(0).type), "f32[T,8]");
  EXPECT_EQ(ToString(all->result(1).type), "bf16[T,8]");
  EXPECT_EQ(all->attr<std::string>(1), "shared; why");
  EXPECT_EQ(CostOf(*all).bytes.At({.t = 4}), 4 * 8 * (4 + 2) / 2);

  const auto error = [&](std::vector<int64_t> stays) {
    all->set_attr(2, Attr(std::move(stays)));
    return std::string(ToStd(types(*all).status().message()));
  };
  for (const std::vector<int64_t>& wrong : {std::vector<int64_t>{2}, {-1}, {1, 0}, {1, 1}}) {
    EXPECT_THAT(error(wrong),
                ::testing::HasSubstr("stays must list results in ascending order, below 2"));
  }
  Node* wide =
      ops::AllGather(builder, graph.AddInput("y", ValueType::F32({Symbol::kT, 32}))->output(),
                     /*axis=*/1, /*ranks=*/2, "")
          .node;
  wide->set_attr(3, std::string("int8x32"));
  wide->set_attr(4, std::vector<int64_t>{0});
  EXPECT_THAT(std::string(ToStd(types(*wide).status().message())),
              ::testing::HasSubstr("stays needs message = \"bf16\", found \"int8x32\""));
}

}  // namespace
}  // namespace infer
