// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/file_kind.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "frontends/gguf/printable.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// As much of the file as any of the checks below needs.
constexpr size_t kHeadBytes = 512;

struct Magic {
  std::string_view bytes;
  std::string_view what;
  std::string_view next;
};

constexpr std::string_view kConvert = "convert the model to GGUF first";
constexpr std::string_view kReconvert =
    "convert the original model again with a current converter, or download a newer file";
constexpr std::string_view kUnpack = "unpack it first";
constexpr std::string_view kDownload = "download it again";

// Magics that contain a NUL get their length from the array, hence the helper.
template <size_t N>
constexpr std::string_view Bytes(const char (&text)[N]) {
  return {text, N - 1};
}

// The GGML magics are numbers, which a little-endian writer stores reversed.
constexpr Magic kMagics[] = {
    {"PK\x03\x04", "a zip archive (or a PyTorch checkpoint)", kConvert},
    {"PK\x05\x06", "an empty zip archive", kDownload},
    {"\x1f\x8b", "a gzip archive", kUnpack},
    {"\xfd"
     "7zXZ",
     "an xz archive", kUnpack},
    {"\x28\xb5\x2f\xfd", "a zstd archive", kUnpack},
    {"7z\xbc\xaf", "a 7z archive", kUnpack},
    {"BZh", "a bzip2 archive", kUnpack},
    {"lmgg", "an old GGML file (magic ggml, without version)", kReconvert},
    {"ggml", "an old GGML file (magic ggml, without version)", kReconvert},
    {"fmgg", "an old GGML file (magic ggmf)", kReconvert},
    {"ggmf", "an old GGML file (magic ggmf)", kReconvert},
    {"tjgg", "an old GGML file (magic ggjt)", kReconvert},
    {"ggjt", "an old GGML file (magic ggjt)", kReconvert},
    {"algg", "a GGML LoRA adapter (magic ggla)", "give the base model as a GGUF file"},
    {"ggla", "a GGML LoRA adapter (magic ggla)", "give the base model as a GGUF file"},
    {"FUGG", "a GGUF file with reversed magic (big-endian)", "convert it to little-endian"},
    {"\x80\x02", "a Python pickle (an old PyTorch checkpoint)", kConvert},
    {"\x89HDF", "an HDF5 file", kConvert},
    {"\x93NUMPY", "a NumPy array", kConvert},
    {"\x7f"
     "ELF",
     "a program", "give a model file"},
    {Bytes("\0\0\0\0"), "a file that begins with zeros (an unfinished download?)", kDownload},
};

absl::Status NotGguf(std::string_view file, std::string_view what, std::string_view next) {
  return absl::InvalidArgumentError(StrCat(Printable(file), ": byte 0: found ", what,
                                           ", expected a GGUF file (magic \"GGUF\"); ", next));
}

uint64_t ReadNumber(std::string_view head, size_t at, size_t count_bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < count_bytes; ++i) {
    number |= static_cast<uint64_t>(static_cast<unsigned char>(head[at + i])) << (8 * i);
  }
  return number;
}

bool IsText(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 32 ? byte != 127 : c == '\n' || c == '\r' || c == '\t';
  });
}

// A header length of 8 bytes, followed by JSON.
bool IsSafetensors(std::string_view head) {
  return head.size() >= 10 && head[8] == '{' && (head[9] == '"' || head[9] == '}') &&
         ReadNumber(head, 0, 8) < (uint64_t{1} << 32);
}

std::string LfsAdvice(std::string_view head) {
  const size_t line = head.find("\nsize ");
  if (line == std::string_view::npos) return "fetch the model with 'git lfs pull'";
  std::string_view digits = head.substr(line + 6, 20);
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  return StrCat("fetch the model itself (", digits, " bytes) with 'git lfs pull'");
}

absl::Status TextError(std::string_view file, std::string_view head) {
  std::string_view text = head;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (absl::StartsWithIgnoreCase(ToAbsl(text), "<!doctype html") ||
      absl::StartsWithIgnoreCase(ToAbsl(text), "<html") || text.starts_with("<!--")) {
    return NotGguf(file, "an HTML page (a login or error page of a web site?)",
                   "download the file itself, not the page about it");
  }
  if (text.starts_with("<?xml") || text.starts_with("<Error")) {
    return NotGguf(file, "an XML text (an error response from a server?)", kDownload);
  }
  if (text.starts_with("{") || text.starts_with("[")) {
    return NotGguf(file, StrCat("JSON text ", Quoted(text, 40)),
                   "give the model file, not its configuration or an error response");
  }
  return NotGguf(file, StrCat("text ", Quoted(text, 40)), "give a model file");
}

absl::Status ShortFile(std::string_view file, std::string_view head) {
  if (head.empty()) {
    return absl::DataLossError(StrCat(Printable(file),
                                      ": byte 0: the file is empty (0 bytes), expected a GGUF "
                                      "file; download it again"));
  }
  if (head == std::string_view("GGUF").substr(0, head.size())) {
    return absl::DataLossError(StrCat(Printable(file), ": byte ", head.size(),
                                      ": the file ends after ", head.size(),
                                      " bytes, expected a GGUF header; download it again"));
  }
  return NotGguf(file, StrCat("only ", head.size(), " bytes ", Quoted(head)), kDownload);
}

absl::Status CheckVersion(std::string_view file, std::string_view head) {
  if (head.size() < 8) return ShortFile(file, head.substr(0, 4));
  const uint64_t version = ReadNumber(head, 4, 4);
  const std::string place = StrCat(Printable(file), ": byte 4: ");
  if (version == 2 || version == 3) return absl::OkStatus();
  if (version == 1) {
    return absl::InvalidArgumentError(
        StrCat(place, "GGUF version is 1, expected 2 or 3; ", kReconvert));
  }
  // A big-endian file of version 1 to 65535 has zeros in the low half.
  if (version != 0 && (version & 0xffff) == 0) {
    return absl::InvalidArgumentError(
        StrCat(place, "the GGUF file is big-endian (version reads as ", version,
               "), expected little-endian; convert it to little-endian"));
  }
  const std::string_view next =
      version == 0 ? kDownload : std::string_view("the file is damaged or needs newer software");
  return absl::InvalidArgumentError(
      StrCat(place, "GGUF version is ", version, ", expected 2 or 3; ", next));
}

}  // namespace

absl::Status CheckFileKind(std::string_view file, std::span<const std::byte> bytes) {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                              std::min(bytes.size(), kHeadBytes));
  if (head.starts_with("GGUF")) return CheckVersion(file, head);
  if (head.size() < 4) return ShortFile(file, head);
  if (head.starts_with("version https://git-lfs")) {
    return NotGguf(file, "a Git-LFS pointer", LfsAdvice(head));
  }
  if (IsSafetensors(head)) return NotGguf(file, "a safetensors file", kConvert);
  if (head.size() > 262 && head.substr(257, 5) == "ustar") {
    return NotGguf(file, "a tar archive", kUnpack);
  }
  if (head.starts_with("PK\x03\x04") && absl::StrContains(ToAbsl(head), ".pkl")) {
    return NotGguf(file, "a PyTorch checkpoint (zip archive with a pickle)", kConvert);
  }
  for (const Magic& magic : kMagics) {
    if (head.starts_with(magic.bytes)) return NotGguf(file, magic.what, magic.next);
  }
  if (IsText(head)) return TextError(file, head);
  return NotGguf(file, StrCat("the bytes ", Quoted(head.substr(0, 8))),
                 "check that this is the right file, or download it again");
}

}  // namespace infer
