// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace infer {

// From now on short sleeps of the calling thread end in time; by default each takes up to 50 us
// more.
void SleepPrecisely();

}  // namespace infer
