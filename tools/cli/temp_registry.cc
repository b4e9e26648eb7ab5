// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/temp_registry.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace infer {
namespace {

// Tools write one or two files at a time; a dump of every pass writes its files one after another.
constexpr int kPlaces = 16;
std::atomic<char*> g_temp_paths[kPlaces];
static_assert(std::atomic<char*>::is_always_lock_free, "read inside a signal handler");

}  // namespace

TempRegistration::TempRegistration(const std::string& path) {
  char* copy = strdup(path.c_str());
  for (int i = 0; i < kPlaces && copy != nullptr; ++i) {
    char* expected = nullptr;
    if (g_temp_paths[i].compare_exchange_strong(expected, copy)) {
      place_ = i;
      return;
    }
  }
  std::free(copy);
}

TempRegistration::~TempRegistration() {
  if (place_ >= 0) std::free(g_temp_paths[place_].exchange(nullptr));
}

void RemoveRegisteredTemps() {
  for (std::atomic<char*>& entry : g_temp_paths) {
    // Removed from the list but not freed: the handler may not call free, and the process is about
    // to end.
    if (char* path = entry.exchange(nullptr)) unlink(path);
  }
}

}  // namespace infer
