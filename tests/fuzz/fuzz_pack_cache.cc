// SPDX-License-Identifier: Apache-2.0
//
// A hostile file of packed weights. The first bytes of the input change a file that was stored
// properly, in pairs of position and value; the rest is the whole file instead if the first byte is
// odd. Loading gives the bytes that were stored, or an error.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/pack_cache.h"

namespace {

constexpr infer::PackCacheKey kKey = {.layouts = 1, .files = 2};

std::vector<std::byte> Content() {
  std::vector<std::byte> bytes(300);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
  return bytes;
}

infer::PackCache::Parts PartsOf(std::vector<std::byte>& bytes) {
  return {std::span(bytes).first(100), std::span(bytes).subspan(100)};
}

std::string PathOf(const char* name) {
  // In memory where there is such a folder.
  static const std::filesystem::path folder = std::filesystem::exists("/dev/shm")
                                                  ? std::filesystem::path("/dev/shm")
                                                  : std::filesystem::temp_directory_path();
  return (folder / ("fuzz_pack_cache." + std::to_string(getpid()) + "." + name)).string();
}

void Overwrite(const std::string& path, std::string_view bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    std::abort();
  }
  close(fd);
}

std::string StoredFile() {
  const std::string path = PathOf("stored");
  std::vector<std::byte> bytes = Content();
  if (!infer::PackCache(path, kKey).Store(PartsOf(bytes), {.hash = 3, .settled = true}, {}).ok()) {
    std::abort();
  }
  std::string file(4096, '\0');
  const int fd = open(path.c_str(), O_RDONLY);
  file.resize(static_cast<size_t>(read(fd, file.data(), file.size())));
  close(fd);
  unlink(path.c_str());
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  static const std::string stored = StoredFile();
  static const std::string path = PathOf("read");
  if (bytes == 0) return 0;
  std::string file(reinterpret_cast<const char*>(data) + 1, bytes - 1);
  if ((data[0] & 1) == 0) {
    file = stored;
    for (size_t i = 1; i + 2 < bytes; i += 3) {
      file[(data[i] * 256u + data[i + 1]) % file.size()] = static_cast<char>(data[i + 2]);
    }
    if ((data[0] & 2) != 0) file.resize(file.size() - std::min<size_t>(file.size(), data[0] >> 2));
  }
  Overwrite(path, file);
  std::vector<std::byte> read(300);
  const infer::PackCache cache(path, kKey);
  const absl::Status status = cache.Load(PartsOf(read), {});
  if (status.ok() && read != Content()) std::abort();
  if (!status.ok() && status.message().empty()) std::abort();
  cache.Renew(PartsOf(read), {.hash = 3, .settled = true});
  unlink(path.c_str());
  return 0;
}
