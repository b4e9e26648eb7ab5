// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/gguf_entry.h"

#include <bit>
#include <utility>

namespace infer {
namespace {

GgufEntry MakeEntry(std::string_view key, GgufValueType type, std::string payload = {}) {
  return {std::string(key), static_cast<uint32_t>(type), std::move(payload)};
}

void AppendArrayHead(std::string* out, GgufValueType type, uint64_t count) {
  AppendUint32(out, static_cast<uint32_t>(type));
  AppendUint64(out, count);
}

}  // namespace

void AppendUint32(std::string* out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out->push_back(static_cast<char>(value >> shift));
}

void AppendUint64(std::string* out, uint64_t value) {
  AppendUint32(out, static_cast<uint32_t>(value));
  AppendUint32(out, static_cast<uint32_t>(value >> 32));
}

void AppendGgufString(std::string* out, std::string_view text) {
  AppendUint64(out, text.size());
  out->append(text);
}

GgufEntry Uint32Entry(std::string_view key, uint32_t value) {
  GgufEntry entry = MakeEntry(key, GgufValueType::kUint32);
  AppendUint32(&entry.payload, value);
  return entry;
}

GgufEntry Float32Entry(std::string_view key, float value) {
  GgufEntry entry = MakeEntry(key, GgufValueType::kFloat32);
  AppendUint32(&entry.payload, std::bit_cast<uint32_t>(value));
  return entry;
}

GgufEntry BoolEntry(std::string_view key, bool value) {
  return MakeEntry(key, GgufValueType::kBool, std::string(1, value ? '\1' : '\0'));
}

GgufEntry StringEntry(std::string_view key, std::string_view value) {
  GgufEntry entry = MakeEntry(key, GgufValueType::kString);
  AppendGgufString(&entry.payload, value);
  return entry;
}

GgufEntry StringsEntry(std::string_view key, std::span<const std::string> values) {
  GgufEntry entry = MakeEntry(key, GgufValueType::kArray);
  AppendArrayHead(&entry.payload, GgufValueType::kString, values.size());
  for (const std::string& value : values) AppendGgufString(&entry.payload, value);
  return entry;
}

GgufEntry Int32sEntry(std::string_view key, std::span<const int32_t> values) {
  GgufEntry entry = MakeEntry(key, GgufValueType::kArray);
  AppendArrayHead(&entry.payload, GgufValueType::kInt32, values.size());
  for (int32_t value : values) AppendUint32(&entry.payload, static_cast<uint32_t>(value));
  return entry;
}

}  // namespace infer
