// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace infer {

// What `--version` prints: version, git revision, compiler, build type, back ends, CPU features.
std::string VersionText();

// Of the source that this was built from.
std::string GitRevision();

// Of the CPU that this was built for: "aarch64", "x86_64".
std::string CpuArchitecture();

// Features of the CPU that runs this which kernels make use of, as Linux spells them: "asimddp",
// "i8mm", "avx2".
std::vector<std::string> CpuFeatures();

}  // namespace infer
