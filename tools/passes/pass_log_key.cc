// SPDX-License-Identifier: Apache-2.0
#include "tools/passes/pass_log_key.h"

#include <nlohmann/json.hpp>

#include "runtime/profile.h"
#include "tools/api/report/program_view.h"

namespace infer {

nlohmann::ordered_json PassLogKey(const Program& program) {
  return {{"model", ModelText(program.model)},
          {"header_hash", program.model.header_hash},
          {"policy", program.policy.name},
          {"overrides", program.overrides},
          {"key", IdText(ProgramKey(program))}};
}

}  // namespace infer
