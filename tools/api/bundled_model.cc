// SPDX-License-Identifier: Apache-2.0
#include "tools/api/bundled_model.h"

#include <filesystem>
#include <system_error>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include "ir/base/advice.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

namespace fs = std::filesystem;

constexpr char kFileName[] = "tiny-tales-q8_0.gguf";

fs::path ExecutablePath() {
#ifdef __APPLE__
  char buffer[4096];
  uint32_t bytes = sizeof(buffer);
  if (_NSGetExecutablePath(buffer, &bytes) != 0) return {};
  std::error_code error;
  return fs::canonical(buffer, error);
#else
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
#endif
}

}  // namespace

absl::StatusOr<std::string> FindBundledModel() {
  // Never a relative path, which would pick up whatever the working directory contains.
  fs::path executable = ExecutablePath();
  fs::path installed;
  if (executable.is_absolute()) {
    installed =
        executable.parent_path().parent_path() / INFER_DATA_DIR / "infer/models" / kFileName;
  }
  fs::path in_source = fs::path(INFER_ASSETS_DIR) / kFileName;
  std::error_code error;
  for (const fs::path& path : {installed, in_source}) {
    if (fs::is_regular_file(path, error)) return path.string();
  }
  return WithAdvice(absl::NotFoundError(StrCat("the bundled model ", kFileName, " is neither at ",
                                               installed.string(), " nor at ", in_source.string(),
                                               "; give a model")),
                    {Advice::kModel});
}

}  // namespace infer
