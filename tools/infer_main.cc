// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "tools/cli/dispatch.h"
#include "tools/cli/output.h"
#include "tools/tool_list.h"

int main(int argc, char** argv) {
  infer::ReserveStandardDescriptors();
  infer::IgnoreWriteSignals();
  std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return infer::InferMain(argc > 0 ? argv[0] : "infer", args, infer::AllTools(), infer::ToolIo());
}
