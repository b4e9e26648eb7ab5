// SPDX-License-Identifier: Apache-2.0
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "ir/graph/target.h"
#include "ir/proto/graph_proto.h"

namespace infer {
namespace {

void RefToProto(ValueRef ref, const std::vector<uint64_t>& ids, proto::ValueRef* out) {
  out->set_node(ids[ref.node]);
  out->set_result(ref.result);
}

void StepToProto(const Step& step, const std::vector<uint64_t>& ids, proto::Step* out) {
  if (step.copy) {
    RefToProto(step.copy->value, ids, out->mutable_copy()->mutable_value());
    out->mutable_copy()->set_from(EnumToProto<proto::Device>(step.copy->from));
    out->mutable_copy()->set_to(EnumToProto<proto::Device>(step.copy->to));
  } else {
    out->set_node(ids[step.node]);
  }
  out->set_mode(EnumToProto<proto::Step::Mode>(step.mode));
  out->set_barrier_after(step.barrier_after);
  out->set_workspace_offset(step.workspace_offset);
  out->set_workspace_bytes(step.workspace_bytes);
}

void SlotToProto(const Slot& slot, const std::vector<uint64_t>& ids, proto::Slot* out) {
  RefToProto(slot.value, ids, out->mutable_value());
  out->set_space(EnumToProto<proto::Device>(slot.space));
  out->set_offset(slot.offset);
  out->set_bytes(slot.bytes);
  out->set_first_step(slot.first_step);
  out->set_last_step(slot.last_step);
  if (slot.alias_of) RefToProto(*slot.alias_of, ids, out->mutable_alias_of());
}

absl::StatusOr<int32_t> FindNode(uint64_t id, const NodePositions& positions,
                                 std::string_view what) {
  auto found = positions.find(id);
  if (found != positions.end()) return found->second;
  return absl::InvalidArgumentError(StrCat(what, " names the node ", id, ", which does not exist"));
}

absl::StatusOr<ValueRef> ReadRef(const proto::ValueRef& in, const NodePositions& positions,
                                 std::string_view what) {
  ASSIGN_OR_RETURN(int32_t node, FindNode(in.node(), positions, what));
  return ValueRef{node, in.result()};
}

absl::StatusOr<Step> ReadStep(const proto::Step& in, const NodePositions& positions) {
  Step step;
  if (in.has_copy()) {
    CopyStep& copy = step.copy.emplace();
    ASSIGN_OR_RETURN(copy.value, ReadRef(in.copy().value(), positions, "a copy"));
    ASSIGN_OR_RETURN(copy.from, DeviceFromProto(in.copy().from(), "the source of a copy"));
    ASSIGN_OR_RETURN(copy.to, DeviceFromProto(in.copy().to(), "the destination of a copy"));
  } else {
    ASSIGN_OR_RETURN(step.node, FindNode(in.node(), positions, "a step"));
  }
  ASSIGN_OR_RETURN(step.mode, EnumFromProto(in.mode(), StepMode::kSliced, "the mode of a step"));
  step.barrier_after = in.barrier_after();
  step.workspace_offset = in.workspace_offset();
  step.workspace_bytes = in.workspace_bytes();
  return step;
}

absl::StatusOr<Slot> ReadSlot(const proto::Slot& in, const NodePositions& positions) {
  Slot slot;
  ASSIGN_OR_RETURN(slot.value, ReadRef(in.value(), positions, "a slot"));
  ASSIGN_OR_RETURN(slot.space, DeviceFromProto(in.space(), "the space of a slot"));
  slot.offset = in.offset();
  slot.bytes = in.bytes();
  slot.first_step = in.first_step();
  slot.last_step = in.last_step();
  if (in.has_alias_of()) {
    ASSIGN_OR_RETURN(slot.alias_of, ReadRef(in.alias_of(), positions, "an alias"));
  }
  return slot;
}

void WaitsToProto(const std::vector<Device>& waits, google::protobuf::RepeatedField<int>* out) {
  for (Device device : waits) out->Add(EnumToProto<proto::Device>(device));
}

absl::StatusOr<std::vector<Device>> ReadWaits(const google::protobuf::RepeatedField<int>& in) {
  std::vector<Device> waits;
  for (int device : in) {
    ASSIGN_OR_RETURN(Device read, DeviceFromProto(static_cast<proto::Device>(device),
                                                  "a device that is waited for"));
    waits.push_back(read);
  }
  return waits;
}

}  // namespace

void PlanToProto(const Plan& plan, const std::vector<uint64_t>& ids, proto::Plan* out) {
  for (const Segment& segment : plan.segments) {
    proto::Segment* made = out->add_segments();
    made->set_device(EnumToProto<proto::Device>(segment.device));
    if (segment.shared_space) {
      made->set_shared_space(EnumToProto<proto::Device>(*segment.shared_space));
    }
    WaitsToProto(segment.waits, made->mutable_waits());
    for (const Step& step : segment.steps) StepToProto(step, ids, made->add_steps());
  }
  for (const Slot& slot : plan.slots) SlotToProto(slot, ids, out->add_slots());
  for (const Arena& arena : plan.arenas) {
    proto::Arena* made = out->add_arenas();
    made->set_space(EnumToProto<proto::Device>(arena.space));
    made->set_bytes(arena.bytes);
    made->set_bytes_per_thread(arena.bytes_per_thread);
    made->set_lower_bound(arena.lower_bound);
  }
  WaitsToProto(plan.waits, out->mutable_waits());
}

absl::StatusOr<Plan> PlanFromProto(const proto::Plan& in, const NodePositions& positions) {
  Plan plan;
  for (const proto::Segment& segment : in.segments()) {
    Segment& made = plan.segments.emplace_back();
    ASSIGN_OR_RETURN(made.device, DeviceFromProto(segment.device(), "the device of a segment"));
    if (segment.shared_space() != proto::DEVICE_UNSPECIFIED) {
      ASSIGN_OR_RETURN(made.shared_space,
                       DeviceFromProto(segment.shared_space(), "the space of a segment"));
    }
    ASSIGN_OR_RETURN(made.waits, ReadWaits(segment.waits()));
    for (const proto::Step& step : segment.steps()) {
      ASSIGN_OR_RETURN(Step read, ReadStep(step, positions));
      made.steps.push_back(std::move(read));
    }
  }
  for (const proto::Slot& slot : in.slots()) {
    ASSIGN_OR_RETURN(Slot read, ReadSlot(slot, positions));
    plan.slots.push_back(read);
  }
  for (const proto::Arena& arena : in.arenas()) {
    ASSIGN_OR_RETURN(Device space, DeviceFromProto(arena.space(), "the space of an arena"));
    plan.arenas.push_back({space, arena.bytes(), arena.bytes_per_thread(), arena.lower_bound()});
  }
  ASSIGN_OR_RETURN(plan.waits, ReadWaits(in.waits()));
  return plan;
}

}  // namespace infer
