// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace infer {

// The stages of a graph's compilation. The verifier knows what must hold at each stage.
enum class Stage : uint8_t {
  kImported,   // as the frontend wrote it
  kBound,      // every symbol in use has a range
  kPlaced,     // every node has a placement; no node is added or removed from here on
  kScheduled,  // the plan has its segments
  kPlanned,    // the plan has a slot for every value
};
inline constexpr int kNumStages = 5;

inline constexpr std::string_view Name(Stage stage) {
  constexpr std::string_view kNames[] = {"imported", "bound", "placed", "scheduled", "planned"};
  return kNames[static_cast<int>(stage)];
}

inline std::optional<Stage> FindStage(std::string_view name) {
  for (int i = 0; i < kNumStages; ++i) {
    if (Name(static_cast<Stage>(i)) == name) return static_cast<Stage>(i);
  }
  return std::nullopt;
}

}  // namespace infer
