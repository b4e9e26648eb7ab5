// SPDX-License-Identifier: Apache-2.0
//
// Libraries, functions and function constants. The shaders were compiled with the program: a
// library is found by its text.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "ir/base/strings.h"
#include "tests/metal_emulation/device/state.h"
#include "tests/metal_emulation/generator/source.h"

namespace infer::emulation {
namespace {

struct TypeName {
  MTL::DataType type;
  std::string_view name;  // as a shader writes it
  size_t bytes;
};
constexpr TypeName kTypeNames[] = {
    {MTL::DataTypeBool, "bool", 1},     {MTL::DataTypeChar, "char", 1},
    {MTL::DataTypeUChar, "uchar", 1},   {MTL::DataTypeShort, "short", 2},
    {MTL::DataTypeUShort, "ushort", 2}, {MTL::DataTypeInt, "int", 4},
    {MTL::DataTypeUInt, "uint", 4},     {MTL::DataTypeLong, "long", 8},
    {MTL::DataTypeULong, "ulong", 8},   {MTL::DataTypeHalf, "half", 2},
    {MTL::DataTypeFloat, "float", 4},
};

const TypeName* FindType(MTL::DataType type) {
  const auto found = std::ranges::find(kTypeNames, type, &TypeName::type);
  return found == std::ranges::end(kTypeNames) ? nullptr : found;
}

std::string_view CanonicalType(std::string_view declared) {
  if (declared == "int32_t") return "int";
  if (declared == "uint32_t") return "uint";
  return declared;
}

ConstantValue Value(const void* value, MTL::DataType type) {
  const TypeName* const name = FindType(type);
  if (name == nullptr) {
    ReportProblem(StrCat("setConstantValue with data type ", type, ", which is not known"));
    return {type, ""};
  }
  return {type, std::string(static_cast<const char*>(value), name->bytes)};
}

// What is wrong with the values for `kernel`, or empty.
std::string CheckConstants(const ShaderFile& file, const Kernel& kernel,
                           const ConstantValues& values) {
  for (const FunctionConstant& constant : file.constants) {
    const auto value = values.find(constant.index);
    if (value == values.end()) continue;
    const TypeName* const given = FindType(value->second.type);
    if (given == nullptr || given->name != CanonicalType(constant.type)) {
      return StrCat("function constant '", constant.name, "' of kernel '", kernel.name, "' is a ",
                    constant.type, ", the value given is a ", given == nullptr ? "?" : given->name);
    }
  }
  for (const int position : kernel.constants) {
    const FunctionConstant& constant = file.constants[static_cast<size_t>(position)];
    if (!values.contains(constant.index)) {
      return StrCat("function constant '", constant.name, "' (index ", constant.index,
                    ") of kernel '", kernel.name, "' has no value");
    }
  }
  return "";
}

const Kernel* FindKernel(const ShaderFile& file, std::string_view name) {
  const auto found = std::ranges::find(
      file.kernels, name, [](const Kernel& kernel) { return std::string_view(kernel.name); });
  return found == file.kernels.end() ? nullptr : &*found;
}

// The file whose text this is, or nullptr and an error.
const ShaderFile* FindFile(const std::string& text, NS::Error** error) {
  const std::vector<Token> tokens = Tokenize(text);
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::kDirective || QuotedInclude(token.text).empty()) continue;
    SetError(error, StrCat("source:", token.line, ": ", token.text,
                           ": a library made from text finds no files; put its text in place"));
    return nullptr;
  }
  const uint64_t fingerprint = Fingerprint(tokens);
  for (const ShaderFile* const file : ShaderFiles()) {
    if (file->fingerprint == fingerprint) return file;
  }
  SetError(error,
           "this text is none of the shaders that were compiled into the emulation; it compiles "
           "none at run time: build again");
  return nullptr;
}

MTL::Library* NewLibrary(const std::string& text, NS::Error** error) {
  const ShaderFile* const file = FindFile(text, error);
  if (file == nullptr) return nullptr;
  const auto& failures = settings().library_failures;
  if (const auto failure = failures.find(std::filesystem::path(file->path).stem().string());
      failure != failures.end()) {
    SetError(error, failure->second);
    return nullptr;
  }
  auto* const library = new MTL::Library;
  library->emulated_label = file->path;
  library->state->file = file;
  return library;
}

}  // namespace
}  // namespace infer::emulation

