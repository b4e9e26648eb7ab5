// SPDX-License-Identifier: Apache-2.0
#include "tests/mutations/mutate_program.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "ir/base/strings.h"
#include "ir/graph/plan.h"

namespace infer::test {
namespace {

class Mutator {
 public:
  Mutator(std::mt19937_64& random, const KernelRegistry& registry, Program& program)
      : random_(random), registry_(registry), program_(program) {}

  Mutation Run() {
    const int fields = Below(3) == 0 ? 1 + Below(3) : 1;
    for (int i = 0; i < fields; ++i) MutateOne();
    return std::move(mutation_);
  }

 private:
  using Change = std::pair<const char*, std::function<void()>>;

  int Below(size_t count) { return static_cast<int>(random_() % std::max<size_t>(count, 1)); }
  bool Coin() { return random_() % 2 == 0; }
  template <class T>
  T& Any(std::vector<T>& list) {
    return list[Below(list.size())];
  }
  Device AnyDevice() { return kAllDevices[Below(kNumDevices)]; }

  void MutateOne() {
    Regime& regime = Any(program_.regimes);
    Plan plan = *regime.graph.plan();
    std::vector<Node*> nodes = regime.graph.nodes();
    std::vector<Change> changes;
    AddSlotChanges(plan, changes);
    AddStepChanges(plan, changes);
    AddSegmentChanges(plan, changes);
    AddPlacementChanges(nodes, changes);
    AddProgramChanges(regime, changes);
    Change& change = changes[Below(changes.size())];
    change.second();
    StrAppend(&mutation_.what, mutation_.what.empty() ? "" : ", ", change.first);
    regime.graph.set_plan(std::move(plan));
  }

  // Near the old one, that of something else, or anything.
  void ChangeBytes(uint64_t& bytes, uint64_t other) {
    switch (Below(6)) {
      case 0:
        bytes += 64;
        break;
      case 1:
        bytes -= 64;
        break;
      case 2:
        bytes = other;
        break;
      case 3:
        bytes = other + 64 * static_cast<uint64_t>(Below(4));
        break;
      case 4:
        bytes = 0;
        break;
      default:
        bytes = random_() >> Below(64);
    }
  }
  void ChangeStep(int32_t& step) {
    step += Coin() ? 1 : -1;
    if (Below(4) == 0) step = Below(40) - 2;
  }
  void ChangeCount(double& count) {
    const double values[] = {0, 0.5, 1, 2, count + 1, count * 2, count - 1, -1};
    count = values[Below(std::size(values))];
  }

  void AddSlotChanges(Plan& plan, std::vector<Change>& out) {
    Slot& slot = Any(plan.slots);
    Slot& other = Any(plan.slots);
    out.insert(out.end(), {{"slot.offset", [&] { ChangeBytes(slot.offset, other.offset); }},
                           {"slot.offset of another", [&] { slot.offset = other.offset; }},
                           {"slots swapped", [&] { std::swap(slot.offset, other.offset); }},
                           {"slot.bytes", [&] { ChangeBytes(slot.bytes, other.bytes); }},
                           {"slot.first_step", [&] { ChangeStep(slot.first_step); }},
                           {"slot.last_step", [&] { ChangeStep(slot.last_step); }},
                           {"slot.space", [&] { slot.space = AnyDevice(); }},
                           {"slot.alias_of", [&] { ChangeAlias(slot, other); }},
                           {"slot in place", [&] { WorkInPlace(plan, slot, other); }},
                           {"slot.value", [&] { std::swap(slot.value, other.value); }},
                           {"slot missing", [&] {
                              plan.slots.erase(plan.slots.begin() + Below(plan.slots.size()));
                            }}});
  }
  void ChangeAlias(Slot& slot, const Slot& other) {
    if (slot.alias_of && Coin()) {
      slot.alias_of.reset();
    } else {
      slot.alias_of = other.value;
    }
  }
  // As a planner would do it that has not looked who else reads it.
  void WorkInPlace(Plan& plan, Slot& slot, const Slot& other) {
    slot.alias_of = other.value;
    slot.offset = other.offset;
    for (Slot& later : plan.slots) {
      if (later.alias_of == slot.value) later.offset = slot.offset;
    }
  }

