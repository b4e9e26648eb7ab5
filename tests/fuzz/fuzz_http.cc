// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a connection: the same requests and the same final status come out however they are
// cut into pieces, the first byte of the input being the size of the pieces. After the end of a
// chunk the parser looks at no fewer than five bytes, so a reader that has fewer may not have
// refused yet what another has seen together with the bytes before it. Five more, whatever they
// are, must lead it to the same refusal.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ir/base/strings.h"
#include "tools/serve/http/request_reader.h"

namespace infer::http {
namespace {

class NoHandler final : public Handler {
 public:
  void Handle(Request, std::shared_ptr<Responder>) override {}
  Response Error(int status, std::string_view message) override {
    return {.status = status, .body = std::string(message)};
  }
  bool IsPublic(std::string_view, std::string_view) const override { return true; }
};

// Returns everything that a reader makes of the bytes, as text.
std::string Read(std::string_view bytes, size_t piece_bytes) {
  static ServerOptions options = [] {
    ServerOptions made;
    made.max_body_bytes = 64 << 10;
    made.allowed_origins = {"https://example.org"};
    return made;
  }();
  static const NoHandler handler;
  static const KeyStore keys("");
  static const RequestRules rules(options, &handler, &keys);
  BodyBudget budget(1 << 20);
  RequestReader reader(options, rules, &budget, "peer");
  std::string result;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, piece_bytes);
    bytes.remove_prefix(piece.size());
    reader.Append(piece);
    for (bool more = true; more;) {
      const RequestReader::Progress progress = reader.Advance();
      const HeadVerdict& verdict = reader.verdict();
      switch (progress) {
        case RequestReader::Progress::kNeedMore:
          more = false;
          break;
        case RequestReader::Progress::kSendContinue:
          break;
        case RequestReader::Progress::kProblem:
          StrAppend(&result, "problem ", verdict.problem->status, "\n");
          return result;
        case RequestReader::Progress::kResponse:
          StrAppend(&result, "response ", verdict.response->status, "\n");
          break;
        case RequestReader::Progress::kRequest:
          StrAppend(&result, reader.method(), " ", verdict.request.path, " ", verdict.request.query,
                    " ", verdict.request.body, "\n");
          break;
      }
    }
  }
  return result;
}

constexpr std::string_view kBytesToCome = "xxxxx";

bool ReadsTheSame(const std::string& text, size_t piece_bytes) {
  const std::string whole = Read(text, text.size()), cut = Read(text, piece_bytes);
  if (whole == cut) return true;
  const bool is_cut_behind = cut.size() < whole.size();
  const std::string& ahead = is_cut_behind ? whole : cut;
  const std::string& behind = is_cut_behind ? cut : whole;
  const size_t last_line = ahead.rfind('\n', ahead.size() - 2) + 1;
  if (ahead.substr(0, last_line) != behind || ahead.compare(last_line, 8, "problem ") != 0) {
    return false;
  }
  const std::string longer = text + std::string(kBytesToCome);
  return Read(longer, is_cut_behind ? piece_bytes : longer.size()) == ahead;
}

}  // namespace
}  // namespace infer::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  if (bytes < 2) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, bytes - 1);
  if (!infer::http::ReadsTheSame(text, std::max<size_t>(data[0], 1))) std::abort();
  return 0;
}
