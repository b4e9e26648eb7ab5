// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/levels/choose_level.h"

#include <algorithm>
#include <cstdlib>

#include "backends/simd/levels/levels.h"
#include "ir/base/lookup_count.h"
#include "ir/base/nearest.h"
#include "ir/base/strings.h"

namespace infer::simd {
namespace {

// The values that INFER_CPU may have on any machine.
constexpr std::string_view kNames[] = {"scalar",  "neon",   "dotprod", "i8mm",    "avx2",
                                       "avxvnni", "avx512", "amx",     "emulated"};

const Level* FindLevel(std::string_view name) {
  for (const Level* level : AllLevels()) {
    if (level->name == name) return level;
  }
  return nullptr;
}

LevelChoice Refused(std::string reason) {
  return {.level = nullptr, .valid = false, .reason = std::move(reason)};
}

LevelChoice BestLevel() {
  for (size_t i = AllLevels().size(); i-- > 0;) {
    const Level* level = AllLevels()[i];
    if (level->is_for_tests || !level->runs_here()) continue;
    return {.level = level,
            .valid = true,
            .reason = StrCat("the best level that this CPU supports (", level->needs, ")")};
  }
  const auto least = std::ranges::find(AllLevels(), false, &Level::is_for_tests);
  if (least == AllLevels().end()) {
    return {.level = nullptr, .reason = "no level for this architecture"};
  }
  return {
      .level = nullptr,
      .reason = StrCat("this CPU does not support even ", (*least)->name, ": ", (*least)->needs)};
}

LevelChoice ForcedLevel(std::string_view forced) {
  if (forced == "scalar") return {.level = nullptr, .reason = "INFER_CPU=scalar"};
  if (std::ranges::find(kNames, forced) == std::end(kNames)) {
    return Refused(StrCat("INFER_CPU=", forced, " is not a level", DidYouMean(forced, kNames),
                          "; expected scalar, neon, dotprod, i8mm, avx2, avxvnni, avx512 or amx"));
  }
  const Level* level = FindLevel(forced);
  if (level == nullptr) {
    return Refused(StrCat("INFER_CPU=", forced, " is not in this build, which is ",
                          forced == "emulated" ? "without tests" : "for another architecture",
                          "; unset it to use the best level of this CPU"));
  }
  if (!level->runs_here()) {
    if (level->why_not != nullptr && !level->why_not().empty()) {
      return Refused(StrCat("INFER_CPU=", forced, " cannot be used: ", level->why_not(),
                            "; unset it to use the best level of this CPU"));
    }
    return Refused(StrCat("INFER_CPU=", forced, " needs a CPU with ", level->needs,
                          ", which this one lacks; unset it to use the best level of this CPU"));
  }
  return {.level = level, .reason = StrCat("INFER_CPU=", forced)};
}

}  // namespace

std::span<const Level* const> AllLevels() {
#if defined(__aarch64__) || defined(__x86_64__)
  static constexpr const Level* kLevels[] = {
#ifdef INFER_SIMD_EMULATED
      &kEmulatedLevel,
#endif
#if defined(__aarch64__)
      &kNeonLevel,
      &kDotprodLevel,
      &kI8mmLevel,
#else
      &kAvx2Level,
      &kAvxVnniLevel,
      &kAvx512Level,
      &kAmxLevel,
#endif
  };
  return kLevels;
#else
  return {};
#endif
}

LevelChoice ChooseLevel(std::string_view forced) {
  return forced.empty() ? BestLevel() : ForcedLevel(forced);
}

const LevelChoice& ChosenLevel() {
  CountLookup();
  static const LevelChoice choice = [] {
    const char* forced = std::getenv("INFER_CPU");
    return ChooseLevel(forced == nullptr ? "" : forced);
  }();
  return choice;
}

}  // namespace infer::simd
