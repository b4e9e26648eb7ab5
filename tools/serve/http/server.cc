// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/server.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/serve/http/api_keys.h"
#include "tools/serve/http/connection.h"
#include "tools/serve/http/io_loop.h"
#include "tools/serve/http/listen_socket.h"
#include "tools/serve/http/listener.h"
#include "tools/serve/http/request_rules.h"
#include "tools/serve/http/stream.h"

namespace infer::http {
namespace {

// Deadlines are checked this often, all in one go: cheaper than a timer per connection, and nobody
// needs them to the millisecond.
constexpr double kSweepSeconds = 0.1;
// Connections above a limit that are told so at the same time; more are only closed.
constexpr size_t kMaxRefusedAtOnce = 64;

absl::Status CheckOptions(const ServerOptions& options) {
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    return absl::InvalidArgumentError("TLS needs both a certificate and a key");
  }
  if (options.max_header_bytes < 256 || options.max_connections < 1 ||
      options.max_connections_per_address < 1 || options.max_unsent_bytes < 1) {
    return absl::InvalidArgumentError(
        "limits of the server: at least 256 bytes of headers, 1 connection, 1 unsent byte");
  }
  for (double seconds : {options.header_seconds, options.body_seconds, options.idle_seconds,
                         options.unsent_seconds, options.drain_grace_seconds}) {
    if (!(seconds >= 0 && seconds <= 1e6)) {
      return absl::InvalidArgumentError(
          StrCat("times of the server must be 0 to 1000000 seconds, got ", seconds));
    }
  }
  return absl::OkStatus();
}

}  // namespace

class Server::Impl {
 public:
  Impl(const ServerOptions& options, Handler* handler)
      : options_(options),
        handler_(handler),
        keys_(options.keys_file),
        rules_(options_, handler, &keys_),
        context_{.options = options_,
                 .handler = handler,
                 .rules = rules_,
                 .counters = &counters_,
                 .budget = BodyBudget(options.max_bodies_bytes),
                 .on_closed = [this](Connection* connection) { Forget(connection); }} {
    context_.poster = loop_.poster();
  }

  ~Impl() {
    listener_.reset();
    AbortAll();
  }

  absl::Status Init() {
    RETURN_IF_ERROR(CheckOptions(options_));
    RETURN_IF_ERROR(keys_.Load());
    if (!options_.tls_key.empty()) {
      ASSIGN_OR_RETURN(tls_, TlsContext::Load(options_.tls_certificate, options_.tls_key));
    }
    ASSIGN_OR_RETURN(ListenSocket socket, options_.unix_socket.empty()
                                              ? ListenSocket::OpenTcp(options_.host, options_.port)
                                              : ListenSocket::OpenUnix(options_.unix_socket));
    RaiseFileLimit(options_.max_connections);
    port_ = socket.port();
    listener_ = std::make_unique<Listener>(
        &loop_, std::move(socket), [this](int fd) { Accept(fd); }, &counters_.accept_failures);
    listener_->Start();
    return absl::OkStatus();
  }

  void Run() { loop_.Run(); }

  void Drain(double seconds) {
    loop_.poster()->Post([this, seconds] { BeginDrain(seconds); });
  }

