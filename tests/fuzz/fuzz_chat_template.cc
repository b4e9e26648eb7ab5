// SPDX-License-Identifier: Apache-2.0
//
// A template, a zero byte and a request: rendering ends within its bounds, its text is valid UTF-8,
// and what it marks as from the request lies within it. The answer parser gives all of the text
// back, however it is cut.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "frontends/chat/chat_template.h"
#include "frontends/tokenizer/utf8.h"

namespace infer {
namespace {

void Expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

void CheckMarks(const MarkedText& text) {
  size_t end = 0;
  for (const MarkedText::Range& range : text.request_ranges()) {
    Expect(range.begin < range.end && range.end <= text.size(), "ranges lie within the text");
    Expect(end == 0 || range.begin > end, "ranges ascend and do not touch");
    end = range.end;
  }
}

void CheckRendering(std::string_view source, std::string_view request) {
  auto compiled = ChatTemplate::Compile(source);
  if (!compiled.ok()) return;
  RenderOptions options;
  options.clock.fixed = true;
  options.limits.steps = 100'000;
  options.limits.output_bytes = size_t{4} << 20;
  options.limits.value_bytes = size_t{16} << 20;
  auto text = compiled->Render(request, options);
  if (!text.ok()) {
    Expect(!text.status().message().empty(), "errors have a text");
    return;
  }
  std::string storage;
  Expect(ReplaceInvalidUtf8(text->text(), &storage).data() == text->text().data(),
         "the text is valid UTF-8");
  Expect(text->size() <= options.limits.output_bytes + 4 * request.size(), "the text is bounded");
  CheckMarks(*text);
}

}  // namespace
}  // namespace infer

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t cut = std::min(input.find('\0'), input.size());
  std::string_view request = cut < input.size() ? input.substr(cut + 1) : R"({"messages": []})";
  infer::CheckRendering(input.substr(0, cut), request);
  return 0;
}
