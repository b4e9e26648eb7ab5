// SPDX-License-Identifier: Apache-2.0
#include "tools/flags/machine_flag.h"

namespace infer {

void RegisterMachine(Flags& flags, std::string* path) {
  flags
      .Text("--machine", path, "FILE",
            "machine description for estimates, as written by infer-bench --calibrate")
      .Default("a built-in generic one");
}

}  // namespace infer