  void AddStepChanges(Plan& plan, std::vector<Change>& out) {
    Segment& segment = Any(plan.segments);
    std::vector<Step>& steps = segment.steps;
    const size_t at = Below(steps.size());
    Step& step = steps[at];
    const Slot& slot = Any(plan.slots);
    out.insert(
        out.end(),
        {{"step.barrier_after", [&] { step.barrier_after = !step.barrier_after; }},
         {"barrier cleared", [&] { ClearBarrier(steps); }},
         {"barriers cleared",
          [&] {
            for (Step& each : steps) each.barrier_after &= Coin();
          }},
         {"step.mode",
          [&] {
            step.mode = step.mode == StepMode::kSerial ? StepMode::kSliced : StepMode::kSerial;
          }},
         {"step.workspace_offset", [&] { ChangeBytes(step.workspace_offset, slot.offset); }},
         {"workspace over a slot", [&] { MoveWorkspace(steps, slot); }},
         {"step.workspace_bytes", [&] { ChangeBytes(step.workspace_bytes, slot.bytes); }},
         {"step.node", [&] { std::swap(step.node, Any(steps).node); }},
         {"steps in another order",
          [&, at] {
            if (at > 0) std::swap(steps[at], steps[at - 1]);
          }},
         {"step missing", [&, at] { steps.erase(steps.begin() + static_cast<int64_t>(at)); }},
         {"step twice", [&] { steps.push_back(Step(step)); }},
         {"copy cleared",
          [&] {
            std::vector<size_t> copies;
            for (size_t i = 0; i < steps.size(); ++i) {
              if (steps[i].copy) copies.push_back(i);
            }
            if (!copies.empty()) steps.erase(steps.begin() + static_cast<int64_t>(Any(copies)));
          }},
         {"copy of another value",
          [&] {
            if (step.copy) step.copy->value = slot.value;
          }},
         {"step is a copy", [&] {
            step.node = -1;
            step.copy = CopyStep{slot.value, AnyDevice(), AnyDevice()};
          }}});
  }
  void ClearBarrier(std::vector<Step>& steps) {
    std::vector<Step*> barriers;
    for (Step& step : steps) {
      if (step.barrier_after) barriers.push_back(&step);
    }
    if (!barriers.empty()) Any(barriers)->barrier_after = false;
  }
  void MoveWorkspace(std::vector<Step>& steps, const Slot& slot) {
    std::vector<Step*> with;
    for (Step& step : steps) {
      if (step.workspace_bytes > 0) with.push_back(&step);
    }
    if (!with.empty()) Any(with)->workspace_offset = slot.offset;
  }

  void AddSegmentChanges(Plan& plan, std::vector<Change>& out) {
    Segment& segment = Any(plan.segments);
    Arena& arena = Any(plan.arenas);
    const Slot& slot = Any(plan.slots);
    out.insert(
        out.end(),
        {{"segment.device", [&] { segment.device = AnyDevice(); }},
         {"segment.space", [&] { segment.shared_space = AnyDevice(); }},
         {"segment.waits", [&] { segment.waits.push_back(AnyDevice()); }},
         {"plan.waits", [&] { plan.waits.push_back(AnyDevice()); }},
         {"waits cleared", [&] { ClearWaits(plan); }},
         {"segment cut",
          [&] {
            Segment rest = segment;
            const auto middle = segment.steps.begin() + Below(segment.steps.size());
            rest.steps.assign(middle, segment.steps.end());
            segment.steps.erase(middle, segment.steps.end());
            if (Coin()) rest.waits = {Device::kMetal};
            plan.segments.push_back(std::move(rest));
          }},
         {"arena.bytes", [&] { ChangeBytes(arena.bytes, slot.offset); }},
         {"arena.bytes_per_thread", [&] { ChangeBytes(arena.bytes_per_thread, slot.bytes); }},
         {"arena.space", [&] { arena.space = AnyDevice(); }}});
  }

  void ClearWaits(Plan& plan) {
    std::vector<std::vector<Device>*> waits = {&plan.waits};
    for (Segment& segment : plan.segments) {
      if (!segment.waits.empty()) waits.push_back(&segment.waits);
    }
    Any(waits)->clear();
  }

