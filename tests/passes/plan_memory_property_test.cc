// SPDX-License-Identifier: Apache-2.0
//
// Plans of random graphs, checked twice: by the verifier, and by a checker that shares nothing with
// it or the planner. The checker executes the plan on a map of the arena in which every byte knows
// the value that was written there last; each step must find its inputs as they were written.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "ir/graph/builder.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::TestMachine;

constexpr uint64_t kUnitBytes = 64;  // every offset and size is a multiple

class ArenaReplay {
 public:
  explicit ArenaReplay(const Graph& graph)
      : graph_(graph), nodes_(graph.nodes()), units_(graph.plan()->arenas[0].bytes / kUnitBytes) {
    for (size_t i = 0; i < nodes_.size(); ++i) position_[nodes_[i]] = static_cast<int>(i);
    for (const Slot& slot : graph.plan()->slots) slots_[slot.value] = &slot;
  }

  void Run() {
    for (Node* input : graph_.inputs()) Write(input->output());
    for (const Segment& segment : graph_.plan()->segments) {
      for (const Step& step : segment.steps) RunStep(step);
    }
    for (Value result : graph_.results()) ExpectIntact(result, "the end");
  }

 private:
  void RunStep(const Step& step) {
    Node* node = nodes_[step.node];
    for (Value input : node->inputs()) ExpectIntact(input, node->result().name);
    Fill(step.workspace_offset, step.workspace_bytes, -1);
    for (Value input : node->inputs()) {
      ExpectIntact(input, node->result().name + " with its workspace");
    }
    if (node->op().traits.view) {
      content_[RefOf(node->output())] = content_.at(RefOf(node->input(0)));
      return;
    }
    // A kernel writes its results while it reads its inputs. Only the input that the op may work on
    // in place may change under it.
    for (int i = 0; i < node->num_results(); ++i) Write(node->output(i));
    for (int i = 0; i < static_cast<int>(node->inputs().size()); ++i) {
      if (i == node->op().traits.in_place_input) continue;
      ExpectIntact(node->input(i), node->result().name + " after it was written");
    }
  }

  ValueRef RefOf(Value value) const { return {position_.at(value.node), value.index}; }

  void Write(Value value) {
    if (!value.type().is_tensor()) return;
    const Slot& slot = *slots_.at(RefOf(value));
    content_[RefOf(value)] = ++last_content_;
    Fill(slot.offset, slot.bytes, last_content_);
  }

  void Fill(uint64_t offset, uint64_t bytes, int content) {
    ASSERT_LE(offset + bytes, units_.size() * kUnitBytes);
    for (uint64_t unit = 0; unit < bytes / kUnitBytes; ++unit) {
      units_[offset / kUnitBytes + unit] = content;
    }
  }

  void ExpectIntact(Value value, const std::string& reader) {
    if (!value.type().is_tensor() || value.node->op().traits.weight) return;
    const Slot& slot = *slots_.at(RefOf(value));
    uint64_t needed = *BytesAt(value.type().tensor, graph_.symbols().Highest());
    ASSERT_GE(slot.bytes, needed);
    for (uint64_t unit = 0; unit * kUnitBytes < needed; ++unit) {
      ASSERT_EQ(units_[slot.offset / kUnitBytes + unit], content_.at(RefOf(value)))
          << value.node->result().name << " is overwritten when " << reader << " reads it";
    }
  }

  const Graph& graph_;
  std::vector<Node*> nodes_;
  std::map<const Node*, int> position_;
  std::map<ValueRef, const Slot*> slots_;
  std::vector<int> units_;           // by unit of the arena, what was written there
  std::map<ValueRef, int> content_;  // by value, what must be found in its slot
  int last_content_ = 0;
};

// A random valid graph: rows of several widths, added, gated, normed, projected, viewed, cut and
// joined.
class RandomRowGraph {
 public:
  explicit RandomRowGraph(uint64_t seed) : random_(seed), b_(&graph_) {}

  Graph Make() {
    graph_.set_name("random");
    int inputs = 1 + Below(3);
    for (int i = 0; i < inputs; ++i) {
      Add(graph_.AddInput("x" + std::to_string(i), ValueType::F32({Symbol::kT, Width()}))
              ->output());
    }
    int nodes = 5 + Below(60);
    for (int i = 0; i < nodes; ++i) AddNode();
    std::set<int> results = {static_cast<int>(values_.size()) - 1};
    for (int i = Below(4); i > 0; --i) results.insert(Below(static_cast<int>(values_.size())));
    for (int i : results) graph_.AddResult(values_[i]);
    EXPECT_TRUE(b_.status().ok()) << b_.status();
    graph_.set_symbols(TestMachine().symbols);
    graph_.set_stage(Stage::kBound);
    return std::move(graph_);
  }

