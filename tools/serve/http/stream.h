// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace infer::http {

// A connected socket, plain or with TLS. Used on the I/O thread alone; callbacks come from the
// loop, never from within the call. At most one read and one write at a time. Whoever holds a
// callback's captures keeps the stream alive.
class Stream {
 public:
  using Done = std::function<void(bool ok)>;
  // Empty bytes: the client has closed its side, or the connection failed.
  using ReadDone = std::function<void(std::string_view bytes)>;
  using Buffers = std::array<std::string_view, 3>;

  virtual ~Stream() = default;
  virtual void Handshake(Done done) = 0;
  virtual void Read(ReadDone done) = 0;
  // Writes all; the bytes must stay valid until `done`.
  virtual void Write(const Buffers& buffers, Done done) = 0;
  // Tells the client that nothing more comes; reading goes on.
  virtual void ShutdownSend(Done done) = 0;
  // Ends everything at once; callbacks are still called, with a failure.
  virtual void Close() = 0;
};

// Certificate and key of a TLS server.
class TlsContext {
 public:
  static absl::StatusOr<std::unique_ptr<TlsContext>> Load(const std::string& certificate_path,
                                                          const std::string& key_path);
  ~TlsContext();

  struct State;
  State& state() { return *state_; }

 private:
  explicit TlsContext(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class IoLoop;

// Takes over the connected socket `fd`. `tls` may be null, and may go before the stream does.
std::unique_ptr<Stream> MakeStream(IoLoop* loop, int fd, int address_family, TlsContext* tls);

}  // namespace infer::http
