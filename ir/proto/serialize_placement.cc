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

}  // namespace

void PlacementToProto(const Placement& placement, proto::Placement* out) {
  out->set_target(TargetToProto(placement.target));
  out->set_kernel(placement.kernel);
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
