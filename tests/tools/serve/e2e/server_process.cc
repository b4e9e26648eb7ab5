// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/serve/e2e/server_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

extern char** environ;

namespace infer::serve {

ServerProcess::ServerProcess(const std::vector<std::string>& flags) {
  std::vector<std::string> args = {INFER_BIN_DIR "/infer-serve", "--port", "0"};
  args.insert(args.end(), flags.begin(), flags.end());
  std::vector<char*> pointers;
  for (std::string& arg : args) pointers.push_back(arg.data());
  pointers.push_back(nullptr);
  int ends[2];
  if (pipe(ends) != 0) {
    ADD_FAILURE() << "no pipe";
    return;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  const int spawned =
      posix_spawn(&pid_, args[0].c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  EXPECT_EQ(spawned, 0) << args[0];
  char c = 0;
  while (read(ends[0], &c, 1) == 1 && c != '\n') url_ += c;
  close(ends[0]);
  EXPECT_FALSE(url_.empty()) << "the server did not start";
  if (const size_t colon = url_.rfind(':'); colon != std::string::npos) {
    port_ = std::atoi(url_.c_str() + colon + 1);
  }
}

ServerProcess::~ServerProcess() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void ServerProcess::Signal(int number) const { kill(pid_, number); }

int ServerProcess::Wait() {
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

http::RawAnswer ServerProcess::Request(const std::string& method, const std::string& target,
                                       const std::string& body, const std::string& headers) const {
  http::RawClient client = http::RawClient::Tcp(port_);
  client.Send(http::RequestText(method, target, body, headers));
  return client.ReadAnswer(method);
}

}  // namespace infer::serve
