// SPDX-License-Identifier: Apache-2.0
//
// What the generator records about the shader files that were compiled into the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

// Functions between these are compiled into shader files, but touch memory of the runtime: no call
// is made before their accesses (runtime/access_calls.cc).
#if defined(__clang__)
// clang-format off: the text of a _Pragma is one literal.
#define INFER_RUNTIME_BEGIN \
  _Pragma("clang attribute push(__attribute__((no_sanitize(\"kernel-address\", \"address\", \"alignment\"))), apply_to = function)")
// clang-format on
#define INFER_RUNTIME_END _Pragma("clang attribute pop")
#else
#define INFER_RUNTIME_BEGIN
#define INFER_RUNTIME_END
#endif

namespace infer::emulation {

enum class ParameterKind : uint8_t {
  kBuffer,       // [[buffer(n)]]
  kThreadgroup,  // [[threadgroup(n)]]
  kThreadPositionInGrid,
  kThreadgroupPositionInGrid,
  kThreadPositionInThreadgroup,
  kThreadIndexInThreadgroup,
  kThreadIndexInSimdgroup,
  kSimdgroupIndexInThreadgroup,
  kSimdgroupsPerThreadgroup,
  kThreadsPerSimdgroup,
  kThreadsPerThreadgroup,
  kThreadgroupsPerGrid,
  kThreadsPerGrid,
};

struct Parameter {
  ParameterKind kind;
  int index;  // of buffers and threadgroup memory
  const char* name;
};

// What only the compiler knows about a parameter.
struct ParameterType {
  bool writes = false;   // a pointer or reference to what is not const
  uint32_t element = 0;  // bytes of what a pointer or reference leads to
  uint32_t alignment = 0;
};

struct FunctionConstant {
  int index;
  const char* name;
  const char* type;  // as the shader writes it: "int", "bool"
  void* value;
  size_t bytes;
  bool* defined;
};

struct Kernel {
  const char* name;  // host name
  void (*call)(const Parameter* parameters);
  std::span<const Parameter> parameters;
  std::span<const ParameterType> types;
  // Positions in ShaderFile::constants of those that the kernel, or what it calls, reads without
  // asking is_function_constant_defined first.
  std::span<const int> constants;
  int max_threads;  // [[max_total_threads_per_threadgroup(n)]], or 1024
  int line;
};

struct ShaderFile {
  const char* path;      // as given to the generator
  uint64_t fingerprint;  // of the tokens; see generator/fingerprint.h
  std::span<const Kernel> kernels;
  std::span<const FunctionConstant> constants;
};

// All files of the program. Filled before main() by the objects that the generator wrote.
std::vector<const ShaderFile*>& ShaderFiles();

struct RegisterShaderFile {
  explicit RegisterShaderFile(const ShaderFile& file) { ShaderFiles().push_back(&file); }
};

}  // namespace infer::emulation
