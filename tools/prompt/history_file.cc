// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/history_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/api/input.h"
#include "tools/cli/atomic_file.h"
#include "tools/cli/write_all.h"

namespace infer {
namespace {

constexpr mode_t kOwnerOnly = 0600;
// What one run may add to a file of the largest size; a larger one was not written here.
constexpr uint64_t kMaxFileBytes = uint64_t{256} << 20;

std::string Line(std::string_view text) { return JsonText(text) + "\n"; }

std::vector<std::string> Entries(std::string_view bytes) {
  std::vector<std::string> entries;
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    const Json entry = ParseJson(bytes.substr(0, end));
    if (entry.is_string()) entries.push_back(entry.get<std::string>());
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return entries;
}

// Creates the folder of the file; what exists keeps its permissions.
void MakeFolder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (std::filesystem::exists(folder, error)) return;
  std::filesystem::create_directories(folder, error);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
}

}  // namespace

std::string HistoryPath(const EnvLookup& env) {
  const std::string state = env("XDG_STATE_HOME").value_or("");
  // The XDG base directory specification: a relative path is to be ignored.
  if (state.starts_with('/')) return state + "/infer/history";
  const std::string home = env("HOME").value_or("");
  return home.empty() ? "" : home + "/.local/state/infer/history";
}

absl::StatusOr<std::vector<std::string>> HistoryFile::Load() {
  if (std::error_code error; !std::filesystem::exists(path_, error)) {
    return std::vector<std::string>();
  }
  ASSIGN_OR_RETURN(const std::string bytes, ReadInput(path_, kMaxFileBytes));
  std::vector<std::string> entries = Entries(bytes);
  const bool grown = entries.size() > 2 * kMaxEntries || bytes.size() > 2 * kMaxBytes;
  size_t kept = 0;
  for (size_t sum = 0; kept < std::min(entries.size(), kMaxEntries); ++kept) {
    sum += entries[entries.size() - 1 - kept].size();
    if (sum > kMaxBytes) break;
  }
  entries.erase(entries.begin(), entries.end() - static_cast<ptrdiff_t>(kept));
  if (grown) RETURN_IF_ERROR(Replace(entries));
  return entries;
}

absl::Status HistoryFile::Replace(const std::vector<std::string>& entries) {
  // A file that exists keeps its permissions, which Append made those of the owner alone.
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, AtomicFile::Create(path_, nullptr));
  for (const std::string& entry : entries) RETURN_IF_ERROR(file->Write(Line(entry)));
  return file->Commit();
}

absl::Status HistoryFile::Append(std::string_view text) {
  if (text.size() > kMaxEntryBytes) return absl::OkStatus();
  MakeFolder(path_);
  const int fd = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kOwnerOnly);
  if (fd < 0) return IoError(path_, "open of the history", errno);
  fchmod(fd, kOwnerOnly);
  const absl::Status written = WriteAll(fd, Line(text), path_);
  close(fd);
  return written;
}

}  // namespace infer
