// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/generator/source.h"

#include <xxhash.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::emulation {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<std::string> ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError(StrCat(path, ": cannot be read"));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// "include" and what follows it, without '#' and blanks.
std::string_view Directive(std::string_view line) {
  ConsumePrefix(line, "#");
  return Stripped(line);
}

class Loader {
 public:
  explicit Loader(const std::vector<std::string>& include_dirs) : include_dirs_(include_dirs) {}

  absl::Status Load(const std::string& path) {
    ASSIGN_OR_RETURN(std::string text, ReadText(path));
    return Add(path, std::move(text));
  }

  absl::Status Add(std::string path, std::string text) {
    const int file = static_cast<int>(source_.files.size());
    source_.files.push_back(std::make_unique<SourceFile>(std::move(path), std::move(text)));
    const SourceFile& added = *source_.files.back();
    for (const Token& token : Tokenize(added.text, file)) {
      const std::string_view name =
          token.kind == TokenKind::kDirective ? QuotedInclude(token.text) : "";
      if (name.empty()) {
        source_.tokens.push_back(token);
        continue;
      }
      ASSIGN_OR_RETURN(const std::string found, Find(added.path, token.line, name));
      if (!Loaded(found)) RETURN_IF_ERROR(Load(found));
    }
    return absl::OkStatus();
  }

  Source Finish() { return std::move(source_); }

 private:
  absl::StatusOr<std::string> Find(const std::string& from, int line, std::string_view name) const {
    std::vector<fs::path> places = {fs::path(from).parent_path()};
    places.insert(places.end(), include_dirs_.begin(), include_dirs_.end());
    for (const fs::path& place : places) {
      const fs::path path = (place / name).lexically_normal();
      if (fs::exists(path)) return path.string();
    }
    return absl::NotFoundError(StrCat(from, ":", line, ": error: \"", name, "\" is not found"));
  }

  bool Loaded(const std::string& path) const {
    for (const auto& file : source_.files) {
      if (file->path == path) return true;
    }
    return false;
  }

  const std::vector<std::string>& include_dirs_;
  Source source_;
};

}  // namespace

std::string ToString(const Diagnostic& diagnostic) {
  return StrCat(diagnostic.path, ":", diagnostic.line, ": error: ", diagnostic.text);
}

absl::StatusOr<Source> LoadSource(const std::string& path,
                                  const std::vector<std::string>& include_dirs) {
  Loader loader(include_dirs);
  RETURN_IF_ERROR(loader.Load(path));
  return loader.Finish();
}

absl::StatusOr<Source> SourceFromText(std::string path, std::string text) {
  const std::vector<std::string> no_dirs;
  Loader loader(no_dirs);
  RETURN_IF_ERROR(loader.Add(std::move(path), std::move(text)));
  return loader.Finish();
}

std::string_view QuotedInclude(std::string_view directive) {
  std::string_view rest = Directive(directive);
  if (!ConsumePrefix(rest, "include")) return "";
  rest = Stripped(rest);
  if (!ConsumePrefix(rest, "\"")) return "";
  return rest.substr(0, rest.find('"'));
}

uint64_t Fingerprint(const std::vector<Token>& tokens) {
  std::string words;
  for (const Token& token : tokens) {
    if (token.blank()) continue;
    if (token.kind == TokenKind::kDirective) {
      const std::string_view directive = Directive(token.text);
      if (directive.starts_with("include") || directive == "pragma once") continue;
      for (const Token& word : Tokenize(directive)) {
        if (!word.blank() && !word.Is("\\")) StrAppend(&words, word.text, "\n");
      }
      continue;
    }
    StrAppend(&words, token.text, "\n");
  }
  return XXH3_64bits(words.data(), words.size());
}

}  // namespace infer::emulation
