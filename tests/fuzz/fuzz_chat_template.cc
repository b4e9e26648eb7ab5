// SPDX-License-Identifier: Apache-2.0
//
// A template, a zero byte and a request: rendering ends within its bounds and 64 MiB of memory, its
// text is valid UTF-8, and what it marks as from the request lies within it. The request is also
// read as an answer: its thought and calls are the same however it is cut into pieces.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "frontends/chat/chat_template.h"
#include "frontends/chat/thought_splitter.h"
#include "frontends/chat/tool_call_parser.h"
#include "frontends/tokenizer/utf8.h"

// Of AddressSanitizer; null without it.
extern "C" {
__attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(
    void (*malloc_hook)(const volatile void*, size_t), void (*free_hook)(const volatile void*));
__attribute__((weak)) size_t __sanitizer_get_allocated_size(const volatile void* pointer);
}

namespace infer {
namespace {

void Expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

// The memory of one execution, without what libFuzzer and the sanitizer use themselves. Not counted
// without AddressSanitizer, which reports each allocation.
constexpr size_t kMaxBytes = size_t{64} << 20;
std::atomic<bool> counts{false};
std::atomic<size_t> live_bytes{0};

void OnMalloc(const volatile void*, size_t bytes) {
  if (!counts) return;
  live_bytes += bytes;
  Expect(live_bytes <= kMaxBytes, "an execution needs at most 64 MiB");
}
void OnFree(const volatile void* pointer) {
  if (!counts || pointer == nullptr) return;
  const size_t bytes = __sanitizer_get_allocated_size(pointer);
  live_bytes -= std::min(bytes, live_bytes.load());
}

// Returns what an answer consists of, as "kind:text" of neighbouring pieces of a kind together.
std::string Parts(std::string_view answer, size_t piece_bytes) {
  std::string parts;
  int last = -1;
  const auto add = [&](int kind, std::string_view text) {
    const bool joins = kind == last && (kind == 0 || kind == 9);
    if (!joins) parts += static_cast<char>('0' + kind);
    parts += text;
    last = kind;
  };
  ToolCallParser calls({}, [&](ToolCallParser::Kind kind, std::string_view text) {
    if (kind != ToolCallParser::Kind::kContent || !text.empty()) add(static_cast<int>(kind), text);
  });
  ThoughtSplitter splitter(false, [&](ThoughtSplitter::Kind kind, std::string_view text) {
    if (kind == ThoughtSplitter::Kind::kContent) return calls.Feed(text);
    add(9, text);
  });
  for (size_t pos = 0; pos < answer.size(); pos += piece_bytes) {
    splitter.Feed(answer.substr(pos, piece_bytes));
  }
  splitter.Finish();
  calls.Finish();
  return parts;
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

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  if (__sanitizer_install_malloc_and_free_hooks != nullptr) {
    __sanitizer_install_malloc_and_free_hooks(infer::OnMalloc, infer::OnFree);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t cut = std::min(input.find('\0'), input.size());
  std::string_view request = cut < input.size() ? input.substr(cut + 1) : R"({"messages": []})";
  infer::live_bytes = 0;
  infer::counts = true;
  infer::CheckRendering(input.substr(0, cut), request);
  infer::counts = false;
  // Without a tag an answer is text, and most of the time would go into proving it.
  if (request.find('<') == request.npos) return 0;
  const std::string whole = infer::Parts(request, request.size() + 1);
  for (const size_t bytes : {1, 5}) {
    infer::Expect(infer::Parts(request, bytes) == whole, "an answer reads the same in pieces");
  }
  return 0;
}
