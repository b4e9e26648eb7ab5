// SPDX-License-Identifier: Apache-2.0
//
// Converts a Program's weights and states to and from their messages. Only for
// ir/proto/serialize.cc.
#pragma once

#include "absl/status/statusor.h"
#include "ir/program/program.h"
#include "ir/proto/graph.pb.h"

namespace infer {

void WeightToProto(const Weight& weight, proto::Weight* out);
absl::StatusOr<Weight> WeightFromProto(const proto::Weight& in);

void StateToProto(const State& state, proto::State* out);
absl::StatusOr<State> StateFromProto(const proto::State& in);

}  // namespace infer
