// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/generator/kernels.h"

#include <set>
#include <span>
#include <utility>

#include "absl/strings/numbers.h"
#include "ir/base/strings.h"
#include "tests/metal_emulation/generator/positions.h"

namespace infer::emulation {
namespace {

constexpr int kMaxBufferIndex = 30;
constexpr int kMaxThreadgroupIndex = 7;

constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
    {"buffer", "kBuffer"},
    {"threadgroup", "kThreadgroup"},
    {"thread_position_in_grid", "kThreadPositionInGrid"},
    {"threadgroup_position_in_grid", "kThreadgroupPositionInGrid"},
    {"thread_position_in_threadgroup", "kThreadPositionInThreadgroup"},
    {"thread_index_in_threadgroup", "kThreadIndexInThreadgroup"},
    {"thread_index_in_simdgroup", "kThreadIndexInSimdgroup"},
    {"simdgroup_index_in_threadgroup", "kSimdgroupIndexInThreadgroup"},
    {"simdgroups_per_threadgroup", "kSimdgroupsPerThreadgroup"},
    {"threads_per_simdgroup", "kThreadsPerSimdgroup"},
    {"thread_execution_width", "kThreadsPerSimdgroup"},
    {"threads_per_threadgroup", "kThreadsPerThreadgroup"},
    {"threadgroups_per_grid", "kThreadgroupsPerGrid"},
    {"threads_per_grid", "kThreadsPerGrid"},
};

std::string_view KindOf(std::string_view attribute) {
  for (const auto& [name, kind] : kKinds) {
    if (name == attribute) return kind;
  }
  return "";
}

class ParameterReader {
 public:
  ParameterReader(const Source& source, std::string kernel, std::vector<Diagnostic>& errors)
      : source_(source), kernel_(std::move(kernel)), errors_(errors) {}

  // The list between the brackets at `open` and `close`.
  std::vector<KernelParameter> Read(size_t open, size_t close) {
    size_t start = open + 1;
    int depth = 0;
    for (size_t i = open + 1; i <= close; ++i) {
      const Token& token = source_.tokens[i];
      if (token.Is("[[")) {
        i = Closing(source_.tokens, i);
        continue;
      }
      if (token.Is("(") || token.Is("<") || token.Is("[") || token.Is("{")) ++depth;
      if (i != close && (token.Is(")") || token.Is(">") || token.Is("]") || token.Is("}"))) --depth;
      if (i == close || (token.Is(",") && depth == 0)) {
        ReadOne(start, i);
        start = i + 1;
      }
    }
    return std::move(parameters_);
  }

 private:
  void ReadOne(size_t begin, size_t end) {
    std::vector<Attribute> attributes;
    const Token* name = nullptr;
    const Token* first = nullptr;
    std::vector<std::string_view> type;  // and the name, which is taken off below
    for (size_t i = begin; i < end; ++i) {
      const Token& token = source_.tokens[i];
      if (token.blank()) continue;
      if (first == nullptr) first = &token;
      if (token.Is("[[")) {
        for (Attribute& attribute : ReadAttributes(source_.tokens, i)) {
          attributes.push_back(std::move(attribute));
        }
        i = Closing(source_.tokens, i);
      } else {
        if (token.kind == TokenKind::kIdentifier) name = &token;
        if (!token.Is("const")) type.push_back(token.text);
      }
    }
    if (first == nullptr) return;  // an empty list
    if (name == nullptr || attributes.size() != 1) {
      return Error(*first,
                   "a parameter needs a name and exactly one attribute, such as [[buffer(0)]]");
    }
    if (type.back() == name->text) type.pop_back();
    Add(*first, std::string(name->text), attributes[0], type);
  }

  void Add(const Token& at, std::string name, const Attribute& attribute,
           std::span<const std::string_view> type) {
    const std::string_view kind = KindOf(attribute.name);
    if (kind.empty()) {
      return Error(at, StrCat("attribute [[", attribute.name, "]] is not supported"));
    }
    int index = 0;
    if (kind == "kBuffer" || kind == "kThreadgroup") {
      const int last = kind == "kBuffer" ? kMaxBufferIndex : kMaxThreadgroupIndex;
      if (!absl::SimpleAtoi(attribute.argument, &index) || index < 0 || index > last) {
        return Error(at, StrCat("[[", attribute.name, "(", attribute.argument,
                                ")]]: the index must be a number from 0 to ", last));
      }
      if (!used_.insert({kind, index}).second) {
        return Error(at,
                     StrCat("duplicate ", attribute.name, " index ", index, " at '", name, "'"));
      }
    }
    const std::string problem = positions_.Add(kind, name, type);
    if (!problem.empty()) return Error(at, problem);
    parameters_.push_back({kind, index, std::move(name)});
  }

