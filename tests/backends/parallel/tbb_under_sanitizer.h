// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

namespace infer {

// ThreadSanitizer does not see how oneTBB, which is not built with it, hands work over, and calls
// each piece of work a race.
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
inline constexpr bool kTbbLooksLikeRaces = true;
#else
inline constexpr bool kTbbLooksLikeRaces = false;
#endif

}  // namespace infer