namespace MTL {

using infer::StrCat;

namespace emulation = infer::emulation;

CompileOptions::CompileOptions() : state(new State) {}
CompileOptions::~CompileOptions() = default;
CompileOptions* CompileOptions::alloc() { return new CompileOptions; }
CompileOptions* CompileOptions::init() { return this; }
LanguageVersion CompileOptions::languageVersion() const { return state->version; }
void CompileOptions::setLanguageVersion(LanguageVersion version) {
  state->version_set = true;
  state->version = version;
}
void CompileOptions::setMathMode(MathMode) {}
void CompileOptions::setMathFloatingPointFunctions(MathFloatingPointFunctions) {}
void CompileOptions::setFastMathEnabled(bool) {}
void CompileOptions::setPreprocessorMacros(const NS::Dictionary* macros) {
  if (macros != nullptr && macros->count() > 0) {
    emulation::ReportProblem(
        "setPreprocessorMacros: the shaders are compiled already; use function constants");
  }
}

FunctionConstantValues::FunctionConstantValues() : state(new State) {}
FunctionConstantValues::~FunctionConstantValues() = default;
FunctionConstantValues* FunctionConstantValues::alloc() { return new FunctionConstantValues; }
FunctionConstantValues* FunctionConstantValues::init() { return this; }
void FunctionConstantValues::setConstantValue(const void* value, DataType type,
                                              NS::UInteger index) {
  state->by_index[static_cast<int>(index)] = emulation::Value(value, type);
}
void FunctionConstantValues::setConstantValue(const void* value, DataType type,
                                              const NS::String* name) {
  state->by_name[name->emulated_text] = emulation::Value(value, type);
}
void FunctionConstantValues::setConstantValues(const void* values, DataType type, NS::Range range) {
  const auto* bytes = static_cast<const char*>(values);
  for (NS::UInteger i = 0; i < range.length; ++i) {
    setConstantValue(bytes, type, range.location + i);
    bytes += state->by_index[static_cast<int>(range.location + i)].bytes.size();
  }
}
void FunctionConstantValues::reset() { *state = State(); }

Function::Function() : state(new State) {}
Function::~Function() = default;
NS::String* Function::name() const { return emulation::AutoreleasedString(state->kernel->name); }
NS::String* Function::label() const { return emulation::AutoreleasedString(emulated_label); }
void Function::setLabel(const NS::String* label) { emulated_label = label->emulated_text; }

Library::Library() : state(new State) {}
Library::~Library() = default;
NS::String* Library::label() const { return emulation::AutoreleasedString(emulated_label); }
void Library::setLabel(const NS::String* label) { emulated_label = label->emulated_text; }

NS::Array* Library::functionNames() const {
  NS::Array* const names = NS::Array::array();
  for (const emulation::Kernel& kernel : state->file->kernels) {
    names->emulated_objects.push_back(emulation::AutoreleasedString(kernel.name)->retain());
  }
  return names;
}

Function* Library::newFunction(const NS::String* name) {
  return newFunction(name, nullptr, nullptr);
}

Function* Library::newFunction(const NS::String* name, const FunctionConstantValues* values,
                               NS::Error** error) {
  const emulation::ShaderFile& file = *state->file;
  const emulation::Kernel* const kernel = emulation::FindKernel(file, name->emulated_text);
  if (kernel == nullptr) {
    emulation::SetError(error, StrCat(file.path, ": no kernel named '", name->emulated_text, "'"));
    return nullptr;
  }
  emulation::ConstantValues constants;
  if (values != nullptr) {
    constants = values->state->by_index;
    for (const emulation::FunctionConstant& constant : file.constants) {
      const auto named = values->state->by_name.find(constant.name);
      if (named != values->state->by_name.end()) constants[constant.index] = named->second;
    }
  }
  if (const std::string wrong = emulation::CheckConstants(file, *kernel, constants);
      !wrong.empty()) {
    emulation::SetError(error, StrCat(file.path, ": ", wrong));
    return nullptr;
  }
  auto* const function = new Function;
  function->emulated_label = kernel->name;
  *function->state = {&file, kernel, std::move(constants)};
  return function;
}

Library* Device::newLibrary(const NS::String* source, const CompileOptions* options,
                            NS::Error** error) {
  if (options == nullptr || !options->state->version_set) {
    emulation::SetError(error,
                        "the language version is left to its default, which changes with the "
                        "system: call CompileOptions::setLanguageVersion");
    return nullptr;
  }
  return emulation::NewLibrary(source->emulated_text, error);
}

// A compiled library of the emulation is a file that holds the source.
Library* Device::newLibrary(const NS::URL* url, NS::Error** error) {
  std::ifstream file(url->emulated_path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  Library* const library = emulation::NewLibrary(text, error);
  if (library != nullptr) emulation::Count(&emulation::Counters::compiled_libraries);
  return library;
}

}  // namespace MTL