  void Error(const Token& at, std::string_view text) {
    errors_.push_back(ErrorAt(source_, at, StrCat("kernel ", kernel_, ": ", text)));
  }

  const Source& source_;
  const std::string kernel_;
  std::vector<Diagnostic>& errors_;
  std::vector<KernelParameter> parameters_;
  PositionTypes positions_;
  std::set<std::pair<std::string_view, int>> used_;
};

// Text of tokens [begin, end) without attributes.
std::string PlainText(const std::vector<Token>& tokens, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < end; ++i) {
    if (tokens[i].Is("[[")) {
      i = Closing(tokens, i);
    } else if (tokens[i].blank()) {
      text += ' ';
    } else {
      text += tokens[i].text;
    }
  }
  return text;
}

}  // namespace

std::vector<Attribute> ReadAttributes(const std::vector<Token>& tokens, size_t at) {
  std::vector<Attribute> attributes;
  const size_t end = Closing(tokens, at);
  for (size_t i = at + 1; i < end; ++i) {
    if (tokens[i].kind != TokenKind::kIdentifier) continue;
    Attribute attribute{.name = tokens[i].text, .argument = ""};
    const size_t open = Neighbour(tokens, i);
    if (open < end && tokens[open].Is("(")) {
      const size_t close = Closing(tokens, open);
      const std::string argument = PlainText(tokens, open + 1, close);
      std::string_view stripped = Stripped(argument);
      if (ConsumePrefix(stripped, "\"")) ConsumeSuffix(stripped, "\"");
      attribute.argument = std::string(stripped);
      i = close;
    }
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

KernelDeclaration ReadKernel(const Source& source, size_t at, bool is_template,
                             std::vector<Diagnostic>& errors) {
  const std::vector<Token>& tokens = source.tokens;
  KernelDeclaration kernel;
  kernel.is_template = is_template;
  kernel.line = tokens[at].line;
  size_t open = at;
  for (; open < tokens.size() && !tokens[open].Is("("); ++open) {
    if (!tokens[open].Is("[[")) continue;
    for (const Attribute& attribute : ReadAttributes(tokens, open)) {
      if (attribute.name != "max_total_threads_per_threadgroup") continue;
      if (!absl::SimpleAtoi(attribute.argument, &kernel.max_threads)) {
        errors.push_back(
            ErrorAt(source, tokens[open], "max_total_threads_per_threadgroup needs a number"));
      }
    }
    open = Closing(tokens, open);
  }
  const size_t close = open < tokens.size() ? Closing(tokens, open) : open;
  const size_t name = Neighbour(tokens, open, -1);
  if (close >= tokens.size() || tokens[name].kind != TokenKind::kIdentifier) {
    errors.push_back(ErrorAt(source, tokens[at], "a kernel needs a name and parameters"));
    return kernel;
  }
  kernel.name = std::string(tokens[name].text);
  kernel.parameters = ParameterReader(source, kernel.name, errors).Read(open, close);
  return kernel;
}

KernelInstance ReadInstance(const Source& source, size_t at, size_t end, const ShaderTables& tables,
                            std::vector<Diagnostic>& errors) {
  const std::vector<Token>& tokens = source.tokens;
  KernelInstance instance;
  instance.line = tokens[at].line;
  const size_t attribute_at = Neighbour(tokens, at);
  for (const Attribute& attribute : ReadAttributes(tokens, attribute_at)) {
    if (attribute.name == "host_name") instance.host_name = attribute.argument;
  }
  for (size_t i = Closing(tokens, attribute_at) + 1; i < end; ++i) {
    if (tokens[i].Is("decltype")) {
      i = Closing(tokens, Neighbour(tokens, i));
      continue;
    }
    const auto kernel = tables.kernels.find(tokens[i].text);
    const size_t angle = Neighbour(tokens, i);
    if (kernel == tables.kernels.end() || angle >= end || !tokens[angle].Is("<")) continue;
    instance.function = kernel->first;
    instance.expression = PlainText(tokens, i, Closing(tokens, angle) + 1);
    break;
  }
  if (instance.function.empty() || instance.host_name.empty()) {
    errors.push_back(ErrorAt(source, tokens[at],
                             StrCat("host_name(\"", instance.host_name,
                                    "\") of a kernel template that is not known here")));
  }
  return instance;
}

}  // namespace infer::emulation
