// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sample_program.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "ir/base/strings.h"
#include "ir/graph/builder.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"

namespace infer::test {
namespace {

constexpr int64_t kWidth = 64;
constexpr int64_t kVocabulary = 96;

// One nanosecond for each byte and each operation, 10 for a step and none for a call.
constexpr char kMachine[] = R"(
name: "sample" threads: 1 cache_bytes: 1000000
target { target: SCALAR step_ns: 10 }
kernel { target: SCALAR gb_s: 1 cached_gb_s: 1 rate { rows: 1 gop_s: 1 } }
)";

void BuildNodes(Graph* graph) {
  Value tokens = graph->AddInput("tokens", ValueType::Tensor(DType::kI32, {Symbol::kT}))->output();
  Value batch = graph->AddInput("batch", ValueType::Batch())->output();
  GraphBuilder b(graph);
  ValueType table = ValueType::Tensor(DType::kQ8_0, {kVocabulary, kWidth});
  Value embedding = ops::WeightRef(b, "token_embd.weight", table);
  Value norm = ops::WeightRef(b, "blk.0.attn_norm.weight", ValueType::F32({kWidth}));
  Value projection =
      ops::WeightRef(b, "blk.0.attn_q.weight", ValueType::Tensor(DType::kQ4_0, {kWidth, kWidth}));
  Value cache = ops::KvState(b, 0, ValueType::Kv(DType::kF16, 1, 32));
  cache.node->result().name = "kv";
  Value x = ops::Embed(b.In("embed"), embedding, tokens);
  Value n = ops::RmsNorm(b.In("layer.0/attn/norm"), x, norm, 1e-6);
  Value q = ops::Linear(b.In("layer.0/attn/q_proj"), n, projection);
  Value heads = ops::Reshape(b.In("layer.0/attn/heads"), q, {0, 2, 32});
  Value half = ops::SliceColumns(b.In("layer.0/attn/half"), q, 0, 32);
  Value written = ops::KvWrite(b.In("layer.0/attn/kv_write"), cache, half, half, batch);
  Value mixed = ops::Attention(b.In("layer.0/attn/attention"), heads, written, batch, 0.125);
  Value sum = ops::Add(b.In("layer.0/attn/add"), x, mixed);
  Value last = ops::SelectRows(b.In("rows"), sum, batch);
  Value logits = ops::Linear(b.In("output"), last, embedding);
  graph->AddResult(logits);
  graph->AddResult(sum);
  logits.node->set_merged_scopes({"output/a", "output/b"});
  if (!b.status().ok()) throw std::logic_error(b.status().ToString());
}

void Place(Graph* graph) {
  for (Node* node : graph->nodes()) {
    const OpTraits& traits = node->op().traits;
    if (node->Is(ops::kInput) || traits.weight || traits.state) continue;
    Placement placement;
    placement.kernel = StrCat(node->op().name, "_scalar");
    placement.rule = "everything";
    for (Value input : node->inputs()) {
      const bool weight = input.node->op().traits.weight;
      placement.kernel_record.weight_layouts.push_back(weight ? "gguf" : "");
    }
    if (node->Is(ops::kRmsNorm) || node->Is(ops::kAdd)) {
      placement.kernel_record.partition = {.domain = PartitionDomain::kRows,
                                           .extent = {.ct = 1},
                                           .own_inputs = {0},
                                           .own_results = {0}};
    }
    placement.terms = {{"rows", ">=", 1, 1, 4}};
    for (Target target : {Target::kSimd, Target::kParallel, Target::kMetal, Target::kCuda}) {
      placement.rejected.push_back(
          {target, Rejected::Code::kNotInRule, "rule everything does not name it"});
    }
    placement.cost = CostOf(*node);
    placement.estimate_ns_min = 10.5;
    placement.estimate_ns_max = 2000;
    node->set_placement(placement);
  }
}

// Positions of the nodes by the last part of their scope; see BuildNodes.
struct Positions {
  explicit Positions(const Graph& graph) {
    int32_t at = 0;
    for (const Node* node : graph.nodes()) {
      of[node->result().name] = at++;
    }
  }
  std::map<std::string, int32_t> of;
};

Plan Schedule(const Graph& graph) {
  Segment segment;
  int32_t at = 0;
  for (const Node* node : graph.nodes()) {
    if (node->placement()) {
      Step step;
      step.node = at;
      step.barrier_after = true;
      segment.steps.push_back(step);
    }
    ++at;
  }
  return {.segments = {segment}, .slots = {}, .arenas = {}};
}

uint64_t AlignUp(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

// Slots follow one another; the view is an alias, and the sum reuses the memory of x.
void PlanMemory(const Graph& graph, Plan* plan) {
  std::map<std::string, int32_t> at = Positions(graph).of;
  auto bytes_of = [&](const std::string& name) {
    return *BytesAt(graph.nodes()[at.at(name)]->result().type.tensor, graph.symbols().Highest());
  };
  const std::string layer = "layer.0.attn.";
  // Steps: 0 embed, 1 norm, 2 q_proj, 3 heads, 4 half, 5 kv_write, 6 attention, 7 add, 8 rows,
  // 9 output.
  struct Life {
    std::string name;
    int32_t first, last;
    std::string alias;
  };
  const Life lives[] = {{"tokens", 0, 0, ""},
                        {"embed", 0, 7, ""},
                        {layer + "norm", 1, 2, ""},
                        {layer + "q_proj", 2, 6, ""},
                        {layer + "heads", 3, 6, layer + "q_proj"},
                        {layer + "half", 4, 5, ""},
                        {layer + "attention", 6, 7, ""},
                        {layer + "add", 7, 9, "embed"},
                        {"rows", 8, 9, ""},
                        {"output", 9, 9, ""}};
  uint64_t end = 0;
  std::map<std::string, uint64_t> offsets;
  for (const Life& life : lives) {
    Slot slot;
    slot.value = {at.at(life.name), 0};
    slot.bytes = bytes_of(life.name);
    slot.first_step = life.first;
    slot.last_step = life.last;
    if (!life.alias.empty()) slot.alias_of = ValueRef{at.at(life.alias), 0};
    slot.offset = life.alias.empty() ? end : offsets.at(life.alias);
    if (life.alias.empty()) end = AlignUp(end + slot.bytes);
    offsets[life.name] = slot.offset;
    plan->slots.push_back(slot);
  }
  Step& attention = plan->segments[0].steps[6];
  attention.workspace_offset = end;
  attention.workspace_bytes = 256;
  plan->arenas = {{Device::kCpu, end + 256, 0, end / 2}};
}

constexpr size_t kProjectionStep = 2;  // q_proj, numbered as in PlanMemory

Step CopyOf(int32_t node, Device from, Device to) {
  Step step;
  step.copy = CopyStep{{node, 0}, from, to};
  return step;
}

// Cuts the steps around q_proj. Unless metal shares the CPU's memory, a copy of what q_proj reads
// comes before it and a copy of its result, for which the CPU waits, after it.
void CutSegments(int32_t norm, int32_t projection, bool shares_memory, Plan* plan) {
  std::vector<Step> steps = std::move(plan->segments[0].steps);
  Segment before, on_metal, behind;
  on_metal.device = Device::kMetal;
  before.steps.assign(steps.begin(), steps.begin() + kProjectionStep);
  if (shares_memory) {
    on_metal.shared_space = Device::kCpu;
  } else {
    on_metal.steps = {CopyOf(norm, Device::kCpu, Device::kMetal)};
    behind.waits = {Device::kMetal};
  }
  on_metal.steps.push_back(steps[kProjectionStep]);
  if (!shares_memory) {
    on_metal.steps.push_back(CopyOf(projection, Device::kMetal, Device::kCpu));
  }
  behind.steps.insert(behind.steps.end(), steps.begin() + kProjectionStep + 1, steps.end());
  for (Segment* segment : {&before, &on_metal, &behind})
    segment->steps.back().barrier_after = false;
  plan->segments = {before, on_metal, behind};
}

// Adapts the slots of a plan to the two copies and adds an arena for metal.
void MoveSlots(int32_t norm, int32_t projection, Plan* plan) {
  std::vector<Slot> slots;
  uint64_t end = 0;  // of metal's arena
  auto add_on_metal = [&](Slot slot, int32_t first, int32_t last) {
    slot.space = Device::kMetal;
    slot.offset = end;
    slot.first_step = first;
    slot.last_step = last;
    end = AlignUp(end + slot.bytes);
    slots.push_back(slot);
  };
  for (Slot slot : plan->slots) {
    // New step numbers: 2 copies norm, 3 is q_proj, 4 copies its result, and what was 3 is 5.
    const Slot as_it_was = slot;
    auto moved = [](int32_t step) { return step < 2 ? step : step == 2 ? 3 : step + 2; };
    slot.first_step = moved(slot.first_step);
    slot.last_step = moved(slot.last_step);
    if (slot.value.node == norm) slot.last_step = 4;  // until the CPU waits
    if (slot.value.node == projection) slot.first_step = 4;
    slots.push_back(slot);
    if (slot.value.node == norm) add_on_metal(as_it_was, 2, 3);
    if (slot.value.node == projection) add_on_metal(as_it_was, 3, 4);
  }
  plan->slots = std::move(slots);
  plan->arenas.push_back({Device::kMetal, end, 0, end / 2});
}

Weight MakeWeight(std::string name, TensorType type, uint64_t offset) {
  Weight weight;
  weight.name = std::move(name);
  weight.type = type;
  weight.offset = offset;
  weight.bytes = *BytesAt(type, {});
  weight.sample_hash = 0x0123456789abcdefu ^ offset;
  weight.layouts = {"gguf"};
  weight.spaces = {Device::kCpu};
  return weight;
}

}  // namespace

Graph SampleGraph(Stage stage, Range tokens) {
  Graph graph("sample");
  BuildNodes(&graph);
  graph.set_stage(stage);
  if (stage >= Stage::kBound) {
    SymbolRanges symbols;
    symbols[Symbol::kT] = tokens;
    symbols[Symbol::kR] = {1, 1};
    symbols[Symbol::kS] = {1, 32};
    graph.set_symbols(symbols);
  }
  if (stage >= Stage::kPlaced) Place(&graph);
  if (stage >= Stage::kScheduled) {
    Plan plan = Schedule(graph);
    if (stage >= Stage::kPlanned) PlanMemory(graph, &plan);
    graph.set_plan(plan);
  }
  return graph;
}

Program SampleProgram() {
  Program program;
  program.model.files = {{"sample-q8_0.gguf", 100000}};
  program.model.header_hash = "0123456789abcdef0123456789abcdef";
  program.weights = {MakeWeight("blk.0.attn_norm.weight", {DType::kF32, {kWidth}}, 1024),
                     MakeWeight("blk.0.attn_q.weight", {DType::kQ4_0, {kWidth, kWidth}}, 2048),
                     MakeWeight("token_embd.weight", {DType::kQ8_0, {kVocabulary, kWidth}}, 8192)};
  program.weights[1].full_hash = 42;
  State cache;
  cache.kv_heads = 1;
  cache.head_dim = 32;
  program.states = {cache};
  program.policy.name = "scalar";
  program.policy.summary = "whole operations as plain loops on one thread";
  program.policy.rules.resize(1);
  program.policy.rules[0].name = "everything";
  program.policy.rules[0].targets = {Target::kScalar};
  program.overrides = {"op=linear=scalar"};
  program.machine = {kMachine, Machine::Origin::kGeneric};
  program.symbols[Symbol::kT] = {1, 16};
  program.symbols[Symbol::kR] = {1, 1};
  program.symbols[Symbol::kS] = {1, 32};
  program.regimes.push_back({1, 4, SampleGraph(Stage::kPlanned, {1, 4})});
  program.regimes.push_back({5, 16, SampleGraph(Stage::kPlanned, {5, 16})});
  program.passes = {{"bind", true, 16, 16}, {"place", true, 16, 16, 1}};
  return program;
}

Program SampleProgramOnTwoDevices(bool shares_memory) {
  Program program = SampleProgram();
  program.policy.rules[0].targets = {Target::kMetal, Target::kScalar};
  for (Weight& weight : program.weights) {
    if (!shares_memory && weight.name == "blk.0.attn_q.weight") weight.spaces = {Device::kMetal};
  }
  for (Regime& regime : program.regimes) {
    std::map<std::string, int32_t> at = Positions(regime.graph).of;
    const int32_t norm = at.at("layer.0.attn.norm"), projection = at.at("layer.0.attn.q_proj");
    Node* node = regime.graph.nodes()[projection];
    Placement placement = *node->placement();
    placement.target = Target::kMetal;
    placement.kernel = "linear_metal";
    for (Rejected& rejected : placement.rejected) {
      if (rejected.target == Target::kMetal) rejected.target = Target::kScalar;
    }
    node->set_placement(placement);
    Plan plan = *regime.graph.plan();
    CutSegments(norm, projection, shares_memory, &plan);
    if (!shares_memory) MoveSlots(norm, projection, &plan);
    regime.graph.set_plan(plan);
  }
  return program;
}

void AddKernelChoices(Program* program) {
  for (Regime& regime : program->regimes) {
    for (const Node* node : regime.graph.nodes()) {
      if (!node->placement()) continue;
      const Placement& placement = *node->placement();
      const std::string op(node->op().name);
      KernelCandidate runs = {placement.kernel, op, placement.target};
      KernelCandidate few = {StrCat(op, "_few_rows"), op, Target::kSimd, 2, 8};
      auto at = std::ranges::find(program->kernels, runs);
      int32_t first = static_cast<int32_t>(at - program->kernels.begin());
      if (at == program->kernels.end()) program->kernels.push_back(runs);
      at = std::ranges::find(program->kernels, few);
      int32_t second = static_cast<int32_t>(at - program->kernels.begin());
      if (at == program->kernels.end()) program->kernels.push_back(few);
      const ValueType* rows = RowsType(*node);
      KernelChoice choice = {rows == nullptr ? Dim(1) : rows->dim(0), {first, second}};
      auto same = std::ranges::find(program->kernel_choices, choice);
      regime.kernel_choices.push_back(static_cast<int32_t>(same - program->kernel_choices.begin()));
      if (same == program->kernel_choices.end()) program->kernel_choices.push_back(choice);
    }
  }
}

}  // namespace infer::test
