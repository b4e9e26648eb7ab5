// SPDX-License-Identifier: Apache-2.0
//
// Shared by the ops that rotate heads: the attributes of RopeParams and the rules for them.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "ir/ops/ops.h"

namespace infer::ops {

// In the order in which RopeParamsOf reads them.
inline constexpr std::array<AttrSpec, 9> kRopeAttrs = {{
    {"base", AttrKind::kDouble},
    {"freq_scale", AttrKind::kDouble},
    {"ext_factor", AttrKind::kDouble},
    {"attn_factor", AttrKind::kDouble},
    {"beta_fast", AttrKind::kDouble},
    {"beta_slow", AttrKind::kDouble},
    {"original_context", AttrKind::kInt},
    {"adjacent", AttrKind::kBool, /*optional=*/true},
    {"factors", AttrKind::kDoubles, /*optional=*/true},
}};

// The same after the eps of the norms, for ops that norm and rotate.
inline constexpr std::array<AttrSpec, 10> kNormRopeAttrs = {{
    {"eps", AttrKind::kDouble},
    kRopeAttrs[0],
    kRopeAttrs[1],
    kRopeAttrs[2],
    kRopeAttrs[3],
    kRopeAttrs[4],
    kRopeAttrs[5],
    kRopeAttrs[6],
    kRopeAttrs[7],
    kRopeAttrs[8],
}};

std::vector<Attr> AttrsOf(const RopeParams& params);
std::vector<Attr> NormRopeAttrs(double eps, const RopeParams& params);

// Returns an error naming the op of `args` if the rope attributes are invalid for such heads.
absl::Status CheckRope(const OpArgs& args, const RopeParams& params, int64_t head_dim);

// Infers the heads f32[T,heads,head_dim] of `rows`, which must be f32[T,heads * head_dim]; `norm`
// is the f32[head_dim] weight that each head is normed with. `name` identifies the rows in errors.
absl::StatusOr<ValueType> InferHeads(const OpArgs& args, std::string_view name,
                                     const ValueType& rows, const ValueType& norm);

}  // namespace infer::ops
