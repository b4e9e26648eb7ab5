// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace infer::http {

// The API keys of a file, kept as SHA-256 digests.
class ApiKeys {
 public:
  // `text` has a line "NAME KEY" per key; empty lines and lines that begin with '#' are skipped.
  // `path` is for messages.
  static absl::StatusOr<ApiKeys> Parse(std::string_view text, const std::string& path);

  // Returns the name of the key `presented`. Takes the same time whichever key it is, and whether
  // it is one.
  std::optional<std::string> Find(std::string_view presented) const;

 private:
  using Digest = std::array<uint8_t, 32>;
  struct Key {
    std::string name;
    Digest digest;
  };
  static Digest DigestOf(std::string_view text);

  std::vector<Key> keys_ = {};
};

// The keys that are valid now. May be used from any thread.
class KeyStore {
 public:
  // An empty path: no keys are asked for.
  explicit KeyStore(std::string path) : path_(std::move(path)) {}

  // Reads the file. After an error the keys are those of before.
  absl::Status Load();
  bool is_used() const { return !path_.empty(); }
  std::optional<std::string> Find(std::string_view presented) const;

 private:
  const std::string path_;
  mutable std::mutex mutex_ = {};
  std::shared_ptr<const ApiKeys> keys_ = {};
};

}  // namespace infer::http
