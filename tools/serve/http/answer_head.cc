// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/answer_head.h"

#include <algorithm>
#include <ctime>

#include "absl/strings/match.h"
#include "ir/base/strings.h"
#include "tools/serve/http/head_syntax.h"

namespace infer::http {
namespace {

struct Reason {
  int status;
  std::string_view text;
};
constexpr Reason kReasons[] = {
    {100, "Continue"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {499, "Client Closed Request"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {529, "Overloaded"},
};

std::string_view ReasonOf(int status) {
  const Reason* reason = std::ranges::find(kReasons, status, &Reason::status);
  return reason == std::end(kReasons) ? "Status" : reason->text;
}

// In the form that HTTP asks for, whatever the locale.
std::string DateText() {
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  const auto two = [](int n) { return absl::Dec(n, absl::kZeroPad2); };
  return StrCat(kDays[utc.tm_wday], ", ", two(utc.tm_mday), " ", kMonths[utc.tm_mon], " ",
                1900 + utc.tm_year, " ", two(utc.tm_hour), ":", two(utc.tm_min), ":",
                two(utc.tm_sec), " GMT");
}

bool Has(const Headers& headers, std::string_view name) {
  return std::ranges::any_of(headers, [&](const auto& field) {
    return absl::EqualsIgnoreCase(field.first, ToAbsl(name));
  });
}

void AppendField(std::string_view name, std::string_view value, std::string* out) {
  StrAppend(out, name, ": ");
  for (char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    out->push_back((byte < 0x20 && c != '\t') || byte == 0x7f ? ' ' : c);
  }
  StrAppend(out, "\r\n");
}

void AppendFraming(const AnswerContext& context, const AnswerHead& head, std::string* out) {
  if (head.framing == Framing::kChunked) AppendField("Transfer-Encoding", "chunked", out);
  if (head.framing == Framing::kLength && !StatusHasNoBody(head.status)) {
    AppendField("Content-Length", StrCat(head.body_bytes), out);
  }
  if (!context.keep_alive) {
    AppendField("Connection", "close", out);
  } else if (context.version == 10) {
    AppendField("Connection", "keep-alive", out);
  }
}

void AppendCommon(const AnswerContext& context, const AnswerHead& head, std::string* out) {
  AppendField("Date", DateText(), out);
  AppendField("x-request-id", context.id, out);
  AppendField("X-Content-Type-Options", "nosniff", out);
  AppendField("X-Frame-Options", "DENY", out);
  AppendField("Referrer-Policy", "no-referrer", out);
  if (head.framing != Framing::kLength) {
    AppendField("Cache-Control", "no-cache, no-transform", out);
    AppendField("X-Accel-Buffering", "no", out);
  } else if (!Has(head.headers, "cache-control")) {
    AppendField("Cache-Control", "no-store", out);
  }
  if (context.allowed_origin.empty()) {
    AppendField("Cross-Origin-Resource-Policy", "same-origin", out);
    return;
  }
  AppendField("Access-Control-Allow-Origin", context.allowed_origin, out);
  AppendField("Access-Control-Expose-Headers", "*", out);
  if (context.allowed_origin != "*") AppendField("Vary", "Origin", out);
}

// Whether the server alone decides about a header.
bool IsReserved(std::string_view name, Framing framing) {
  for (std::string_view reserved :
       {"content-length", "transfer-encoding", "connection", "content-type", "x-request-id", "date",
        "access-control-allow-origin"}) {
    if (absl::EqualsIgnoreCase(ToAbsl(name), ToAbsl(reserved))) return true;
  }
  return framing != Framing::kLength && absl::EqualsIgnoreCase(ToAbsl(name), "cache-control");
}

}  // namespace

bool StatusHasNoBody(int status) { return status < 200 || status == 204 || status == 304; }

std::string AnswerHeadText(const AnswerContext& context, const AnswerHead& head) {
  std::string out = StrCat("HTTP/1.1 ", head.status, " ", ReasonOf(head.status), "\r\n");
  if (!head.content_type.empty()) AppendField("Content-Type", head.content_type, &out);
  AppendFraming(context, head, &out);
  AppendCommon(context, head, &out);
  for (const auto& [name, value] : head.headers) {
    if (IsToken(name) && !IsReserved(name, head.framing)) AppendField(name, value, &out);
  }
  StrAppend(&out, "\r\n");
  return out;
}

}  // namespace infer::http
