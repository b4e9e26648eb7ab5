// SPDX-License-Identifier: Apache-2.0
#include "ir/proto/serialize_offers.h"

#include <limits>

#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/policy/policy_proto.h"
#include "ir/proto/graph_proto.h"

namespace infer {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

}  // namespace

void OffersToProto(const Program& program, proto::Program* out) {
  for (const OfferedKernel& kernel : program.kernels) {
    proto::OfferedKernel* made = out->add_kernels();
    made->set_name(kernel.name);
    made->set_op(kernel.op);
    made->set_target(TargetToProto(kernel.target));
    made->set_min_rows(kernel.min_rows);
    made->set_max_rows(kernel.max_rows == kUnlimited ? 0 : kernel.max_rows);
  }
  for (const Offer& offer : program.offers) {
    proto::Offer* made = out->add_offers();
    made->set_rows(ToString(offer.rows));
    made->mutable_kernels()->Assign(offer.kernels.begin(), offer.kernels.end());
    made->mutable_parts()->Assign(offer.parts.begin(), offer.parts.end());
  }
}

absl::Status ReadOffers(const proto::Program& in, Program* program) {
  for (const proto::OfferedKernel& kernel : in.kernels()) {
    std::optional<Target> target = TargetFromProto(kernel.target());
    if (!target) {
      return absl::InvalidArgumentError(StrCat("the offered kernel ", Quote(kernel.name()),
                                               " has the unknown target ",
                                               static_cast<int>(kernel.target())));
    }
    program->kernels.push_back({kernel.name(), kernel.op(), *target, kernel.min_rows(),
                                kernel.max_rows() == 0 ? kUnlimited : kernel.max_rows()});
  }
  for (const proto::Offer& offer : in.offers()) {
    std::optional<Dim> rows = ParseDim(offer.rows());
    if (!rows) {
      return absl::InvalidArgumentError(
          StrCat("offer ", program->offers.size(), " is for ", Quote(offer.rows()),
                 " rows, expected T, R, S or a number from 1 to ", kMaxDim));
    }
    program->offers.push_back({*rows,
                               {offer.kernels().begin(), offer.kernels().end()},
                               {offer.parts().begin(), offer.parts().end()}});
  }
  return absl::OkStatus();
}

}  // namespace infer
