// SPDX-License-Identifier: Apache-2.0
#include "tools/api/program_file.h"

#include <filesystem>
#include <system_error>

#include "ir/base/advice.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/proto/serialize.h"
#include "tools/api/bundled_model.h"
#include "tools/api/input.h"

namespace infer {
namespace {

namespace fs = std::filesystem;

}  // namespace

absl::StatusOr<Program> ReadProgramFile(const std::string& path) {
  auto no_model = [&](std::string_view head) -> absl::Status {
    if (!head.starts_with("GGUF")) return absl::OkStatus();
    return WithAdvice(
        absl::InvalidArgumentError(
            StrCat(path, ": is a GGUF model, where a compiled Program belongs; compile it first")),
        {Advice::kCompile});
  };
  ASSIGN_OR_RETURN(std::string bytes, ReadInput(path, kMaxProgramFileBytes, no_model));
  return DeserializeProgram(bytes, path);
}

absl::StatusOr<std::string> FindModelBeside(const std::string& program_path,
                                            const Program& program) {
  if (program.model.files.empty()) {
    return WithAdvice(
        absl::InvalidArgumentError(
            StrCat(program_path, ": the program names no model file; pass the model as well")),
        {Advice::kModel});
  }
  const std::string& name = program.model.files[0].name;
  fs::path model = fs::path(program_path).parent_path() / name;
  std::error_code error;
  if (fs::is_regular_file(model, error)) return model.string();
  absl::StatusOr<std::string> bundled = FindBundledModel();
  if (bundled.ok() && fs::path(*bundled).filename() == name) return bundled;
  return WithAdvice(absl::NotFoundError(StrCat(program_path, ": its model ", name,
                                               " is not beside it; pass the model as well")),
                    {Advice::kModel});
}

}  // namespace infer
