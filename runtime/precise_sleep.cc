// SPDX-License-Identifier: Apache-2.0
#include "runtime/precise_sleep.h"

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace infer {

void SleepPrecisely() {
#ifdef __linux__
  prctl(PR_SET_TIMERSLACK, 1000UL);
#endif
}

}  // namespace infer
