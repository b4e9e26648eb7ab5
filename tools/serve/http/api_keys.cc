// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/api_keys.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::http {
namespace {

constexpr size_t kMinKeyLength = 8;
constexpr size_t kMaxKeyLength = 512;
constexpr size_t kMaxKeys = 10'000;
constexpr size_t kMaxFileBytes = 8 << 20;

bool IsVisibleAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace

ApiKeys::Digest ApiKeys::DigestOf(std::string_view text) {
  Digest digest;
  SHA256(reinterpret_cast<const uint8_t*>(text.data()), text.size(), digest.data());
  return digest;
}

absl::StatusOr<ApiKeys> ApiKeys::Parse(std::string_view text, const std::string& path) {
  ApiKeys result;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const auto error = [&](std::string_view message) {
      return absl::InvalidArgumentError(
          StrCat("keys file '", path, "' line ", number, ": ", message));
    };
    std::istringstream words(line);
    std::string name, key, more;
    if (!(words >> name) || name[0] == '#') continue;
    if (!(words >> key) || words >> more) return error("expected 'NAME KEY'");
    if (!IsVisibleAscii(name) || !IsVisibleAscii(key)) {
      return error("names and keys may hold only visible ASCII characters");
    }
    if (name.size() > 64) return error("a name may have at most 64 characters");
    if (key.size() < kMinKeyLength || key.size() > kMaxKeyLength) {
      return error(StrCat("a key must have ", kMinKeyLength, " to ", kMaxKeyLength,
                          " characters, got ", key.size(),
                          "; 'openssl rand -hex 24' makes a good one"));
    }
    const Digest digest = DigestOf(key);
    for (const Key& other : result.keys_) {
      if (other.name == name) return error(StrCat("a second key with the name '", name, "'"));
      if (other.digest == digest)
        return error(StrCat("the same key as that of '", other.name, "'"));
    }
    if (result.keys_.size() == kMaxKeys) return error(StrCat("more than ", kMaxKeys, " keys"));
    result.keys_.push_back({.name = std::move(name), .digest = digest});
  }
  if (result.keys_.empty()) {
    return absl::InvalidArgumentError(
        StrCat("keys file '", path, "' holds no key; write a line 'NAME KEY' for each"));
  }
  return result;
}

std::optional<std::string> ApiKeys::Find(std::string_view presented) const {
  const Digest digest = DigestOf(presented);
  const Key* found = nullptr;
  for (const Key& key : keys_) {
    if (CRYPTO_memcmp(digest.data(), key.digest.data(), digest.size()) == 0) found = &key;
  }
  if (found == nullptr) return {};
  return found->name;
}

absl::Status KeyStore::Load() {
  if (path_.empty()) return absl::OkStatus();
  std::ifstream file(path_, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(StrCat("cannot read the keys file '", path_, "'"));
  }
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (file.gcount() == 0 && !file.eof())) {
    return absl::NotFoundError(StrCat("cannot read the keys file '", path_, "'"));
  }
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > kMaxFileBytes) {
    return absl::InvalidArgumentError(
        StrCat("keys file '", path_, "' is larger than ", kMaxFileBytes, " bytes"));
  }
  ASSIGN_OR_RETURN(ApiKeys keys, ApiKeys::Parse(text, path_));
  auto loaded = std::make_shared<const ApiKeys>(std::move(keys));
  const std::lock_guard lock(mutex_);
  keys_ = std::move(loaded);
  return absl::OkStatus();
}

std::optional<std::string> KeyStore::Find(std::string_view presented) const {
  std::shared_ptr<const ApiKeys> keys;
  {
    const std::lock_guard lock(mutex_);
    keys = keys_;
  }
  return keys == nullptr ? std::nullopt : keys->Find(presented);
}

}  // namespace infer::http
