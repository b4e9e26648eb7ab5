// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "ir/base/strings.h"
#include "tests/tools/serve/http/raw_client.h"
#include "tests/tools/serve/http/test_server.h"

namespace infer::http {
namespace {

using ::testing::HasSubstr;

struct PemFiles {
  std::string certificate, key;
};

// Writes a key and a certificate that it signs itself.
PemFiles MakePemFiles(const std::string& name) {
  const std::string base = StrCat(::testing::TempDir(), "/infer_http_", getpid(), "_", name);
  const PemFiles files = {base + "_cert.pem", base + "_key.pem"};
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(certificate, subject);
  X509_sign(certificate, key, EVP_sha256());
  FILE* out = std::fopen(files.certificate.c_str(), "w");
  PEM_write_X509(out, certificate);
  std::fclose(out);
  out = std::fopen(files.key.c_str(), "w");
  PEM_write_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(out);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return files;
}

// A client of OpenSSL's own, blocking.
class TlsClient {
 public:
  TlsClient(int port, const std::string& trusted, int max_version = TLS1_3_VERSION)
      : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
    SSL_CTX_load_verify_locations(context_.get(), trusted.c_str(), nullptr);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context_.get(), max_version);
    bio_.reset(BIO_new_ssl_connect(context_.get()));
    BIO_set_conn_hostname(bio_.get(), StrCat("127.0.0.1:", port).c_str());
    SSL* ssl = nullptr;
    BIO_get_ssl(bio_.get(), &ssl);
    static constexpr unsigned char kProtocols[] = "\x02h2\x08http/1.1";
    SSL_set_alpn_protos(ssl, kProtocols, sizeof(kProtocols) - 1);
    is_connected_ = BIO_do_connect(bio_.get()) == 1;
    const unsigned char* protocol = nullptr;
    unsigned length = 0;
    SSL_get0_alpn_selected(ssl, &protocol, &length);
    protocol_.assign(reinterpret_cast<const char*>(protocol), length);
  }

  bool is_connected() const { return is_connected_; }
  const std::string& protocol() const { return protocol_; }
  void Send(const std::string& text) {
    BIO_write(bio_.get(), text.data(), static_cast<int>(text.size()));
  }
  RawAnswer ReadAnswer() {
    char buffer[16 << 10];
    while (true) {
      std::string rest = received_;
      RawAnswer answer = TakeAnswer(&rest, "GET", false);
      if (answer.is_complete) {
        received_ = rest;
        return answer;
      }
      const int bytes = BIO_read(bio_.get(), buffer, sizeof(buffer));
      if (bytes <= 0) return answer;
      received_.append(buffer, static_cast<size_t>(bytes));
    }
  }
  // Whether the server ends the connection, and properly.
  bool EndsCleanly() {
    char buffer[16];
    SSL* ssl = nullptr;
    BIO_get_ssl(bio_.get(), &ssl);
    return BIO_read(bio_.get(), buffer, sizeof(buffer)) <= 0 &&
           (SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN) != 0;
  }

 private:
  struct FreeBio {
    void operator()(BIO* bio) const { BIO_free_all(bio); }
  };
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<BIO, FreeBio> bio_ = {};
  bool is_connected_ = false;
  std::string protocol_ = {}, received_ = {};
};

class HttpTls : public ::testing::Test {
 protected:
  const PemFiles files_ = MakePemFiles("good");
  // A handshake may take any time.
  ServerOptions options_ = {
      .tls_certificate = files_.certificate, .tls_key = files_.key, .header_seconds = kNever};
};