 private:
  int Below(int end) { return static_cast<int>(random_() % static_cast<uint64_t>(end)); }
  int64_t Width() { return int64_t{16} << Below(3); }
  // Later values are likelier, so that chains form and earlier ones die.
  Value Any() {
    int last = static_cast<int>(values_.size()) - 1;
    return values_[last - std::min(Below(last + 1), Below(last + 1))];
  }
  void Add(Value value) {
    if (value.node->result().name.empty()) {
      value.node->result().name = "v" + std::to_string(values_.size());
    }
    values_.push_back(value);
  }
  Value Weight(Shape shape) {
    return ops::WeightRef(b_, "w" + std::to_string(weights_++), ValueType::F32(shape));
  }
  Value SameTypeAs(Value x) {
    std::vector<Value> same;
    for (Value value : values_) {
      if (value.type() == x.type()) same.push_back(value);
    }
    return same[Below(static_cast<int>(same.size()))];
  }

  void AddNode() {
    Value x = Any();
    switch (Below(4)) {
      case 0:
        return Add(ops::Silu(b_, x));
      case 1:
        return Add(ops::Add(b_, x, SameTypeAs(x)));
      case 2:
        return Add(ops::Mul(b_, x, SameTypeAs(x)));
      default:
        break;
    }
    if (x.type().rank() == 1) return Add(ops::BroadcastRows(b_, x, Width()));
    if (x.type().rank() == 3) return Add(ops::Reshape(b_, x, {0, 2 * x.type().dim(2).value()}));
    int64_t width = x.type().dim(1).value();
    switch (width < 4 ? 6 : Below(7)) {
      case 0:
        return Add(ops::RmsNorm(b_, x, Weight({width}), 1e-6));
      case 1:
        return Add(ops::Reshape(b_, x, {0, 2, width / 2}));
      case 2:
        return Add(ops::Linear(b_, x, Weight({Width(), width})));
      case 3:
        return Add(ops::SliceColumns(b_, x, 0, width / 2));
      case 4:
        return Add(ops::RowSumSquares(b_, x));
      case 5:
        return Add(ops::Copy(b_, x));
      default:
        if (width <= 64) Add(ops::ConcatColumns(b_, {x, x}));
    }
  }

  std::mt19937_64 random_;
  Graph graph_;
  GraphBuilder b_;
  std::vector<Value> values_;
  int weights_ = 0;
};

// The sum of what lives in each step by the slots' own times, aliases counted once.
uint64_t LowerBound(const Graph& graph) {
  const Plan& plan = *graph.plan();
  uint64_t largest = 0;
  int32_t at = 0;
  for (const Step& step : plan.segments[0].steps) {
    std::map<uint64_t, uint64_t> live;  // by offset: what shares memory has one
    for (const Slot& slot : plan.slots) {
      if (slot.first_step <= at && at <= slot.last_step) {
        live[slot.offset] = std::max(live[slot.offset], slot.bytes);
      }
    }
    uint64_t sum = step.workspace_bytes;
    for (auto [offset, bytes] : live) sum += bytes;
    largest = std::max(largest, sum);
    ++at;
  }
  return largest;
}

TEST(PlanMemoryProperty, NoStepFindsItsInputsOverwritten) {
  TestMachine machine;
  machine.catalog.Add("rms_norm", Target::kScalar)
      .SetWorkspace("linear", Target::kScalar, 200)
      .SetWorkspace("mul", Target::kScalar, 64);
  int aliases = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Graph graph = RandomRowGraph(seed).Make();
    ASSERT_EQ(Verify(graph), absl::OkStatus());
    PassContext context = machine.Context();
    for (auto make : {MakePlaceNodes, MakeScheduleNodes, MakePlanMemory}) {
      std::unique_ptr<Pass> pass = make();
      ASSERT_TRUE(pass->Run(graph, context).ok());
      graph.set_stage(pass->gives());
      ASSERT_EQ(Verify(graph), absl::OkStatus()) << PrintGraph(graph);
    }
    ArenaReplay(graph).Run();
    if (HasFailure()) FAIL() << PrintGraph(graph);
    EXPECT_EQ(graph.plan()->arenas[0].lower_bound, LowerBound(graph)) << PrintGraph(graph);
    for (const Slot& slot : graph.plan()->slots) aliases += slot.alias_of.has_value();
  }
  EXPECT_GT(aliases, 400) << "the graphs must exercise views and in-place ops";
}

}  // namespace
}  // namespace infer
