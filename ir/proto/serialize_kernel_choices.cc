// SPDX-License-Identifier: Apache-2.0
#include "ir/proto/serialize_kernel_choices.h"

#include <limits>

#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/policy/policy_proto.h"
#include "ir/proto/graph_proto.h"

namespace infer {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

}  // namespace

void KernelChoicesToProto(const Program& program, proto::Program* out) {
  for (const KernelCandidate& kernel : program.kernels) {
    proto::KernelCandidate* made = out->add_kernels();
    made->set_name(kernel.name);
    made->set_op(kernel.op);
    made->set_target(TargetToProto(kernel.target));
    made->set_min_rows(kernel.min_rows);
    made->set_max_rows(kernel.max_rows == kUnlimited ? 0 : kernel.max_rows);
  }
  for (const KernelChoice& choice : program.kernel_choices) {
    proto::KernelChoice* made = out->add_kernel_choices();
    made->set_rows(ToString(choice.rows));
    made->mutable_kernels()->Assign(choice.kernels.begin(), choice.kernels.end());
    made->mutable_parts()->Assign(choice.parts.begin(), choice.parts.end());
  }
}

absl::Status ReadKernelChoices(const proto::Program& in, Program* program) {
  for (const proto::KernelCandidate& kernel : in.kernels()) {
    std::optional<Target> target = TargetFromProto(kernel.target());
    if (!target) {
      return absl::InvalidArgumentError(StrCat("the kernel candidate ", Quote(kernel.name()),
                                               " has the unknown target ",
                                               static_cast<int>(kernel.target())));
    }
    program->kernels.push_back({kernel.name(), kernel.op(), *target, kernel.min_rows(),
                                kernel.max_rows() == 0 ? kUnlimited : kernel.max_rows()});
  }
  for (const proto::KernelChoice& choice : in.kernel_choices()) {
    std::optional<Dim> rows = ParseDim(choice.rows());
    if (!rows) {
      return absl::InvalidArgumentError(
          StrCat("kernel choice ", program->kernel_choices.size(), " is for ", Quote(choice.rows()),
                 " rows, expected T, R, S or a number from 1 to ", kMaxDim));
    }
    program->kernel_choices.push_back({*rows,
                                       {choice.kernels().begin(), choice.kernels().end()},
                                       {choice.parts().begin(), choice.parts().end()}});
  }
  return absl::OkStatus();
}

}  // namespace infer
