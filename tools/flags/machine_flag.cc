// SPDX-License-Identifier: Apache-2.0
#include "tools/flags/machine_flag.h"

namespace infer {

void RegisterMachine(Flags& flags, std::string* path) {
  flags
      .Text("--machine", path, "FILE",
            "description of the machine that estimates are made for, as infer-bench --calibrate "
            "writes it")
      .Default("a generic one, built in");
}

}  // namespace infer
