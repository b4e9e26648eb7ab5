// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/write_all.h"

namespace infer {
namespace {

// Returns where a write to `path` lands: the end of its symbolic links if there is a file, else
// `path`.
std::string ResolveLinks(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) != nullptr ? resolved : path;
}

// Unique among processes by pid and within one by a counter; O_EXCL catches a stale leftover.
std::string TempPathFor(const std::string& target, int attempt) {
  static std::atomic<int> counter{0};
  std::filesystem::path path(target);
  std::string name = StrCat(".", path.filename().string(), ".tmp-", getpid(), "-",
                            counter.fetch_add(1), "-", attempt);
  return (path.parent_path() / name).string();
}

absl::Status SyncDirectoryOf(const std::string& target) {
  std::string directory = std::filesystem::path(target).parent_path().string();
  int fd = open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return absl::OkStatus();  // a directory that we may write to but not read
  int result = fsync(fd);
  int error = errno;
  close(fd);
  // Some file systems cannot sync a directory and say so with EINVAL.
  if (result != 0 && error != EINVAL) return IoError(target, "sync of its directory", error);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<AtomicFile>> AtomicFile::Create(std::string_view path,
                                                               ProductOutput* product) {
  bool to_stdout = path == "-";
  std::unique_ptr<AtomicFile> file(
      new AtomicFile(std::string(path), to_stdout ? product : nullptr));
  if (!to_stdout) RETURN_IF_ERROR(file->Open());
  return file;
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) close(fd_);
  if (!temp_path_.empty()) unlink(temp_path_.c_str());
}

absl::Status AtomicFile::Open() {
  if (path_.empty()) return absl::FailedPreconditionError("output file: the name is empty");
  struct stat existing;
  bool exists = stat(path_.c_str(), &existing) == 0;
  if (exists && S_ISDIR(existing.st_mode)) {
    return absl::FailedPreconditionError(
        StrCat(path_, ": is a directory; give the name of a file in it"));
  }
  if (exists && !S_ISREG(existing.st_mode)) {
    // Renaming over /dev/null would replace the device.
    fd_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    return fd_ >= 0 ? absl::OkStatus() : IoError(path_, "open for writing", errno);
  }
  RETURN_IF_ERROR(OpenTemp(ResolveLinks(path_)));
  if (exists) fchmod(fd_, existing.st_mode & 07777);
  return absl::OkStatus();
}

absl::Status AtomicFile::OpenTemp(const std::string& target) {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string temp = TempPathFor(target, attempt);
    // Registered before the file exists, so that no signal can arrive between the two.
    registration_.emplace(temp);
    fd_ = open(temp.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ >= 0) {
      target_ = target;
      temp_path_ = temp;
      return absl::OkStatus();
    }
    registration_.reset();
    if (errno != EEXIST) break;
  }
  return IoError(path_, "creating a temporary file beside it", errno);
}

absl::Status AtomicFile::Write(std::string_view bytes) {
  if (product_ != nullptr) return product_->Write(bytes);
  if (buffer_.size() + bytes.size() > kBufferBytes) {
    RETURN_IF_ERROR(Flush());
    if (bytes.size() > kBufferBytes) return WriteAll(fd_, bytes, path_);
  }
  buffer_ += bytes;
  return absl::OkStatus();
}

absl::Status AtomicFile::Flush() {
  RETURN_IF_ERROR(WriteAll(fd_, buffer_, path_));
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status AtomicFile::Commit() {
  if (product_ != nullptr) return product_->Flush();
  RETURN_IF_ERROR(Flush());
  if (!temp_path_.empty()) return SyncAndRename();
  int result = close(fd_);
  fd_ = -1;
  return result == 0 ? absl::OkStatus() : IoError(path_, "close", errno);
}

absl::Status AtomicFile::SyncAndRename() {
  if (fsync(fd_) != 0) return IoError(path_, "sync", errno);
  // Some network file systems report a full disk only here.
  int result = close(fd_);
  fd_ = -1;
  if (result != 0) return IoError(path_, "close", errno);
  if (rename(temp_path_.c_str(), target_.c_str()) != 0) return IoError(path_, "rename", errno);
  temp_path_.clear();
  registration_.reset();
  return SyncDirectoryOf(target_);
}

}  // namespace infer
