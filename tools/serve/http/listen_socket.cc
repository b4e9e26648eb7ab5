// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/listen_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "ir/base/strings.h"

namespace infer::http {
namespace {

constexpr int kBacklog = 1024;

std::string ErrorText() { return std::strerror(errno); }

void SetOption(int fd, int level, int name, int value) {
  setsockopt(fd, level, name, &value, sizeof(value));
}

void SetCloseOnExec(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }

// Whether a server accepts connections at the unix socket `address`.
bool IsListening(const sockaddr_un& address) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return true;
  const bool connected =
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  const bool is_refused = !connected && errno == ECONNREFUSED;
  close(fd);
  return !is_refused;
}

absl::Status RemoveStaleSocket(const std::string& path, const sockaddr_un& address) {
  struct stat info = {};
  if (lstat(path.c_str(), &info) != 0) return absl::OkStatus();
  if (!S_ISSOCK(info.st_mode)) {
    return absl::AlreadyExistsError(
        StrCat("'", path, "' exists and is not a socket; give another path or remove it"));
  }
  if (IsListening(address)) {
    return absl::AlreadyExistsError(
        StrCat("another server listens on '", path, "'; stop it or give another path"));
  }
  unlink(path.c_str());
  return absl::OkStatus();
}

}  // namespace

ListenSocket::ListenSocket(ListenSocket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      address_family_(other.address_family_),
      port_(other.port_),
      unlink_path_(std::exchange(other.unlink_path_, {})),
      device_(other.device_),
      inode_(other.inode_) {}

ListenSocket::~ListenSocket() {
  if (fd_ >= 0) close(fd_);
  struct stat info = {};
  // Another server may have put its own socket there meanwhile.
  if (!unlink_path_.empty() && lstat(unlink_path_.c_str(), &info) == 0 && info.st_dev == device_ &&
      info.st_ino == inode_) {
    unlink(unlink_path_.c_str());
  }
}

absl::StatusOr<ListenSocket> ListenSocket::OpenTcp(const std::string& host, int port) {
  if (port < 0 || port > 65535) {
    return absl::InvalidArgumentError(StrCat("port must be 0 to 65535, got ", port));
  }
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string service = StrCat(port);
  const int failure =
      getaddrinfo(host.empty() ? nullptr : host.c_str(), service.c_str(), &hints, &found);
  if (failure == EAI_MEMORY) {
    return absl::ResourceExhaustedError(
        StrCat("not enough memory to resolve the address '", host, "' to listen on"));
  }
  if (failure != 0) {
    return absl::InvalidArgumentError(StrCat("cannot resolve the address '", host,
                                             "' to listen on: ", gai_strerror(failure),
                                             "; use e.g. 127.0.0.1 or 0.0.0.0"));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  ListenSocket result(socket(found->ai_family, SOCK_STREAM, 0), found->ai_family);
  if (result.fd_ < 0) return absl::UnavailableError(StrCat("cannot make a socket: ", ErrorText()));
  SetCloseOnExec(result.fd_);
  SetOption(result.fd_, SOL_SOCKET, SO_REUSEADDR, 1);
  if (found->ai_family == AF_INET6) SetOption(result.fd_, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (bind(result.fd_, found->ai_addr, found->ai_addrlen) != 0 ||
      listen(result.fd_, kBacklog) != 0) {
    return absl::UnavailableError(StrCat("cannot listen on ", host, " port ", port, ": ",
                                         ErrorText(), "; choose another port with --port"));
  }
  sockaddr_storage bound = {};
  socklen_t length = sizeof(bound);
  getsockname(result.fd_, reinterpret_cast<sockaddr*>(&bound), &length);
  result.port_ =
      ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                                        : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
  return result;
}

absl::StatusOr<ListenSocket> ListenSocket::OpenUnix(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(StrCat("the path of the unix socket '", path, "' has ",
                                             path.size(), " characters; at most ",
                                             sizeof(address.sun_path) - 1, " are possible"));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size());
  if (absl::Status status = RemoveStaleSocket(path, address); !status.ok()) return status;
  ListenSocket result(socket(AF_UNIX, SOCK_STREAM, 0), AF_UNIX);
  if (result.fd_ < 0) return absl::UnavailableError(StrCat("cannot make a socket: ", ErrorText()));
  SetCloseOnExec(result.fd_);
  // Set before the file exists: there is no moment at which others may connect.
  const mode_t old_mask = umask(0177);
  const int failure = bind(result.fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  umask(old_mask);
  if (failure != 0 || listen(result.fd_, kBacklog) != 0) {
    return absl::UnavailableError(
        StrCat("cannot listen on the unix socket '", path, "': ", ErrorText()));
  }
  struct stat info = {};
  if (lstat(path.c_str(), &info) == 0) {
    result.unlink_path_ = path;
    result.device_ = info.st_dev;
    result.inode_ = info.st_ino;
  }
  return result;
}

Peer PeerOf(int fd) {
  sockaddr_storage address = {};
  socklen_t length = sizeof(address);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {"unknown", ""};
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text, sizeof(text));
    return {text, text};
  }
  if (address.ss_family != AF_INET6) return {"unix", ""};
  const in6_addr& v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    inet_ntop(AF_INET, v6.s6_addr + 12, text, sizeof(text));
    return {text, text};
  }
  inet_ntop(AF_INET6, &v6, text, sizeof(text));
  // One client usually has a whole /64 to choose addresses from.
  return {text, std::string(reinterpret_cast<const char*>(v6.s6_addr), 8)};
}

void SetConnectionOptions(int fd, double timeout_seconds) {
  SetCloseOnExec(fd);
  SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_USER_TIMEOUT
  SetOption(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(timeout_seconds * 1000));
#endif
#ifdef TCP_KEEPIDLE
  SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, std::max(1, static_cast<int>(timeout_seconds / 2)));
  SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, std::max(1, static_cast<int>(timeout_seconds / 6)));
  SetOption(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
#endif
}

void RaiseFileLimit(int connections) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = static_cast<rlim_t>(connections) + 256;  // models, logs, libraries
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? wanted : std::min(wanted, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace infer::http
