// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/log_prob_file.h"

#include <bit>
#include <cstring>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

static_assert(std::endian::native == std::endian::little, "files hold little-endian numbers");

constexpr std::string_view kMagic = "_logits_";
constexpr uint64_t kHeaderBytes = 20;  // magic, tokens of a window, vocabulary, windows
constexpr int64_t kMaxContext = 1 << 24;
constexpr int64_t kMaxVocabulary = 1 << 24;

}  // namespace

absl::StatusOr<LogProbFile> LogProbFile::Open(const std::string& path) {
  ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::Open(path));
  LogProbFile file(std::move(mapped));
  const std::span<const std::byte> bytes = file.file_.bytes();
  auto refuse = [&](const std::string& what) {
    return absl::InvalidArgumentError(
        StrCat(path, ": ", what,
               "; expected a file that llama.cpp's perplexity tool wrote with "
               "--kl-divergence-base"));
  };
  if (bytes.size() < kHeaderBytes || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    return refuse("does not begin with \"_logits_\"");
  }
  int32_t header[3];
  std::memcpy(header, bytes.data() + kMagic.size(), sizeof header);
  const auto [context, vocabulary, windows] = header;
  if (context < 4 || context > kMaxContext || vocabulary < 1 || vocabulary > kMaxVocabulary ||
      windows < 1) {
    return refuse(StrCat("has ", windows, " windows of ", context, " tokens and a vocabulary of ",
                         vocabulary));
  }
  file.context_ = context;
  file.vocabulary_ = vocabulary;
  file.windows_ = windows;
  // At most 2^31 * 2^24 * 4 and 2^31 * 2^23 * 2^25: the second is computed step by step.
  const auto token_bytes = static_cast<uint64_t>(file.windows_ * file.context_) * sizeof(int32_t);
  const uint64_t left = bytes.size() - kHeaderBytes;
  const uint64_t row_bytes = static_cast<uint64_t>(file.row_halves()) * 2;
  const auto rows = static_cast<uint64_t>(file.windows_ * file.rows_of_window());
  if (token_bytes > left || (left - token_bytes) / row_bytes < rows) {
    return refuse(StrCat("is cut off: ", bytes.size(), " bytes hold less than ", windows,
                         " windows of ", context, " tokens with a vocabulary of ", vocabulary));
  }
  file.tokens_ = {reinterpret_cast<const int32_t*>(bytes.data() + kHeaderBytes),
                  token_bytes / sizeof(int32_t)};
  file.rows_ = bytes.subspan(kHeaderBytes + token_bytes, rows * row_bytes);
  for (int32_t id : file.tokens_) {
    if (id < 0 || id >= vocabulary) {
      return refuse(StrCat("has the token ", id, ", which its vocabulary does not have"));
    }
  }
  return file;
}

void LogProbFile::ReadRow(int64_t window, int64_t token, std::span<float> out) const {
  const int64_t row = window * rows_of_window() + token - first_row();
  const std::byte* at = rows_.data() + row * row_halves() * 2;
  float range[2];  // scale, smallest
  std::memcpy(range, at, sizeof range);
  at += sizeof range;
  for (size_t i = 0; i < out.size(); ++i) {
    uint16_t step;
    std::memcpy(&step, at + 2 * i, sizeof step);
    out[i] = range[0] * static_cast<float>(step) + range[1];
  }
}

}  // namespace infer
