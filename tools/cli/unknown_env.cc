// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/unknown_env.h"

#include <unistd.h>

#include <string_view>

#include "ir/base/nearest.h"
#include "ir/base/strings.h"

extern char** environ;  // macOS declares it nowhere

namespace infer {
namespace {

constexpr std::string_view kPrefix = "INFER_";
// Variables that are not flags: of the tools, and of the tests and scripts that start them. More of
// the tests' begin with kTestPrefix.
constexpr std::string_view kTestPrefix = "INFER_TEST_";
const EnvNames kNotFlags = {"INFER_CPU",
                            "INFER_LOG",
                            "INFER_METAL_EMULATION",
                            "INFER_MODELS",
                            "INFER_MPI_LIBRARY",
                            "INFER_NETWORK",
                            "INFER_BIN_DIR",
                            "INFER_CHROMIUM",
                            "INFER_NODE_MODULES",
                            "INFER_PROPERTY_COUNT",
                            "INFER_PROPERTY_SEED",
                            "INFER_SERVE_KEY",
                            "INFER_SERVE_SCHEMAS",
                            "INFER_SERVE_URL",
                            "INFER_UPDATE_GOLDENS"};

bool IsExplained(const std::string& name, const EnvNames& known) {
  return known.contains(name) || kNotFlags.contains(name) || name.starts_with(kTestPrefix);
}

}  // namespace

EnvNames ProcessEnvNames() {
  EnvNames names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with(kPrefix)) names.emplace(text.substr(0, text.find('=')));
  }
  return names;
}

std::vector<std::string> UnknownEnvWarnings(const EnvNames& names, const EnvNames& own,
                                            const std::function<EnvNames()>& others) {
  std::vector<std::string> unknown;
  for (const std::string& name : names) {
    if (!IsExplained(name, own)) unknown.push_back(name);
  }
  if (unknown.empty()) return {};
  EnvNames known = others();
  known.insert(own.begin(), own.end());
  known.insert(kNotFlags.begin(), kNotFlags.end());
  const std::vector<std::string> candidates(known.begin(), known.end());
  std::vector<std::string> warnings;
  for (const std::string& name : unknown) {
    if (IsExplained(name, known)) continue;
    warnings.push_back(StrCat("the environment variable ", name, " belongs to no flag",
                              DidYouMean(name, candidates), "; it has no effect"));
  }
  return warnings;
}

}  // namespace infer