  void AddPlacementChanges(const std::vector<Node*>& nodes, std::vector<Change>& out) {
    std::vector<Node*> placed;
    for (Node* node : nodes) {
      if (node->placement()) placed.push_back(node);
    }
    Node* node = Any(placed);
    const Placement other = *Any(placed)->placement();
    auto change = [node](const char* what, std::function<void(Placement&)> how) -> Change {
      return {what, [node, how] {
                Placement placement = *node->placement();
                how(placement);
                node->set_placement(placement);
              }};
    };
    out.insert(
        out.end(),
        {change("kernel of another node",
                [this, other](Placement& p) {
                  mutation_.keeps_numbers = false;
                  p.kernel = other.kernel;
                  if (Coin()) p.kernel_record = other.kernel_record;
                  if (Coin()) p.target = other.target;
                }),
         {"another kernel of the op", [this, node] { ChangeKernel(node); }},
         change("placement.target",
                [this](Placement& p) { p.target = kTargets[Below(kNumTargets)].target; }),
         change("record.domain",
                [this](Placement& p) {
                  p.kernel_record.partition.domain =
                      static_cast<PartitionDomain>(Below(kNumPartitionDomains));
                }),
         change(
             "record.partition",
             [other](Placement& p) { p.kernel_record.partition = other.kernel_record.partition; }),
         change("record.extent",
                [this](Placement& p) {
                  SymbolicCount& extent = p.kernel_record.partition.extent;
                  ChangeCount(Coin() ? extent.c0 : extent.ct);
                }),
         change("record.granule",
                [this](Placement& p) { p.kernel_record.partition.granule = Below(70) - 1; }),
         change("record.own_inputs",
                [this](Placement& p) { ChangeOwn(p.kernel_record.partition.own_inputs); }),
         change("record.own_results",
                [this](Placement& p) { ChangeOwn(p.kernel_record.partition.own_results); }),
         change("record.weight_layouts",
                [this, other](Placement& p) {
                  p.kernel_record.weight_layouts = other.kernel_record.weight_layouts;
                  if (Coin()) p.kernel_record.weight_layouts.push_back("gguf");
                }),
         change("record.workspace_bytes",
                [this, other](Placement& p) {
                  ChangeBytes(p.kernel_record.workspace_bytes, other.kernel_record.workspace_bytes);
                }),
         change("record.scratch_bytes", [this, other](Placement& p) {
           ChangeBytes(p.kernel_record.scratch_bytes, other.kernel_record.scratch_bytes);
         })});
  }
  void ChangeOwn(std::vector<int32_t>& own) {
    if (!own.empty() && Coin()) {
      own.pop_back();
    } else {
      own.push_back(Below(4));
    }
  }
  // One that the catalog has, with the record that it has there or with the old one.
  void ChangeKernel(Node* node) {
    Placement placement = *node->placement();
    const Target target = kTargets[Below(kNumTargets)].target;
    const KernelAnswer answer = registry_.Find(*node, target, program_.regimes[0].graph.symbols());
    if (!answer.kernel) return;
    mutation_.keeps_numbers = false;
    placement.kernel = answer.kernel->name;
    if (Coin()) placement.kernel_record = answer.kernel->record;
    std::erase_if(placement.rejected, [&](const Rejected& r) { return r.target == target; });
    if (target != placement.target) {
      placement.rejected.push_back({placement.target, Rejected::Code::kNotInRule, "mutated"});
    }
    placement.target = target;
    node->set_placement(placement);
  }

  void AddProgramChanges(Regime& regime, std::vector<Change>& out) {
    Weight& weight = Any(program_.weights);
    const Weight& other = Any(program_.weights);
    const Symbol symbol = kAllSymbols[Below(kNumSymbols)];
    out.insert(out.end(),
               {{"weight.layouts",
                 [&] {
                   if (Coin()) {
                     weight.layouts = other.layouts;
                   } else {
                     weight.layouts.push_back(Coin() ? "gguf" : "q8_0_simd");
                   }
                 }},
                {"weight.spaces", [&] { weight.spaces = {AnyDevice()}; }},
                {"weight.offset", [&] { weight.offset = other.offset; }},
                {"state.home_space", [&] { Any(program_.states).home_space = AnyDevice(); }},
                {"program.symbols", [&, symbol] { ChangeRange(program_.symbols[symbol]); }},
                {"graph.symbols",
                 [&, symbol] {
                   SymbolRanges symbols = regime.graph.symbols();
                   ChangeRange(symbols[symbol]);
                   regime.graph.set_symbols(symbols);
                 }},
                {"all symbols",
                 [&, symbol] {
                   Range range = program_.symbols[symbol];
                   ChangeRange(range);
                   program_.symbols[symbol] = range;
                   for (Regime& each : program_.regimes) {
                     SymbolRanges symbols = each.graph.symbols();
                     if (symbol != Symbol::kT) symbols[symbol] = range;
                     each.graph.set_symbols(symbols);
                   }
                 }},
                {"regime.max_tokens", [&] { regime.max_tokens += Coin() ? 1 : -1; }}});
  }
  void ChangeRange(Range& range) {
    int64_t& end = Coin() ? range.min : range.max;
    end = Coin() ? end + (Coin() ? 1 : -1) : 1 + Below(100);
  }

  std::mt19937_64& random_;
  const KernelRegistry& registry_;
  Program& program_;
  Mutation mutation_;
};

}  // namespace

Program CloneProgram(const Program& program) {
  Program copy;
  copy.schema_version = program.schema_version;
  copy.model = program.model;
  copy.weights = program.weights;
  copy.states = program.states;
  copy.policy = program.policy;
  copy.overrides = program.overrides;
  copy.machine = program.machine;
  copy.symbols = program.symbols;
  copy.passes = program.passes;
  copy.kernels = program.kernels;
  copy.kernel_choices = program.kernel_choices;
  for (const Regime& regime : program.regimes) {
    copy.regimes.push_back(
        {regime.min_tokens, regime.max_tokens, regime.graph.Clone(), regime.kernel_choices});
  }
  return copy;
}

Mutation Mutate(std::mt19937_64& random, const KernelRegistry& registry, Program* program) {
  return Mutator(random, registry, *program).Run();
}

}  // namespace infer::test