  absl::Status ReloadKeys() { return keys_.Load(); }
  absl::Status ReloadCertificate() {
    if (options_.tls_key.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(std::shared_ptr<TlsContext> tls,
                     TlsContext::Load(options_.tls_certificate, options_.tls_key));
    loop_.poster()->Post([this, tls = std::move(tls)] { tls_ = tls; });
    return absl::OkStatus();
  }
  const Counters& counters() const { return counters_; }
  int port() const { return port_; }

 private:
  struct Entry {
    std::shared_ptr<Connection> connection;
    bool is_refused = false;
  };

  void Accept(int fd) {
    SetConnectionOptions(fd, options_.unsent_seconds);
    Peer peer = PeerOf(fd);
    auto stream = MakeStream(&loop_, fd, listener_->address_family(), tls_.get());
    if (stream == nullptr) return;
    ++counters_.accepted_connections;
    const bool is_refused = IsFull(peer);
    if (is_refused) {
      ++counters_.refused_connections;
      // Telling it costs a handshake with TLS.
      if (refused_ >= kMaxRefusedAtOnce || tls_ != nullptr) return;
      ++refused_;
    } else if (!peer.group.empty()) {
      ++connections_per_group_[peer.group];
    }
    auto connection = std::make_shared<Connection>(&context_, std::move(stream), std::move(peer));
    connections_[connection.get()] = {.connection = connection, .is_refused = is_refused};
    counters_.open_connections = connections_.size();
    if (!is_sweeping_) Sweep();
    is_refused ? connection->StartRefused() : connection->Start();
  }

  bool IsFull(const Peer& peer) const {
    if (connections_.size() - refused_ >= static_cast<size_t>(options_.max_connections))
      return true;
    const auto group = connections_per_group_.find(peer.group);
    return group != connections_per_group_.end() &&
           group->second >= options_.max_connections_per_address;
  }

  void Forget(Connection* connection) {
    const auto found = connections_.find(connection);
    if (found == connections_.end()) return;
    const std::string& group = connection->peer().group;
    if (found->second.is_refused) {
      --refused_;
    } else if (!group.empty() && --connections_per_group_[group] == 0) {
      connections_per_group_.erase(group);
    }
    connections_.erase(found);
    counters_.open_connections = connections_.size();
    if (context_.is_draining && connections_.empty()) loop_.Stop();
  }

  // Connections leave the map while they are told something.
  std::vector<std::shared_ptr<Connection>> AllConnections() const {
    std::vector<std::shared_ptr<Connection>> all;
    all.reserve(connections_.size());
    for (const auto& [pointer, entry] : connections_) all.push_back(entry.connection);
    return all;
  }

  void Sweep() {
    is_sweeping_ = !connections_.empty();
    if (!is_sweeping_) return;
    const auto now = Connection::Clock::now();
    for (const auto& connection : AllConnections()) connection->CheckDeadline(now);
    loop_.RunAfter(kSweepSeconds, [this] { Sweep(); });
  }

  void AbortAll() {
    for (const auto& connection : AllConnections()) connection->Abort();
  }

  void BeginDrain(double seconds) {
    listener_.reset();
    context_.is_draining = true;
    for (const auto& connection : AllConnections()) connection->Drain();
    if (connections_.empty()) return loop_.Stop();
    loop_.RunAfter(std::max(0.0, seconds), [this] {
      if (std::exchange(has_drained_, true)) return;
      handler_->OnDrainEnd();
      loop_.RunAfter(options_.drain_grace_seconds, [this] {
        AbortAll();
        loop_.Stop();
      });
    });
  }

  const ServerOptions options_;
  Handler* const handler_;
  KeyStore keys_;
  const RequestRules rules_;
  Counters counters_ = {};
  std::shared_ptr<TlsContext> tls_ = {};  // of the I/O thread
  ConnectionContext context_;
  // After what connections use: the end of the loop destroys callbacks that hold the last ones.
  IoLoop loop_ = {};
  std::unordered_map<std::string, int> connections_per_group_ = {};
  std::unique_ptr<Listener> listener_ = {};
  std::unordered_map<Connection*, Entry> connections_ = {};
  size_t refused_ = 0;
  bool is_sweeping_ = false;
  bool has_drained_ = false;
  int port_ = 0;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

absl::StatusOr<std::unique_ptr<Server>> Server::Create(const ServerOptions& options,
                                                       Handler* handler) {
  auto impl = std::make_unique<Impl>(options, handler);
  RETURN_IF_ERROR(impl->Init());
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

absl::Status Server::Run() {
  impl_->Run();
  return absl::OkStatus();
}

void Server::Drain(double seconds) { impl_->Drain(seconds); }
absl::Status Server::ReloadKeys() { return impl_->ReloadKeys(); }
absl::Status Server::ReloadCertificate() { return impl_->ReloadCertificate(); }
int Server::port() const { return impl_->port(); }

ServerCounts Server::counts() const {
  const Counters& counters = impl_->counters();
  return {.open_connections = counters.open_connections,
          .accepted_connections = counters.accepted_connections,
          .refused_connections = counters.refused_connections,
          .accept_failures = counters.accept_failures,
          .requests = counters.requests,
          .refused_requests = counters.refused_requests,
          .unauthorized_requests = counters.unauthorized_requests,
          .read_timeouts = counters.read_timeouts,
          .write_timeouts = counters.write_timeouts,
          .lost_clients = counters.lost_clients};
}

}  // namespace infer::http
