// SPDX-License-Identifier: Apache-2.0
//
// Words that shaders may not use, or only from some language version on.
#pragma once

#include <string_view>

namespace infer::emulation {

struct Denied {
  std::string_view word;
  std::string_view reason;
};

// Section 1.4 "Metal and C++" of the language specification, version 3.1.
inline constexpr Denied kNoWords[] = {
    {"double", "Metal has no double"},
    {"goto", "goto is not supported"},
    {"new", "dynamic allocation is not supported"},
    {"delete", "dynamic allocation is not supported"},
    {"malloc", "dynamic allocation is not supported"},
    {"free", "dynamic allocation is not supported"},
    {"alloca", "dynamic allocation is not supported"},
    {"try", "exceptions are not supported"},
    {"catch", "exceptions are not supported"},
    {"throw", "exceptions are not supported"},
    {"noexcept", "exceptions are not supported"},
    {"virtual", "virtual functions are not supported"},
    {"dynamic_cast", "types at run time are not supported"},
    {"typeid", "types at run time are not supported"},
    {"thread_local", "storage class thread_local is not supported"},
    {"register", "storage class register is not supported"},
    {"std", "the C++ standard library does not exist; use namespace metal"},
    {"printf", "printf is not supported"},
    {"asm", "asm is not supported"},
    {"concept", "concepts are C++20, Metal is C++14"},
    {"requires", "concepts are C++20, Metal is C++14"},
    {"consteval", "consteval is C++20, Metal is C++14"},
    {"constinit", "constinit is C++20, Metal is C++14"},
    {"co_await", "coroutines are C++20, Metal is C++14"},
    {"co_yield", "coroutines are C++20, Metal is C++14"},
    {"atomic_ulong", "atomics of 64 bits need Apple8; the level is Apple7"},
    {"atomic_long", "atomics of 64 bits need Apple8; the level is Apple7"},
    {"simdgroup_async_copy", "undocumented, and gone from newer compilers"},
};

struct Since {
  std::string_view word;
  std::string_view level;
};
inline constexpr Since kSince[] = {
    {"bfloat", "3.1"},
    {"os_log", "3.2"},
    {"coherent", "3.2"},
    {"atomic_thread_fence", "3.2"},
    {"memory_order_acquire", "3.2"},
    {"memory_order_release", "3.2"},
    {"memory_order_acq_rel", "3.2"},
    {"memory_order_seq_cst", "3.2"},
    {"tensor", "4.0"},
    {"tensor_handle", "4.0"},
    {"cooperative_tensor", "4.0"},
    {"metal_tensor", "4.0"},
    {"mpp", "4.0"},
    {"matmul2d_descriptor", "4.0"},
};

inline constexpr std::string_view kScalars[] = {
    "bool",    "char",     "uchar",   "short",    "ushort",  "int",     "uint",   "long",
    "ulong",   "float",    "half",    "bfloat",   "int8_t",  "void",    "size_t", "uint8_t",
    "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"};

}  // namespace infer::emulation