TEST_F(HttpTls, ServesRequestsAndStreams) {
  TestServer server(options_);
  for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient client(server.port(), files_.certificate, version);
    ASSERT_TRUE(client.is_connected());
    EXPECT_EQ(client.protocol(), "http/1.1");
    client.Send(RequestText("POST", "/echo", std::string(100'000, 'x')));
    EXPECT_EQ(client.ReadAnswer().body, std::string(100'000, 'x'));
    client.Send(RequestText("GET", "/stream?1000"));
    EXPECT_GT(client.ReadAnswer().body.size(), 10'000u);
    client.Send(RequestText("GET", "/hello", "", "Connection: close\r\n"));
    EXPECT_EQ(client.ReadAnswer().body, "hello");
    EXPECT_TRUE(client.EndsCleanly());
  }
}

TEST_F(HttpTls, NoticesClientsThatLeave) {
  TestServer server(options_);
  std::atomic<int> closed = 0;
  {
    TlsClient client(server.port(), files_.certificate);
    client.Send(RequestText("GET", "/hold"));
    auto responder = server.handler().WaitForHeld();
    ASSERT_NE(responder, nullptr);
    responder->OnClosed([&] { ++closed; });
    responder->StartStream("text/event-stream", {});
  }
  EXPECT_TRUE(WaitUntil([&] { return closed == 1; }));
}

TEST_F(HttpTls, RefusesOldVersionsAndOtherProtocols) {
  TestServer server(options_);
  EXPECT_FALSE(TlsClient(server.port(), files_.certificate, TLS1_1_VERSION).is_connected());
  RawClient plain = RawClient::Tcp(server.port());
  plain.Send(RequestText("GET", "/hello"));
  EXPECT_TRUE(plain.ReadToEnd());
  EXPECT_TRUE(WaitUntil([&] { return server.counts().open_connections == 0; }));
}

TEST_F(HttpTls, GivesUpAHandshakeThatStops) {
  options_.header_seconds = 0.3;
  TestServer server(options_);
  RawClient slow = RawClient::Tcp(server.port());
  slow.Send("\x16\x03\x01");
  EXPECT_TRUE(slow.ReadToEnd());
  EXPECT_EQ(server.counts().read_timeouts, 1u);
  EXPECT_TRUE(WaitUntil([&] { return server.counts().open_connections == 0; }));
}

TEST_F(HttpTls, NamesTheFileThatCannotBeUsed) {
  TestHandler handler;
  ServerOptions options = options_;
  options.port = 0;
  options.tls_certificate = "/no/such/file.pem";
  EXPECT_THAT(Server::Create(options, &handler).status().message(), HasSubstr("/no/such/file.pem"));
  options.tls_certificate = files_.key;
  EXPECT_THAT(Server::Create(options, &handler).status().message(), HasSubstr("TLS certificate"));
  options.tls_certificate = files_.certificate;
  options.tls_key = MakePemFiles("other").key;
  EXPECT_THAT(Server::Create(options, &handler).status().message(), HasSubstr("TLS key"));
}

TEST_F(HttpTls, ReadsTheCertificateAgain) {
  const auto copy = [](const std::string& from, const std::string& to) {
    std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
  };
  const PemFiles used = MakePemFiles("used");
  options_.tls_certificate = used.certificate;
  options_.tls_key = used.key;
  TestServer server(options_);
  const auto accepts = [&](const PemFiles& trusted) {
    return TlsClient(server.port(), trusted.certificate).is_connected();
  };
  const PemFiles first = MakePemFiles("first"), second = MakePemFiles("second");
  copy(used.certificate, first.certificate);
  TlsClient before(server.port(), first.certificate);
  ASSERT_TRUE(before.is_connected());

  copy(second.certificate, used.certificate);
  EXPECT_THAT(server.server().ReloadCertificate().message(), HasSubstr("TLS key"));
  EXPECT_TRUE(accepts(first));
  copy(second.key, used.key);
  EXPECT_TRUE(server.server().ReloadCertificate().ok());
  EXPECT_TRUE(WaitUntil([&] { return accepts(second); }));
  EXPECT_FALSE(accepts(first));

  std::ofstream(used.certificate) << "no certificate";
  EXPECT_THAT(server.server().ReloadCertificate().message(), HasSubstr(used.certificate));
  EXPECT_TRUE(accepts(second));
  before.Send(RequestText("GET", "/hello"));
  EXPECT_EQ(before.ReadAnswer().body, "hello");
}

}  // namespace
}  // namespace infer::http
