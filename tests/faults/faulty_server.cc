// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/faulty_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace infer {

FaultyServer::FaultyServer(const std::string& fault) {
  int ends[2];
  if (pipe(ends) != 0) {
    ADD_FAILURE() << "no pipe";
    return;
  }
  pid_ = fork();
  if (pid_ == 0) Exec(fault, ends[1]);
  close(ends[1]);
  out_ = ends[0];
  std::string url;
  for (char c = 0; read(out_, &c, 1) == 1 && c != '\n';) url += c;
  if (const size_t colon = url.rfind(':'); colon != std::string::npos) {
    port_ = std::atoi(url.c_str() + colon + 1);
  }
}

FaultyServer::~FaultyServer() {
  if (pid_ > 0) End();
}

void FaultyServer::Exec(const std::string& fault, int out) const {
  setenv("LD_PRELOAD", INFER_BIN_DIR "/libfault_injector.so", 1);
  setenv("INFER_TEST_FAULT", fault.c_str(), 1);
  setenv("INFER_TEST_FAULT_LOG", dir_.Path("log").c_str(), 1);
  setenv("INFER_TEST_FAULT_END", dir_.Path("end").c_str(), 1);
  dup2(out, STDOUT_FILENO);
  dup2(open(dir_.Path("err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  // One thread to compute, so that the first that starts is the one that runs requests.
  execl(INFER_BIN_DIR "/infer-serve", "infer-serve", "-q", "--port", "0", "-t", "1", nullptr);
  _exit(99);
}

bool FaultyServer::has_failed() const { return !ReadFile(dir_.Path("log")).empty(); }

Served FaultyServer::End() {
  if (pid_ <= 0) return {};
  close(open(dir_.Path("end").c_str(), O_WRONLY | O_CREAT, 0600));
  if (port_ != 0) kill(pid_, SIGTERM);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  close(out_);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          ReadFile(dir_.Path("err"))};
}

}  // namespace infer
