// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/stream.h"

#include <openssl/ssl.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "ir/base/strings.h"
#include "tools/serve/http/io_loop.h"

namespace infer::http {
namespace {

namespace asio = boost::asio;
using Error = boost::system::error_code;
using Socket = asio::generic::stream_protocol::socket;

std::array<asio::const_buffer, 3> ToAsio(const Stream::Buffers& buffers) {
  std::array<asio::const_buffer, 3> result;
  for (size_t i = 0; i < buffers.size(); ++i) {
    result[i] = asio::const_buffer(buffers[i].data(), buffers[i].size());
  }
  return result;
}

class PlainStream final : public Stream {
 public:
  PlainStream(Socket socket, IoLoop* loop) : loop_(loop), socket_(std::move(socket)) {
    Error ignored;
    socket_.non_blocking(true, ignored);
  }

  void Handshake(Done done) override {
    loop_->poster()->Post([done = std::move(done)] { done(true); });
  }

  // Waits without a buffer, so that a connection that only waits costs no memory for one.
  void Read(ReadDone done) override {
    socket_.async_wait(Socket::wait_read, [this, done = std::move(done)](const Error& waited) {
      if (waited) return done({});
      Error error;
      const std::span<char> scratch = loop_->scratch();
      const size_t bytes = socket_.read_some(asio::buffer(scratch.data(), scratch.size()), error);
      if (error == asio::error::would_block) return Read(done);
      done(error ? std::string_view() : std::string_view(scratch.data(), bytes));
    });
  }

  void Write(const Buffers& buffers, Done done) override {
    asio::async_write(socket_, ToAsio(buffers),
                      [done = std::move(done)](const Error& error, size_t) { done(!error); });
  }

  void ShutdownSend(Done done) override {
    Error error;
    socket_.shutdown(Socket::shutdown_send, error);
    loop_->poster()->Post([done = std::move(done), ok = !error] { done(ok); });
  }

  void Close() override {
    Error ignored;
    socket_.close(ignored);
  }

 private:
  IoLoop* const loop_;
  Socket socket_;
};

class TlsStream final : public Stream {
 public:
  // OpenSSL counts who uses a context; the stream keeps nothing else of it.
  TlsStream(Socket socket, asio::ssl::context& context) : stream_(std::move(socket), context) {}

  void Handshake(Done done) override {
    stream_.async_handshake(asio::ssl::stream_base::server,
                            [done = std::move(done)](const Error& error) { done(!error); });
  }

  void Read(ReadDone done) override {
    stream_.async_read_some(
        asio::buffer(buffer_), [this, done = std::move(done)](const Error& error, size_t bytes) {
          done(error ? std::string_view() : std::string_view(buffer_.data(), bytes));
        });
  }

  void Write(const Buffers& buffers, Done done) override {
    asio::async_write(stream_, ToAsio(buffers),
                      [done = std::move(done)](const Error& error, size_t) { done(!error); });
  }

  void ShutdownSend(Done done) override {
    stream_.async_shutdown([done = std::move(done)](const Error& error) { done(!error); });
  }

  void Close() override {
    Error ignored;
    stream_.lowest_layer().close(ignored);
  }

 private:
  asio::ssl::stream<Socket> stream_;
  std::array<char, 4096> buffer_ = {};
};

// Chooses HTTP/1.1 for clients that ask which protocols there are.
int SelectHttp1(SSL*, const unsigned char** out, unsigned char* out_length, const unsigned char* in,
                unsigned in_length, void*) {
  static constexpr unsigned char kProtocols[] = "\x08http/1.1";
  unsigned char* selected = nullptr;
  const int result = SSL_select_next_proto(&selected, out_length, kProtocols,
                                           sizeof(kProtocols) - 1, in, in_length);
  *out = selected;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

struct TlsContext::State {
  asio::ssl::context context = asio::ssl::context(asio::ssl::context::tls_server);
};

TlsContext::TlsContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsContext::~TlsContext() = default;

absl::StatusOr<std::unique_ptr<TlsContext>> TlsContext::Load(const std::string& certificate_path,
                                                             const std::string& key_path) {
  auto state = std::make_unique<State>();
  SSL_CTX* context = state->context.native_handle();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(
      context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Less memory for connections that wait, and none for sessions that have ended.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, SelectHttp1, nullptr);
  Error error;
  state->context.use_certificate_chain_file(certificate_path, error);
  if (error) {
    return absl::InvalidArgumentError(StrCat("cannot use the TLS certificate '", certificate_path,
                                             "': ", error.message(), "; it must be a PEM file"));
  }
  state->context.use_private_key_file(key_path, asio::ssl::context::pem, error);
  if (error || SSL_CTX_check_private_key(context) != 1) {
    return absl::InvalidArgumentError(
        StrCat("cannot use the TLS key '", key_path,
               "': ", error ? error.message() : "it does not belong to the certificate",
               "; it must be an unencrypted PEM file"));
  }
  return std::unique_ptr<TlsContext>(new TlsContext(std::move(state)));
}

std::unique_ptr<Stream> MakeStream(IoLoop* loop, int fd, int address_family, TlsContext* tls) {
  Socket socket(loop->context());
  Error error;
  socket.assign(asio::generic::stream_protocol(address_family, 0), fd, error);
  if (error) {
    close(fd);
    return nullptr;
  }
  if (tls == nullptr) return std::make_unique<PlainStream>(std::move(socket), loop);
  return std::make_unique<TlsStream>(std::move(socket), tls->state().context);
}

}  // namespace infer::http
