// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace infer {

// Returns what `--version` prints: version, git revision, compiler, build type, back ends, CPU
// features.
std::string VersionText();

// Returns the version of the project: "0.1.0".
std::string ProjectVersion();

// Returns the git revision of the source that this was built from.
std::string GitRevision();

// Returns the CPU architecture that this was built for: "aarch64", "x86_64".
std::string CpuArchitecture();

// Returns those features of the running CPU that kernels use, as Linux spells them: "asimddp",
// "i8mm", "avx2".
std::vector<std::string> CpuFeatures();

}  // namespace infer
