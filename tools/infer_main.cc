// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <string>
#include <vector>

#include "tools/cli/dispatch.h"
#include "tools/cli/out_of_memory.h"
#include "tools/cli/output.h"
#include "tools/cli/text_columns.h"
#include "tools/cli/uncaught_exception.h"
#include "tools/report/wrapped_text.h"
#include "tools/tool_list.h"

int main(int argc, char** argv) {
  infer::ExitWhenOutOfMemory();
  infer::ExitOnUncaughtExceptions();
  infer::ReserveStandardDescriptors();
  infer::IgnoreWriteSignals();
  infer::SetReportColumns(infer::TextColumns(STDOUT_FILENO));
  std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  infer::ToolIo io;
  io.tools = infer::AllTools();
  return infer::InferMain(argc > 0 ? argv[0] : "infer", args, io.tools, io);
}
