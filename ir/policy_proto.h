// SPDX-License-Identifier: Apache-2.0
//
// Policies to and from their message. Only for ir/policy.cc and ir/serialize*.cc.
#pragma once

#include "absl/status/statusor.h"
#include "ir/policy.h"
#include "ir/policy.pb.h"

namespace infer {

void PolicyToProto(const Policy& policy, proto::Policy* out);
// Refuses numbers that are none of an enum's and unknown element types; nothing else is checked.
absl::StatusOr<Policy> PolicyFromProto(const proto::Policy& in);

proto::Target TargetToProto(Target target);
std::optional<Target> TargetFromProto(proto::Target target);

}  // namespace infer
