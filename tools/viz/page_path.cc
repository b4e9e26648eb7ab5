// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/page_path.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "ir/base/strings.h"
#include "tools/viz/html.h"

namespace infer {
namespace {

namespace fs = std::filesystem;

// The title is within the first bytes of a page: only the names of a model come before its end.
constexpr std::streamsize kHeadBytes = 4096;

bool IsPage(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::string head(kHeadBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), kHeadBytes);
  head.resize(static_cast<size_t>(file.gcount()));
  return head.find(kPageTitleEnd) != std::string::npos;
}

// Tries it: permissions alone do not tell, neither for root nor on a read-only file system.
bool CanWriteIn(const fs::path& folder) {
  std::string name = (folder / ".infer-viz-XXXXXX").string();
  const int fd = mkstemp(name.data());
  if (fd < 0) return false;
  close(fd);
  unlink(name.c_str());
  return true;
}

bool CanHold(const fs::path& page) {
  std::error_code error;
  const bool is_free = !fs::exists(fs::symlink_status(page, error)) || IsPage(page);
  const fs::path folder = page.parent_path();
  return is_free && CanWriteIn(folder.empty() ? fs::path(".") : folder);
}

}  // namespace

absl::StatusOr<std::string> PagePath(const std::string& program, bool in_current_folder) {
  const fs::path beside = fs::path(program).replace_extension(".html");
  const fs::path name = beside.filename();
  if (!in_current_folder && CanHold(beside)) return beside.string();
  if (CanHold(name)) return name.string();
  std::error_code error;
  std::string folder = (fs::temp_directory_path(error) / "infer-viz-XXXXXX").string();
  if (error || mkdtemp(folder.data()) == nullptr) {
    const std::string why = error ? error.message() : std::strerror(errno);
    return absl::UnknownError(StrCat(name.string(), ": no folder for the page can be written: ",
                                     folder, ": ", why, "; name a file with -o FILE"));
  }
  return (fs::path(folder) / name).string();
}

}  // namespace infer
