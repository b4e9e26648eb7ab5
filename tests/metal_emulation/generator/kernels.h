// SPDX-License-Identifier: Apache-2.0
//
// Attributes and parameter lists of kernels.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/metal_emulation/generator/source.h"

namespace infer::emulation {

// One of `[[name(argument), ...]]`.
struct Attribute {
  std::string_view name;
  std::string argument;  // without quotes
};

// `at` is the position of `[[`.
std::vector<Attribute> ReadAttributes(const std::vector<Token>& tokens, size_t at);

struct KernelParameter {
  std::string_view kind;  // a ParameterKind of runtime/registry.h: "kBuffer"
  int index;
  std::string name;
};

struct KernelDeclaration {
  std::string name;
  bool is_template = false;
  std::vector<KernelParameter> parameters;
  int max_threads = 1024;
  int line = 0;
};

// A row of the table: a kernel by its host name.
struct KernelInstance {
  std::string host_name;
  std::string expression;  // "matmul<float>"
  std::string function;    // "matmul"
  int line = 0;
};

struct FunctionConstantDeclaration {
  int index = 0;
  std::string type;
  std::string name;
};

struct ShaderTables {
  std::map<std::string, KernelDeclaration, std::less<>> kernels;
  std::vector<KernelInstance> instances;
  std::vector<FunctionConstantDeclaration> constants;
};

// `at` is the position of the word `kernel`, or of the `[[` of attributes before it.
KernelDeclaration ReadKernel(const Source& source, size_t at, bool is_template,
                             std::vector<Diagnostic>& errors);

// `template [[host_name("...")]] kernel ... ;` from `at` (the word `template`) to `end` (its ';').
KernelInstance ReadInstance(const Source& source, size_t at, size_t end, const ShaderTables& tables,
                            std::vector<Diagnostic>& errors);

}  // namespace infer::emulation
