// SPDX-License-Identifier: Apache-2.0
//
// What clang calls before each access of a shader: the calls of AddressSanitizer, under a name of
// our own. In a build with AddressSanitizer they also make its check.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_format.h"
#include "tests/metal_emulation/runtime/access_trace.h"
#include "tests/metal_emulation/runtime/group.h"
#include "tests/metal_emulation/runtime/poison.h"

namespace infer::emulation {

// Here, because all of the runtime needs them: a linker that takes any of it from its archive also
// takes the calls below, which only shaders make.
thread_local Group* current_group = nullptr;
thread_local Thread* current_thread = nullptr;
constinit thread_local AccessTrace* current_trace = nullptr;

namespace {

inline void Record(uintptr_t address, size_t bytes, bool writes) {
  if (address - reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < kFrameWindow) return;
  if (AccessTrace* const trace = current_trace) trace->Add(address, bytes, writes);
}

#if INFER_EMULATION_ALIGNMENT
void FailMisaligned(const Site& site, uintptr_t address, size_t alignment) {
  if (current_group == nullptr) return;  // a constructor of the file's tables
  Fail(site, absl::StrFormat("misaligned access: %d bytes off a multiple of %d",
                             address % alignment, alignment));
}
#endif

void RecordMany(const void* memory, size_t bytes, bool writes) {
  if (bytes > 0) Record(reinterpret_cast<uintptr_t>(memory), bytes, writes);
}

}  // namespace
}  // namespace infer::emulation

#if INFER_EMULATION_ASAN
#define INFER_CALL_NAME(name) infer_trace_##name
#define INFER_CHECK(name, ...) __asan_##name(__VA_ARGS__)
#define INFER_FILL __asan_memset
#define INFER_COPY __asan_memcpy
#define INFER_MOVE __asan_memmove
extern "C" {
#define INFER_DECLARE(size)          \
  void __asan_load##size(uintptr_t); \
  void __asan_store##size(uintptr_t);
INFER_DECLARE(1)
INFER_DECLARE(2)
INFER_DECLARE(4)
INFER_DECLARE(8)
INFER_DECLARE(16)
#undef INFER_DECLARE
void __asan_loadN(uintptr_t, size_t);
void __asan_storeN(uintptr_t, size_t);
void* __asan_memset(void*, int, size_t);
void* __asan_memcpy(void*, const void*, size_t);
void* __asan_memmove(void*, const void*, size_t);
}
#else
#define INFER_CALL_NAME(name) infer_trace_##name##_noabort
#define INFER_CHECK(name, ...) static_cast<void>(0)
#define INFER_FILL std::memset
#define INFER_COPY std::memcpy
#define INFER_MOVE std::memmove
#endif

extern "C" {

#define INFER_CALLS(size)                                \
  void INFER_CALL_NAME(load##size)(uintptr_t address) {  \
    INFER_CHECK(load##size, address);                    \
    infer::emulation::Record(address, size, false);      \
  }                                                      \
  void INFER_CALL_NAME(store##size)(uintptr_t address) { \
    INFER_CHECK(store##size, address);                   \
    infer::emulation::Record(address, size, true);       \
  }
INFER_CALLS(1)
INFER_CALLS(2)
INFER_CALLS(4)
INFER_CALLS(8)
INFER_CALLS(16)
#undef INFER_CALLS

void INFER_CALL_NAME(loadN)(uintptr_t address, size_t bytes) {
  INFER_CHECK(loadN, address, bytes);
  infer::emulation::Record(address, bytes, false);
}
void INFER_CALL_NAME(storeN)(uintptr_t address, size_t bytes) {
  INFER_CHECK(storeN, address, bytes);
  infer::emulation::Record(address, bytes, true);
}

void* infer_trace_memset(void* target, int value, size_t bytes) {
  infer::emulation::RecordMany(target, bytes, true);
  return INFER_FILL(target, value, bytes);
}
void* infer_trace_memcpy(void* target, const void* source, size_t bytes) {
  infer::emulation::RecordMany(source, bytes, false);
  infer::emulation::RecordMany(target, bytes, true);
  return INFER_COPY(target, source, bytes);
}
void* infer_trace_memmove(void* target, const void* source, size_t bytes) {
  infer::emulation::RecordMany(source, bytes, false);
  infer::emulation::RecordMany(target, bytes, true);
  return INFER_MOVE(target, source, bytes);
}

#if !INFER_EMULATION_ASAN
// Before a call that does not return.
void __asan_handle_no_return() {}
#endif

#if INFER_EMULATION_ALIGNMENT
// Where a shader makes an access that is less aligned than its type. Laid out as clang's own.
struct MisalignedAccess {
  const char* file;
  uint32_t line, column;
  const void* type;
  unsigned char log_alignment;
  unsigned char kind;
};
void __ubsan_handle_type_mismatch_v1(const MisalignedAccess* access, uintptr_t address) {
  infer::emulation::FailMisaligned({access->file, static_cast<int>(access->line)}, address,
                                   size_t{1} << access->log_alignment);
}
#endif

}  // extern "C"
