// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/generator/tables.h"

#include <set>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "tests/metal_emulation/generator/functions.h"

namespace infer::emulation {
namespace {

// Positions in the table of constants, for a kernel that reads them or calls what does.
std::string ConstantsOf(const std::vector<FunctionDefinition>& functions,
                        const ShaderTables& tables, const std::string& kernel) {
  const std::set<std::string_view> mentions = AllMentions(functions, kernel);
  std::string list;
  for (size_t i = 0; i < tables.constants.size(); ++i) {
    if (mentions.contains(tables.constants[i].name)) StrAppend(&list, i, ", ");
  }
  return list;
}

std::string KernelRow(const ShaderTables& tables, size_t i) {
  const KernelInstance& instance = tables.instances[i];
  const KernelDeclaration& kernel = tables.kernels.find(instance.function)->second;
  return absl::StrFormat(
      "    {\"%s\", &Invoke<&%s>::Call, parameters_%d, Invoke<&%s>::kTypes, constants_%d, %d, "
      "%d},\n",
      instance.host_name, instance.expression, i, instance.expression, i, kernel.max_threads,
      instance.line);
}

// std::array: it may have no elements.
std::string ParameterTable(const KernelDeclaration& kernel, const KernelInstance& instance,
                           size_t i) {
  std::string text = absl::StrFormat("static_assert(Invoke<&%s>::kArity == %d);\n",
                                     instance.expression, kernel.parameters.size());
  StrAppend(&text, "const std::array<Parameter, ", kernel.parameters.size(), "> parameters_", i,
            " = {{");
  for (const KernelParameter& parameter : kernel.parameters) {
    absl::StrAppendFormat(&text, "\n    {ParameterKind::%s, %d, \"%s\"},", parameter.kind,
                          parameter.index, parameter.name);
  }
  return text + "}};\n";
}

}  // namespace

std::string GenerateFile(const Source& source, const Translation& translation) {
  const ShaderTables& tables = translation.tables;
  const std::vector<FunctionDefinition> functions = FindFunctions(source.tokens);
  std::string text = StrCat("#include <metal_stdlib>\n", translation.code, "\n#line 1 \"",
                            source.files[0]->path, " (tables)\"\n");
  StrAppend(&text, "#ifdef MSL_CHECK\n");
  for (size_t i = 0; i < tables.instances.size(); ++i) {
    StrAppend(&text, "[[maybe_unused]] static auto* const msl_check_", i, " = &",
              tables.instances[i].expression, ";\n");
  }
  StrAppend(&text, "#else\n#include <array>\nnamespace infer::emulation {\nnamespace {\n");
  for (size_t i = 0; i < tables.instances.size(); ++i) {
    const KernelInstance& instance = tables.instances[i];
    const KernelDeclaration& kernel = tables.kernels.find(instance.function)->second;
    text += ParameterTable(kernel, instance, i);
    const std::string constants = ConstantsOf(functions, tables, instance.function);
    const size_t count = static_cast<size_t>(std::count(constants.begin(), constants.end(), ','));
    StrAppend(&text, "const std::array<int, ", count, "> constants_", i, " = {", constants, "};\n");
  }
  StrAppend(&text, "const std::array<Kernel, ", tables.instances.size(), "> kernels = {{\n");
  for (size_t i = 0; i < tables.instances.size(); ++i) text += KernelRow(tables, i);
  StrAppend(&text, "}};\nconst std::array<FunctionConstant, ", tables.constants.size(),
            "> constants = {{\n");
  for (const FunctionConstantDeclaration& constant : tables.constants) {
    absl::StrAppendFormat(&text, "    {%d, \"%s\", \"%s\", &%s, sizeof %s, &%s_defined},\n",
                          constant.index, constant.name, constant.type, constant.name,
                          constant.name, constant.name);
  }
  absl::StrAppendFormat(&text,
                        "}};\nconst ShaderFile file = {\"%s\", %#xull, kernels, constants};\n"
                        "const RegisterShaderFile registered(file);\n"
                        "}  // namespace\n}  // namespace infer::emulation\n#endif\n",
                        source.files[0]->path, Fingerprint(source.tokens));
  return text;
}

}  // namespace infer::emulation
