// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/cli/interrupt.h"
#include "tools/prompt/line_reader.h"
#include "tools/prompt/line_source.h"

namespace infer {

// Reads lines as they come, without editing.
class PlainLines final : public LineSource {
 public:
  // `prompt_fd` receives the prompt; -1 for input that nobody types, where Ctrl-C ends the program
  // instead of being an event. `interrupt` must outlive it.
  PlainLines(int fd, uint64_t limit_bytes, Interrupt* interrupt, int prompt_fd)
      : lines_(fd, limit_bytes, &interrupt->stop_flag()),
        interrupt_(interrupt),
        prompt_fd_(prompt_fd) {}

  absl::StatusOr<InputLine> Next(std::string_view prompt) override;

 private:
  void Print(std::string_view text) const;

  LineReader lines_;
  Interrupt* interrupt_;
  int prompt_fd_;
};

}  // namespace infer
