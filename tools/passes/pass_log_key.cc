// SPDX-License-Identifier: Apache-2.0
#include "tools/passes/pass_log_key.h"

#include "ir/base/json.h"
#include "runtime/profile.h"
#include "tools/report/program_view.h"

namespace infer {

Json PassLogKey(const Program& program) {
  return {{"model", ModelText(program.model)},
          {"header_hash", program.model.header_hash},
          {"policy", program.policy.name},
          {"overrides", program.overrides},
          {"key", IdText(ProgramKey(program))}};
}

}  // namespace infer
