// SPDX-License-Identifier: Apache-2.0
//
// A shader file and the files that it includes with quotes, as one sequence of tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/metal_emulation/generator/token.h"

namespace infer::emulation {

struct SourceFile {
  std::string path;
  std::string text;
};

// Tokens point into the texts, which stay where they are when the object moves.
struct Source {
  std::vector<std::unique_ptr<SourceFile>> files;
  // With the tokens of an included file in the place of the line that includes it. A second
  // inclusion gives nothing.
  std::vector<Token> tokens;
};

struct Diagnostic {
  std::string path;
  int line;
  std::string text;
};

// "path:line: error: text"
std::string ToString(const Diagnostic& diagnostic);

inline Diagnostic ErrorAt(const Source& source, const Token& token, std::string text) {
  return {source.files[static_cast<size_t>(token.file)]->path, token.line, std::move(text)};
}

// Looks for included files beside the one that includes them, then in `include_dirs`.
absl::StatusOr<Source> LoadSource(const std::string& path,
                                  const std::vector<std::string>& include_dirs);

// A source without files, for tests. Includes with quotes are an error.
absl::StatusOr<Source> SourceFromText(std::string path, std::string text);

// What `#include "name"` names, or empty if the directive is another.
std::string_view QuotedInclude(std::string_view directive);

// Of all words that mean something: not of blanks, of includes and of `#pragma once`. So it is the
// same for a file with its includes and for the text in which a build has put them in place.
uint64_t Fingerprint(const std::vector<Token>& tokens);

}  // namespace infer::emulation
