// SPDX-License-Identifier: Apache-2.0
#include "runtime/replacement_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".tmp";
// Younger files are left alone: their process may be about to lock them.
constexpr std::chrono::minutes kLeastAge{1};

std::string FolderOf(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string RandomName(const std::string& path) {
  std::random_device random;
  const uint64_t number = uint64_t{random()} << 32 | random();
  return StrCat(path, absl::StrFormat(".%016x", number), kEnding);
}

bool IsAbandoned(const fs::path& path) {
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(path, error);
  if (error || fs::file_time_type::clock::now() - written < kLeastAge) return false;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  struct stat info = {};
  const bool abandoned =
      fstat(file, &info) == 0 && S_ISREG(info.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0;
  close(file);
  return abandoned;
}

// Removes temporary files of `path` whose process was killed.
void RemoveAbandoned(const std::string& path) {
  const std::string start = fs::path(path).filename().string() + ".";
  std::error_code error;
  for (fs::directory_iterator it(FolderOf(path), error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(start) || !name.ends_with(kEnding)) continue;
    std::error_code ignored;
    if (IsAbandoned(it->path())) fs::remove(it->path(), ignored);
  }
}

// Returns a descriptor of a file without a name, or -1.
int OpenNameless(const std::string& folder) {
#if defined(O_TMPFILE)
  // Needed to give it a name later.
  if (access("/proc/self/fd", X_OK) != 0) return -1;
  return open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
#else
  static_cast<void>(folder);
  return -1;
#endif
}

}  // namespace

absl::StatusOr<ReplacementFile> ReplacementFile::Create(const std::string& path) {
  RemoveAbandoned(path);
  ReplacementFile file(path);
  file.descriptor_ = OpenNameless(FolderOf(path));
  if (file.descriptor_ < 0) return CreateNamed(path);
  return file;
}

absl::StatusOr<ReplacementFile> ReplacementFile::CreateNamed(const std::string& path) {
  ReplacementFile file(path);
  const std::string name = RandomName(path);
  file.descriptor_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file.descriptor_ < 0) return file.Error("cannot be created");
  file.temporary_ = name;
  flock(file.descriptor_, LOCK_EX | LOCK_NB);  // without locks, the file's age must do
  return file;
}

ReplacementFile::ReplacementFile(ReplacementFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

ReplacementFile::~ReplacementFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
  if (descriptor_ >= 0) close(descriptor_);
}

absl::Status ReplacementFile::Write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(descriptor_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return Error("cannot be written");
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return absl::OkStatus();
}

// A link cannot replace a file, a rename can: the file gets its random name just before.
absl::Status ReplacementFile::Commit() {
  if (temporary_.empty()) {
    const std::string name = RandomName(path_);
    RETURN_IF_ERROR(LinkAs(name));
    temporary_ = name;
  }
  // Closed first: some file systems report write errors only then.
  if (close(std::exchange(descriptor_, -1)) != 0) return Error("cannot be written");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return Error("cannot be replaced");
  temporary_.clear();
  return absl::OkStatus();
}

absl::Status ReplacementFile::LinkAs(const std::string& name) {
  const std::string open_file = StrCat("/proc/self/fd/", descriptor_);
  if (linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
    return absl::OkStatus();
  }
  return Error("cannot be created");
}

absl::Status ReplacementFile::Error(const char* what) const {
  return absl::UnavailableError(StrCat(path_, ": ", what, ": ", std::strerror(errno)));
}

}  // namespace infer
