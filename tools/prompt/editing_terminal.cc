// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/editing_terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <string_view>

namespace infer {
namespace {

// Character classes and widths come from the locale; only UTF-8 ones know wide characters.
bool UseUtf8Locale() {
  for (const char* name : {"", "C.UTF-8", "en_US.UTF-8"}) {
    if (std::setlocale(LC_CTYPE, name) != nullptr && MB_CUR_MAX > 1) return true;
  }
  return false;
}

}  // namespace

bool CanEditLines() {
  const char* term = std::getenv("TERM");
  if (term == nullptr || *term == '\0' || std::string_view(term) == "dumb") return false;
  return UseUtf8Locale();
}

std::pair<int, int> TerminalSize() {
  winsize size = {};
  ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  return {size.ws_row, size.ws_col};
}

}  // namespace infer
