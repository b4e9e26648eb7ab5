// SPDX-License-Identifier: Apache-2.0
#include "tools/model/program_file.h"

#include <filesystem>
#include <system_error>

#include "ir/serialize.h"
#include "ir/status_macros.h"
#include "ir/strings.h"
#include "tools/cli/input.h"

namespace infer {
namespace {
constexpr uint64_t kMaxProgramBytes = uint64_t{64} << 20;
}

absl::StatusOr<Program> ReadProgramFile(const std::string& path) {
  ASSIGN_OR_RETURN(std::string bytes, ReadInput(path, kMaxProgramBytes));
  return DeserializeProgram(bytes, path);
}

absl::StatusOr<std::string> FindModelBeside(const std::string& program_path,
                                            const Program& program) {
  if (program.model.files.empty()) {
    return absl::InvalidArgumentError(
        StrCat(program_path, ": the program names no model file; give it with -m"));
  }
  std::filesystem::path model =
      std::filesystem::path(program_path).parent_path() / program.model.files[0].name;
  std::error_code error;
  if (!std::filesystem::is_regular_file(model, error)) {
    return absl::NotFoundError(StrCat(program_path, ": its model ", program.model.files[0].name,
                                      " is not beside it; give the model with -m"));
  }
  return model.string();
}

}  // namespace infer
