// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace infer {

// How long OpenMP's idle threads spin before they sleep: the library's default (0.2 s), for ever,
// or not at all. The last two are what OMP_WAIT_POLICY=active and passive request.
enum class OpenMpWait { kDefault, kActive, kPassive };

void SetOpenMpWait(OpenMpWait wait);
void RunEmptyOpenMpRegion(int threads);

}  // namespace infer
