// SPDX-License-Identifier: Apache-2.0
#include "ir/proto/serialize_placement.h"

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/policy/policy_proto.h"
#include "ir/proto/graph_proto.h"

namespace infer {
namespace {

void CountToProto(const SymbolicCount& count, proto::SymbolicCount* out) {
  out->set_c0(count.c0);
  out->set_ct(count.ct);
  out->set_cr(count.cr);
  out->set_cs(count.cs);
  out->set_cts(count.cts);
  out->set_ctsn(count.ctsn);
}

SymbolicCount CountFromProto(const proto::SymbolicCount& in) {
  return {in.c0(), in.ct(), in.cr(), in.cs(), in.cts(), in.ctsn()};
}

absl::StatusOr<Target> ReadTarget(proto::Target in) {
  std::optional<Target> target = TargetFromProto(in);
  if (target) return *target;
  return absl::InvalidArgumentError(
      StrCat("a placement names the unknown target ", static_cast<int>(in)));
}

void RecordToProto(const KernelRecord& record, proto::KernelRecord* out) {
  const Partition& partition = record.partition;
  proto::Partition* made = out->mutable_partition();
  made->set_domain(EnumToProto<proto::Partition::Domain>(partition.domain));
  CountToProto(partition.extent, made->mutable_extent());
  made->set_granule(partition.granule);
  made->mutable_own_inputs()->Assign(partition.own_inputs.begin(), partition.own_inputs.end());
  made->mutable_own_results()->Assign(partition.own_results.begin(), partition.own_results.end());
  for (const std::string& layout : record.weight_layouts) out->add_weight_layouts(layout);
  out->set_workspace_bytes(record.workspace_bytes);
  out->set_scratch_bytes(record.scratch_bytes);
  out->set_numerics(record.numerics);
  out->set_numerics_from(record.numerics_from);
}

absl::StatusOr<KernelRecord> ReadRecord(const proto::Placement& placement) {
  if (!placement.has_kernel_record()) {
    return absl::InvalidArgumentError(
        StrCat("the placement on kernel ", Quote(placement.kernel()),
               " does not record what the kernel needs: the file is from an earlier build"));
  }
  const proto::KernelRecord& in = placement.kernel_record();
  KernelRecord record;
  ASSIGN_OR_RETURN(
      record.partition.domain,
      EnumFromProto(in.partition().domain(), PartitionDomain::kTiles, "the partition of a kernel"));
  record.partition.extent = CountFromProto(in.partition().extent());
  record.partition.granule = in.partition().granule();
  record.partition.own_inputs.assign(in.partition().own_inputs().begin(),
                                     in.partition().own_inputs().end());
  record.partition.own_results.assign(in.partition().own_results().begin(),
                                      in.partition().own_results().end());
  record.weight_layouts.assign(in.weight_layouts().begin(), in.weight_layouts().end());
  record.workspace_bytes = in.workspace_bytes();
  record.scratch_bytes = in.scratch_bytes();
  record.numerics = in.numerics();
  record.numerics_from = in.numerics_from();
  return record;
}

}  // namespace

void PlacementToProto(const Placement& placement, proto::Placement* out) {
  out->set_target(TargetToProto(placement.target));
  out->set_kernel(placement.kernel);
  RecordToProto(placement.kernel_record, out->mutable_kernel_record());
  out->set_rule(placement.rule);
  out->set_source(EnumToProto<proto::Placement::Source>(placement.source));
  for (const Term& term : placement.terms) {
    proto::Placement::Term* made = out->add_terms();
    made->set_field(term.field);
    made->set_cmp(term.cmp);
    made->set_threshold(term.threshold);
    made->set_lo(term.lo);
    made->set_hi(term.hi);
  }
  for (const Rejected& rejected : placement.rejected) {
    proto::Placement::Rejected* made = out->add_rejected();
    made->set_target(TargetToProto(rejected.target));
    made->set_code(EnumToProto<proto::Placement::Rejected::Code>(rejected.code));
    made->set_text(rejected.text);
  }
  CountToProto(placement.cost.flops, out->mutable_flops());
  CountToProto(placement.cost.bytes, out->mutable_bytes());
  out->set_estimate_ns_min(placement.estimate_ns_min);
  out->set_estimate_ns_max(placement.estimate_ns_max);
}

absl::StatusOr<Placement> PlacementFromProto(const proto::Placement& in) {
  Placement placement;
  ASSIGN_OR_RETURN(placement.target, ReadTarget(in.target()));
  placement.kernel = in.kernel();
  ASSIGN_OR_RETURN(placement.kernel_record, ReadRecord(in));
  placement.rule = in.rule();
  ASSIGN_OR_RETURN(placement.source, EnumFromProto(in.source(), PlacementSource::kLegalize,
                                                   "the source of a placement"));
  for (const proto::Placement::Term& term : in.terms()) {
    placement.terms.push_back({term.field(), term.cmp(), term.threshold(), term.lo(), term.hi()});
  }
  for (const proto::Placement::Rejected& rejected : in.rejected()) {
    ASSIGN_OR_RETURN(Target target, ReadTarget(rejected.target()));
    ASSIGN_OR_RETURN(Rejected::Code code, EnumFromProto(rejected.code(), Rejected::Code::kCostsMore,
                                                        "the code of a rejected target"));
    placement.rejected.push_back({target, code, rejected.text()});
  }
  placement.cost = {CountFromProto(in.flops()), CountFromProto(in.bytes())};
  placement.estimate_ns_min = in.estimate_ns_min();
  placement.estimate_ns_max = in.estimate_ns_max();
  return placement;
}

}  // namespace infer
