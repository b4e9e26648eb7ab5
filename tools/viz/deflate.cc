// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <new>

namespace infer {
namespace {

// Through operator new, so that a lack of memory ends a tool as it does everywhere else.
void* Allocate(void*, uInt count, uInt bytes) { return ::operator new(size_t{count} * bytes); }
void Free(void*, void* memory) { ::operator delete(memory); }

constexpr int kLevel = 9;
constexpr int kMemoryLevel = 9;
// 32 KiB; negative: without the head and the checksum of zlib's own format.
constexpr int kWindowBits = -15;

}  // namespace

std::string Deflate(std::string_view bytes) {
  z_stream stream = {};
  stream.zalloc = Allocate;
  stream.zfree = Free;
  deflateInit2(&stream, kLevel, Z_DEFLATED, kWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY);
  std::string out;
  char buffer[1 << 14];
  int result = Z_OK;
  while (result != Z_STREAM_END) {
    const size_t piece_bytes = std::min(bytes.size(), size_t{1} << 30);  // zlib counts in 32 bits
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(piece_bytes);
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof(buffer);
    result = deflate(&stream, piece_bytes == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    bytes.remove_prefix(piece_bytes - stream.avail_in);
    out.append(buffer, sizeof(buffer) - stream.avail_out);
  }
  deflateEnd(&stream);
  return out;
}

}  // namespace infer
