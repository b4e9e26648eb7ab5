// SPDX-License-Identifier: Apache-2.0
//
// Reads what llama.cpp's perplexity tool writes with --kl-divergence-base: the tokens of a text in
// windows, and the probabilities after each token of their second halves, rounded to 16 bits.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "frontends/gguf/mapped_file.h"

namespace infer {

class LogProbFile {
 public:
  // Returns kInvalidArgument, naming what is wrong, unless the file is complete.
  static absl::StatusOr<LogProbFile> Open(const std::string& path);

  const std::string& path() const { return file_.path(); }
  int64_t context() const { return context_; }  // tokens of a window
  int64_t vocabulary() const { return vocabulary_; }
  int64_t windows() const { return windows_; }
  int64_t first_row() const { return context_ / 2; }  // the first token after which there is a row
  std::span<const int32_t> tokens(int64_t window) const {
    return tokens_.subspan(static_cast<size_t>(window * context_), static_cast<size_t>(context_));
  }
  // Writes ln p of the whole vocabulary after token `token` of the window, which must be at least
  // first_row() and not the last.
  void ReadRow(int64_t window, int64_t token, std::span<float> out) const;
  // Returns kDataLoss if the file changed meanwhile.
  absl::Status Check() const { return file_.Check(); }

 private:
  explicit LogProbFile(MappedFile file) : file_(std::move(file)) {}
  int64_t rows_of_window() const { return context_ - 1 - first_row(); }
  // A row: scale, smallest ln p, then a number of 16 bits for each token, padded to an even number.
  int64_t row_halves() const { return (vocabulary_ + 1) / 2 * 2 + 4; }

  MappedFile file_;
  int64_t context_ = 0;
  int64_t vocabulary_ = 0;
  int64_t windows_ = 0;
  std::span<const int32_t> tokens_;
  std::span<const std::byte> rows_;
};

}  // namespace infer
