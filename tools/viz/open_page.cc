// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/open_page.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "absl/strings/str_split.h"
#include "ir/base/strings.h"

extern char** environ;

namespace infer {
namespace {

#ifdef __APPLE__
constexpr std::string_view kOpener = "open";
#else
constexpr std::string_view kOpener = "xdg-open";
#endif

// An opener reports failure within a fraction of a second. One that is still running after this
// time has become the browser itself, which is not waited for.
constexpr std::chrono::milliseconds kPatience{2000};
constexpr std::chrono::milliseconds kBetweenLooks{20};

std::string FindOpener(std::string_view search_path) {
  for (absl::string_view folder : absl::StrSplit(ToAbsl(search_path), ':', absl::SkipEmpty())) {
    const std::filesystem::path path = std::filesystem::path(std::string(folder)) / kOpener;
    if (::access(path.c_str(), X_OK) == 0) return path.string();
  }
  return "";
}

// Discards the opener's output: our own message names the page. Returns 0 if it was not started.
pid_t Start(const std::string& opener, const std::string& page) {
  posix_spawn_file_actions_t files;
  if (posix_spawn_file_actions_init(&files) != 0) return 0;
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name = opener, argument = page;
  char* const arguments[] = {name.data(), argument.data(), nullptr};
  pid_t pid = 0;
  const int error = posix_spawn(&pid, opener.c_str(), &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  return error == 0 ? pid : 0;
}

bool Succeeds(pid_t pid) {
  for (auto waited = kBetweenLooks; waited < kPatience; waited += kBetweenLooks) {
    int status = 0;
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ended < 0) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return true;
}

}  // namespace

absl::Status OpenPage(const std::string& page, std::string_view search_path) {
  // An absolute path cannot be mistaken for a flag.
  std::error_code error;
  const std::string path = std::filesystem::absolute(page, error).string();
  if (error) return absl::UnknownError(StrCat(page, ": ", error.message()));
  const std::string opener = FindOpener(search_path);
  if (opener.empty()) {
    return absl::NotFoundError(
        StrCat("the page is ", path, "; found no ", kOpener, " to show it with"));
  }
  const pid_t pid = Start(opener, path);
  if (pid == 0 || !Succeeds(pid)) {
    return absl::UnknownError(StrCat("the page is ", path, "; ", opener, " could not show it"));
  }
  return absl::OkStatus();
}

}  // namespace infer
