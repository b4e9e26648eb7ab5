// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/trace_file.h"

#include "ir/base/strings.h"
#include "runtime/trace/chrome_json.h"
#include "runtime/trace/perfetto.h"
#include "tools/cli/exit_code.h"

namespace infer {

absl::StatusOr<std::unique_ptr<TraceEncoder>> MakeTraceEncoder(std::string_view path) {
  if (path.ends_with(".pftrace") || path.ends_with(".perfetto-trace")) return MakePerfettoEncoder();
  if (path.ends_with(".json")) return MakeChromeJsonEncoder();
  if (path == "-") return UsageError("--trace -: stdout carries the text; name a file");
  return UsageError(
      StrCat("--trace ", path,
             ": the name decides the format; end it with .pftrace (Perfetto) or .json "
             "(Chrome's trace events)"));
}

}  // namespace infer
