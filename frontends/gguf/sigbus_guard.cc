// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/sigbus_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <utility>

#include "absl/status/status.h"

namespace infer {
namespace {

// More than any model has split files. A fixed table, because a signal handler can walk it.
constexpr int kSlots = 4096;
constexpr uintptr_t kFree = 0;
constexpr uintptr_t kReserved = 1;  // taken, bounds not yet written

struct Slot {
  std::atomic<uintptr_t> begin{kFree};
  std::atomic<uintptr_t> end{0};
  std::atomic<bool> damaged{false};
};

Slot slots[kSlots];
uintptr_t page_bytes = 4096;
struct sigaction previous;

static_assert(std::atomic<uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "the handler must not wait for a lock");

Slot* FindSlot(uintptr_t address) {
  for (Slot& slot : slots) {
    const uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    if (begin <= kReserved || address < begin) continue;
    if (address < slot.end.load(std::memory_order_acquire)) return &slot;
  }
  return nullptr;
}

// Passes the signal to the previous handler.
void PassOn(int signal_number, siginfo_t* info, void* context) {
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal_number, info, context);
    return;
  }
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal_number);
    return;
  }
  // For the default action the signal is raised again, because one sent by kill() does not repeat
  // by itself.
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void OnSigbus(int signal_number, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  // A signal with a code of 0 or less was sent by a process and has no address.
  Slot* slot = nullptr;
  if (info->si_code > 0) slot = FindSlot(reinterpret_cast<uintptr_t>(info->si_addr));
  if (slot == nullptr) {
    PassOn(signal_number, info, context);
    errno = saved_errno;
    return;
  }
  const uintptr_t page = reinterpret_cast<uintptr_t>(info->si_addr) & ~(page_bytes - 1);
  slot->damaged.store(true, std::memory_order_release);
  // A single system call, as safe here as those that POSIX lists. Read-only like the mapping.
  void* zeros = mmap(reinterpret_cast<void*>(page), page_bytes, PROT_READ,
                     MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (zeros == MAP_FAILED) PassOn(signal_number, info, context);
  errno = saved_errno;
}

void InstallOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction action = {};
    action.sa_sigaction = OnSigbus;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    // Read before ours is installed, so that the handler never sees a half-written `previous`.
    sigaction(SIGBUS, nullptr, &previous);
    sigaction(SIGBUS, &action, nullptr);
  });
}

}  // namespace

absl::StatusOr<SigbusGuard> SigbusGuard::Watch(const void* begin, size_t bytes) {
  InstallOnce();
  for (int i = 0; i < kSlots; ++i) {
    uintptr_t expected = kFree;
    if (!slots[i].begin.compare_exchange_strong(expected, kReserved)) continue;
    const auto address = reinterpret_cast<uintptr_t>(begin);
    slots[i].damaged.store(false);
    slots[i].end.store(address + bytes);
    slots[i].begin.store(address, std::memory_order_release);
    SigbusGuard guard;
    guard.slot_ = i;
    return guard;
  }
  return absl::ResourceExhaustedError("4096 files are already mapped; close some of them");
}

SigbusGuard::SigbusGuard(SigbusGuard&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}

SigbusGuard& SigbusGuard::operator=(SigbusGuard&& other) noexcept {
  if (this != &other) {
    Release();
    slot_ = std::exchange(other.slot_, -1);
  }
  return *this;
}

bool SigbusGuard::damaged() const {
  return slot_ >= 0 && slots[slot_].damaged.load(std::memory_order_acquire);
}

void SigbusGuard::Release() {
  if (slot_ < 0) return;
  slots[slot_].end.store(0);
  slots[slot_].begin.store(kFree, std::memory_order_release);
  slot_ = -1;
}

}  // namespace infer
