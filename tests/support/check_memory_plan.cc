// SPDX-License-Identifier: Apache-2.0
#include "tests/support/check_memory_plan.h"

#include <algorithm>
#include <map>
#include <vector>

#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"
#include "ir/verify/verifier.h"

namespace infer::test {
namespace {

constexpr int kBeforeAll = -1;  // when the inputs of the graph are written

// A value, its memory and the steps between which its contents must be preserved.
struct Life {
  Node* node = nullptr;
  int index = 0;
  const Slot* slot = nullptr;
  size_t contents = 0;  // the value that wrote the contents; a view shares its input's
  int written = kBeforeAll;
  int last_read = kBeforeAll;  // by any reader, through any view of the same contents
};

class Checker {
 public:
  explicit Checker(const Graph& graph) : graph_(graph), nodes_(graph.nodes()) {}

  std::string Run() {
    NumberSteps();
    std::string error = CollectLives();
    if (error.empty()) error = CheckSlots();
    if (error.empty()) error = CheckPairs();
    if (error.empty()) error = CheckWorkspaces();
    return error;
  }

 private:
  void NumberSteps() {
    for (const Segment& segment : graph_.plan()->segments) {
      for (const Step& step : segment.steps) {
        step_of_[nodes_[step.node]] = static_cast<int>(steps_.size());
        steps_.push_back(&step);
      }
    }
  }

  std::string CollectLives() {
    std::map<ValueRef, const Slot*> slots;
    for (const Slot& slot : graph_.plan()->slots) {
      if (!slots.emplace(slot.value, &slot).second) return "a value has two slots";
    }
    for (size_t at = 0; at < nodes_.size(); ++at) {
      Node* node = nodes_[at];
      if (node->op().traits.weight || node->op().traits.state) continue;
      for (int i = 0; i < node->num_results(); ++i) {
        if (!node->result(i).type.is_tensor()) continue;
        auto slot = slots.find({static_cast<int32_t>(at), i});
        if (slot == slots.end()) return StrCat(DescribeNode(*node), " has no slot");
        AddLife(node, i, slot->second);
      }
    }
    return "";
  }

  void AddLife(Node* node, int index, const Slot* slot) {
    Life life{node, index, slot, lives_.size()};
    if (step_of_.contains(node)) life.written = life.last_read = step_of_.at(node);
    if (node->op().traits.view) life.contents = lives_[number_.at(KeyOf(node->input(0)))].contents;
    number_[{node, index}] = lives_.size();
    lives_.push_back(life);
    Life& owner = lives_[life.contents];
    for (const Use& use : graph_.uses({node, index})) {
      int read = use.user == nullptr ? static_cast<int>(steps_.size()) : step_of_.at(use.user);
      owner.last_read = std::max(owner.last_read, read);
    }
  }

  std::string CheckSlots() const {
    uint64_t arena_bytes = graph_.plan()->arenas.at(0).bytes;
    for (const Life& life : lives_) {
      const Slot& slot = *life.slot;
      std::string name = DescribeNode(*life.node);
      if (slot.offset % 64 != 0) return StrCat(name, " begins at ", slot.offset);
      if (slot.bytes < BytesOf(life)) return StrCat(name, " needs ", BytesOf(life), " bytes");
      if (slot.offset + slot.bytes > arena_bytes) return StrCat(name, " leaves the arena");
      if (slot.first_step > std::max(life.written, 0)) return StrCat(name, " lives too late");
      for (const Use& use : graph_.uses({life.node, life.index})) {
        int last = static_cast<int>(steps_.size()) - 1;
        int read = use.user == nullptr ? last : step_of_.at(use.user);
        if (slot.last_step < read) return StrCat(name, " lives too short");
      }
    }
    return "";
  }

  std::string CheckPairs() const {
    for (const Life& earlier : lives_) {
      for (const Life& later : lives_) {
        if (&earlier >= &later || earlier.contents == later.contents) continue;
        if (!Overlap(earlier, later) || MayOverwrite(later, earlier)) continue;
        return StrCat(DescribeNode(*later.node), " overwrites ", DescribeNode(*earlier.node),
                      " which is read in step ", lives_[earlier.contents].last_read);
      }
    }
    return "";
  }

  // Returns whether writing `later` leaves the contents of `earlier` intact as long as they are
  // needed.
  bool MayOverwrite(const Life& later, const Life& earlier) const {
    if (later.node->op().traits.view)
      return true;  // a view writes nothing; its contents are
                    // compared on their own
    int last_read = lives_[earlier.contents].last_read;
    if (last_read < later.written) return true;
    return last_read == later.written && WorksInPlace(later, earlier.contents);
  }

  bool WorksInPlace(const Life& life, size_t contents) const {
    int in_place = life.node->op().traits.in_place_input;
    if (life.index != 0 || in_place < 0) return false;
    for (int i = 0; i < static_cast<int>(life.node->inputs().size()); ++i) {
      auto number = number_.find(KeyOf(life.node->input(i)));
      bool reads_it = number != number_.end() && lives_[number->second].contents == contents;
      if (reads_it != (i == in_place)) return false;
      if (reads_it && lives_[number->second].slot->offset != life.slot->offset) return false;
    }
    return true;
  }

  std::string CheckWorkspaces() const {
    for (size_t at = 0; at < steps_.size(); ++at) {
      const Step& step = *steps_[at];
      for (const Life& life : lives_) {
        const Life& owner = lives_[life.contents];
        int now = static_cast<int>(at);
        if (now < owner.written || owner.last_read < now) continue;
        if (step.workspace_offset < life.slot->offset + BytesOf(life) &&
            life.slot->offset < step.workspace_offset + step.workspace_bytes) {
          return StrCat("the workspace of step ", now, " lies in ", DescribeNode(*life.node));
        }
      }
    }
    return "";
  }

  bool Overlap(const Life& a, const Life& b) const {
    return a.slot->offset < b.slot->offset + BytesOf(b) &&
           b.slot->offset < a.slot->offset + BytesOf(a);
  }
  uint64_t BytesOf(const Life& life) const {
    return *BytesAt(life.node->result(life.index).type.tensor, graph_.symbols().Highest());
  }
  static std::pair<Node*, int> KeyOf(Value value) { return {value.node, value.index}; }

  const Graph& graph_;
  std::vector<Node*> nodes_;
  std::vector<const Step*> steps_;
  std::map<const Node*, int> step_of_;
  std::vector<Life> lives_;  // in program order
  std::map<std::pair<Node*, int>, size_t> number_;
};

}  // namespace

std::string MemoryPlanError(const Graph& graph) { return Checker(graph).Run(); }

}  // namespace infer::test
