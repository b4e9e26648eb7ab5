// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/serve/http/hostile_cases.h"

#include <random>
#include <string_view>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "tests/tools/serve/http/hostile_requests.h"

namespace infer::http {
namespace {

using Manner = HostileCase::Manner;
using Cases = std::vector<HostileCase>;

void AddForbiddenBytes(Cases* cases) {
  for (int byte = 0; byte < 256; ++byte) {
    const bool is_control = byte < 0x20 || byte == 0x7f;
    const bool is_sampled = byte >= 0x80 && byte % 16 == 0;
    if (byte == '\n' || byte == '\r' || byte == '\t' || (!is_control && !is_sampled)) continue;
    const std::string c(1, static_cast<char>(byte));
    const std::string name = absl::StrFormat("byte %02x in ", byte);
    cases->push_back({name + "method", StrCat("GE", c, "T /hello HTTP/1.1\r\n", kHost, "\r\n")});
    cases->push_back({name + "target", Get(StrCat("/he", c, "llo"))});
    cases->push_back({name + "header name", Get("/hello", StrCat("X-", c, "y: 1\r\n"))});
    if (is_control) {
      cases->push_back({name + "header value", Get("/hello", StrCat("X-y: a", c, "b\r\n"))});
      cases->push_back({name + "version", StrCat("GET / HTTP/1.1", c, "\r\n", kHost, "\r\n")});
    }
  }
  for (char c : std::string_view("\"(),/;<=>?@[\\]{} \t")) {
    cases->push_back({absl::StrFormat("'%c' in a header name", c),
                      Get("/hello", StrCat("X", std::string(1, c), "Y: 1\r\n"))});
    cases->push_back({absl::StrFormat("'%c' before a colon", c),
                      Get("/hello", StrCat("X", std::string(1, c), ": 1\r\n"))});
  }
}

void AddRequestLines(Cases* cases) {
  const std::string rest = StrCat("\r\n", kHost, "\r\n");
  for (std::string line : {"",
                           " GET / HTTP/1.1",
                           "GET",
                           "GET ",
                           "GET /",
                           "GET / ",
                           "GET HTTP/1.1",
                           "GET  / HTTP/1.1",
                           "GET /  HTTP/1.1",
                           "GET / HTTP/1.1 ",
                           "GET / HTTP/1.1 x",
                           "GET / x HTTP/1.1",
                           "GET\t/\tHTTP/1.1",
                           "GET / http/1.1",
                           "GET / HTTP/1.2",
                           "GET / HTTP/0.9",
                           "GET / HTTP/2.0",
                           "GET / HTTP/3",
                           "GET / HTTP/1.10",
                           "GET / HTTP/01.1",
                           "GET / HTTP/11",
                           "GET / HTTP/1",
                           "GET / HTTP/1,1",
                           "GET / HTTP/-1.1",
                           "GET / HTTPS/1.1",
                           "GET / XTTP/1.1",
                           "G(T / HTTP/1.1",
                           "\"GET\" / HTTP/1.1",
                           "GET / HTTP /1.1",
                           "/ GET HTTP/1.1",
                           "HTTP/1.1 200 OK",
                           "GET / HTTP/1.1\tx",
                           "GET\x0b/ HTTP/1.1"}) {
    cases->push_back({StrCat("request line '", line, "'"), "\r\n" + line + rest});
  }
  cases->push_back({"long method", StrCat(std::string(5000, 'A'), " / HTTP/1.1", rest)});
  cases->push_back({"long target", Get("/" + std::string(17 << 10, 'a')), {431}});
  cases->push_back({"endless line", std::string(64 << 10, 'A'), {431}});
}

void AddTargets(Cases* cases) {
  for (std::string target : {"*",
                             "hello",
                             "http://localhost/hello",
                             "https://evil.example/",
                             "localhost:80",
                             "?x",
                             "../hello",
                             "%2fhello",
                             "/%",
                             "/%2",
                             "/%z0",
                             "/%0z",
                             "/%%30",
                             "/a%",
                             "/%00",
                             "/a%00b",
                             "/%0a",
                             "/%0d%0aX-Injected:%201",
                             "/%1b[31m",
                             "/%7f",
                             "/%ff",
                             "/%80",
                             "/%c0%af",
                             "/%c3",
                             "/%c3%28",
                             "/%e0%80%af",
                             "/%ed%a0%80",
                             "/%f0%80%80%80",
                             "/%f4%90%80%80",
                             "/%f8%88%80%80%80",
                             "/a#b",
                             "/#",
                             "/?q=%",
                             "/?q=%g1",
                             "/?q=%00",
                             "/?q=%0a",
                             "/?q=%ff",
                             "/?a#b"}) {
    cases->push_back({StrCat("target ", target), Get(target)});
  }
  cases->push_back({"CONNECT", StrCat("CONNECT localhost:80 HTTP/1.1\r\n", kHost, "\r\n")});
}

void AddLineEnds(Cases* cases) {
  const std::string good = Get("/hello", "X-a: 1\r\nX-b: 2\r\n");
  // Each line end in turn, replaced by something that others may take for one.
  for (std::string end : {"\n", "\r", "\n\r", "\r\r\n", "\x0b", "\x0c", "\xc2\x85"}) {
    size_t at = good.find("\r\n");
    for (int line = 0; line < 4; ++line, at = good.find("\r\n", at + 2)) {
      std::string bytes = good;
      bytes.replace(at, 2, end);
      // U+0085 does not end a line: it is part of a value, and the head may then have no end.
      const bool is_value = end == "\xc2\x85" && line >= 2;
      cases->push_back({absl::StrFormat("end of line %d as %d", line, end[0]),
                        bytes,
                        {!is_value   ? 400
                         : line == 2 ? 200
                                     : 408}});
    }
  }
  for (std::string fold : {" ", "\t", "  \t "}) {
    cases->push_back({"folded first header", StrCat("GET / HTTP/1.1\r\n", fold, kHost, "\r\n")});
    cases->push_back({"folded value", Get("/hello", StrCat("X-a: 1\r\n", fold, "more\r\n"))});
    cases->push_back({"folded encoding", Post(StrCat("Transfer-Encoding:\r\n", fold, "chunked\r\n"),
                                              "0\r\n\r\n" + kSmuggled)});
    cases->push_back(
        {"folded length", Post(StrCat("Content-Length:\r\n", fold, "5\r\n"), "12345")});
  }
  cases->push_back({"no colon", Get("/hello", "X-a 1\r\n")});
  cases->push_back({"empty name", Get("/hello", ": 1\r\n")});
  cases->push_back({"many empty lines", std::string(200, '\r') + "\n"});
  cases->push_back({"flood of empty lines", "\r\n\r\n\r\n\r\n\r\n\r\n" + good});
  cases->push_back({"flood of line feeds", std::string(1000, '\n')});
}

void AddHosts(Cases* cases) {
  const auto with = [](std::string_view host) {
    return StrCat("GET /hello HTTP/1.1\r\nHost: ", host, "\r\n\r\n");
  };
  for (std::string host : {"",
                           " ",
                           "local host",
                           "localhost/x",
                           "localhost@evil",
                           "evil@localhost",
                           "[::1",
                           "::1",
                           "[::1]x",
                           "[localhost]",
                           "localhost:",
                           "localhost:abc",
                           "localhost:999999",
                           "localhost:-1",
                           "localhost,evil.example",
                           "\"localhost\"",
                           "localhost?",
                           "localhost#",
                           "localhost%00",
                           "localhost\\evil",
                           "l\xc3\xb6"
                           "calhost",
                           "http://localhost"}) {
    cases->push_back({StrCat("Host ", host), with(host)});
  }
  cases->push_back({"long Host", with(std::string(300, 'a'))});
  for (std::string host :
       {"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
        "localhost-evil", "8.8.8.8", "192.168.0.1", "0.0.0.0", "[2001:db8::1]", "2130706433",
        "0x7f.0.0.1", "127.1", "localhost..", "a.localhost.b", "_", "-"}) {
    cases->push_back({StrCat("Host ", host), with(host), {403}});
  }
  cases->push_back({"no Host", "GET /hello HTTP/1.1\r\n\r\n"});
  cases->push_back({"two Hosts", Get("/hello", "Host: localhost\r\n")});
  cases->push_back({"second Host is evil", Get("/hello", "Host: evil.example\r\n")});
}

void AddSizes(Cases* cases) {
  cases->push_back(
      {"one large header", Get("/", "X: " + std::string(20 << 10, 'a') + "\r\n"), {431}});
  cases->push_back({"huge header", Get("/", "X: " + std::string(1 << 20, 'a') + "\r\n"), {431}});
  std::string fields;
  for (int i = 0; i < 101; ++i) StrAppend(&fields, "X-", i, ": 1\r\n");
  cases->push_back({"many headers", Get("/", fields), {431}});
  for (int i = 0; i < 5000; ++i) fields += "X: 1\r\n";
  cases->push_back({"very many headers", Get("/", fields), {431}});
  cases->push_back(
      {"huge cookie", Get("/", "Cookie: " + std::string(17 << 10, 'c') + "\r\n"), {431}});
  cases->push_back(
      {"large body", Post("Content-Length: 200000\r\n", std::string(200'000, 'x')), {413}});
  cases->push_back({"large body, invited",
                    Post("Content-Length: 200000\r\nExpect: 100-continue\r\n", ""),
                    {413}});
}

void AddTypes(Cases* cases) {
  const auto with = [](std::string_view headers) {
    return StrCat("POST /echo HTTP/1.1\r\n", kHost, headers, "Content-Length: 2\r\n\r\n{}");
  };
  cases->push_back({"no type", with(""), {415}});
  for (std::string type :
       {"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
        "text/json", "application/jsonx", "application/json-patch+json", "json", "*/*",
        "application/json, text/plain", "application/json; charset=latin1",
        "application/json; charset=utf-16", "text/plain; application/json", "application /json"}) {
    cases->push_back({StrCat("type ", type), with(StrCat("Content-Type: ", type, "\r\n")), {415}});
  }
  for (std::string encoding : {"gzip", "deflate", "br", "zstd", "identity, gzip"}) {
    cases->push_back(
        {StrCat("encoding ", encoding),
         with(StrCat("Content-Type: application/json\r\nContent-Encoding: ", encoding, "\r\n")),
         {415}});
  }
  cases->push_back(
      {"two types", with("Content-Type: application/json\r\nContent-Type: text/plain\r\n")});
  for (std::string expect : {"200-ok", "100-continue, x", "100", "nothing"}) {
    cases->push_back({StrCat("Expect ", expect),
                      Post(StrCat("Content-Length: 2\r\nExpect: ", expect, "\r\n"), "{}"),
                      {417}});
  }
  for (std::string origin : {"null", "http://evil.example", "file://", "http://localhost", "*"}) {
    cases->push_back({StrCat("preflight of ", origin),
                      StrCat("OPTIONS /echo HTTP/1.1\r\n", kHost, "Origin: ", origin,
                             "\r\nAccess-Control-Request-Method: POST\r\n\r\n"),
                      {403}});
  }
}

void AddOtherProtocols(Cases* cases) {
  std::string hello("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);
  cases->push_back({"TLS", hello + std::string(500, 'r')});
  cases->push_back({"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"});
  cases->push_back({"SSH", "SSH-2.0-OpenSSH_9.2\r\n\r\n"});
  cases->push_back({"SMTP", "EHLO x\r\n\r\n"});
  cases->push_back({"Redis", "*1\r\n$4\r\nPING\r\n", {408}});
  cases->push_back({"RTSP", "OPTIONS rtsp://localhost/ RTSP/1.0\r\nCSeq: 1\r\n\r\n"});
  cases->push_back({"SIP", "INVITE sip:a@localhost SIP/2.0\r\n\r\n"});
  cases->push_back({"SOCKS", std::string("\x05\x01\x00", 3)});
  cases->push_back({"zeros", std::string(4096, '\0')});
  std::mt19937 random(18);
  for (int i = 0; i < 30; ++i) {
    std::string bytes;
    for (int j = 0; j < 3000; ++j) bytes.push_back(static_cast<char>(random()));
    cases->push_back({StrCat("random bytes ", i), bytes, {400, 431}});
  }
  // A good request with one byte changed; whatever it becomes, it is answered or refused.
  const std::string good = Post("Content-Length: 2\r\n", "{}");
  for (int i = 0; i < 60; ++i) {
    std::string bytes = good;
    bytes[random() % (good.size() - 2)] = static_cast<char>(random());
    cases->push_back({StrCat("changed byte ", i),
                      bytes,
                      {200, 400, 403, 404, 408, 413, 415, 431, 0},
                      Manner::kHalfClose});
  }
}

}  // namespace

std::vector<HostileCase> HostileCases() {
  Cases cases = HostileFramingCases();
  AddForbiddenBytes(&cases);
  AddRequestLines(&cases);
  AddTargets(&cases);
  AddLineEnds(&cases);
  AddHosts(&cases);
  AddSizes(&cases);
  AddTypes(&cases);
  AddOtherProtocols(&cases);
  return cases;
}

std::vector<HostileCase> HostileKeyCases() {
  Cases cases;
  for (std::string key :
       {"", "Authorization:\r\n", "Authorization: Bearer\r\n", "Authorization: Bearer \r\n",
        "Authorization: Bearer wrong-key\r\n", "Authorization: Basic Z29vZC1rZXk6\r\n",
        "Authorization: good-key-1\r\n", "Authorization: Bearer good-key-1 x\r\n",
        "Authorization: Bearer good-key-\r\n", "Authorization: Bearer good-key-11\r\n",
        "Authorization: Bearer \"good-key-1\"\r\n", "Authorization: Bearer Bearer good-key-1\r\n",
        "Authorization: Bearer GOOD-KEY-1\r\n", "X-Api-Key:\r\n", "X-Api-Key: wrong\r\n",
        "X-Api-Key: Bearer good-key-1\r\n", "Api-Key: good-key-1\r\n", "Cookie: key=good-key-1\r\n",
        "Proxy-Authorization: Bearer good-key-1\r\n"}) {
    cases.push_back({StrCat("key ", key), Get("/hello", key), {401}});
    cases.push_back({StrCat("POST with key ", key),
                     Post(StrCat(key, "Content-Length: 60000\r\n"), std::string(60'000, 'x')),
                     {401}});
  }
  cases.push_back({"key in the query", Get("/hello?api_key=good-key-1"), {401}});
  cases.push_back(
      {"long key", Get("/hello", "X-Api-Key: " + std::string(10'000, 'k') + "\r\n"), {401}});
  cases.push_back({"two keys", Get("/hello", "X-Api-Key: a\r\nX-Api-Key: good-key-1\r\n")});
  cases.push_back(
      {"two authorizations",
       Get("/hello", "Authorization: Bearer x\r\nAuthorization: Bearer good-key-1\r\n")});
  return cases;
}

}  // namespace infer::http
