// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/peer_watch.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

enum NoteKind : int32_t { kBeat, kFailure, kEnd };

// A rank that missed this many beats is the one that died, if one did.
constexpr int kUrgentBeats = 4;
// How long a rank tries to send its last note to each of the others.
constexpr std::chrono::milliseconds kLastNote{200};

struct Note {
  int32_t kind = kBeat;
  int32_t code = 0;  // of a failure
  char text[504] = {};
};

bool IsGone(const RankHome& home, const RankHome& here) {
  if (!IsSameHost(home, here)) return false;
  return kill(static_cast<pid_t>(home.pid), 0) != 0 && errno == ESRCH;
}

}  // namespace

RankHome ThisHome() {
  RankHome home;
  if (gethostname(home.host, sizeof(home.host) - 1) != 0) std::strcpy(home.host, "unknown");
  std::ifstream("/proc/sys/kernel/random/boot_id").getline(home.boot, sizeof(home.boot));
  home.pid = getpid();
  struct stat space;
  if (stat("/proc/self/ns/pid", &space) == 0) home.pid_space = static_cast<int64_t>(space.st_ino);
  return home;
}

bool IsSameHost(const RankHome& a, const RankHome& b) {
  return std::strcmp(a.host, b.host) == 0 && std::strcmp(a.boot, b.boot) == 0 &&
         a.pid_space == b.pid_space;
}

PeerWatch::PeerWatch(const InferMpi* mpi, std::mutex* mpi_mutex, int rank,
                     std::vector<RankHome> homes, Times times, std::function<void()> on_failure)
    : mpi_(mpi),
      mpi_mutex_(mpi_mutex),
      rank_(rank),
      times_(std::move(times)),
      on_failure_(std::move(on_failure)) {
  const auto now = times_.now();
  looked_ = now;
  resumed_ = now - 2 * times_.silence;
  for (RankHome& home : homes) peers_.push_back({.home = home, .seen = now, .place = {}});
  thread_ = std::thread([this] { Run(); });
}

PeerWatch::~PeerWatch() { Stop(); }

void PeerWatch::Stop() {
  over_.store(true);
  if (thread_.joinable()) thread_.join();
}

void PeerWatch::Run() {
  while (!over_.load()) {
    {
      std::string place;
      {
        const std::lock_guard lock(mutex_);
        place = place_;
      }
      SendAll(kBeat, place);
    }
    LookNow();
    std::this_thread::sleep_for(times_.beat);
  }
}

void PeerWatch::LookNow(bool urgent) {
  TakeNotes();
  FindDead(urgent ? kUrgentBeats * times_.beat : times_.silence);
}

void PeerWatch::SendAll(int32_t kind, const std::string& text, absl::StatusCode code) {
  Note note;
  note.kind = kind;
  note.code = static_cast<int32_t>(code);
  text.copy(note.text, sizeof(note.text) - 1);
  const auto send = [&](int to) {
    const std::lock_guard lock(*mpi_mutex_);
    return left_mpi_ || mpi_->send_note(&note, sizeof(note), to) == 0;
  };
  const auto is_sent = [&](int to) {
    const std::lock_guard lock(*mpi_mutex_);
    int done = 0;
    return left_mpi_ || (mpi_->test_note(to, &done) == 0 && done != 0);
  };
  for (int to = 0; to < static_cast<int>(peers_.size()); ++to) {
    if (to == rank_ || (kind == kEnd && IsDead(to))) continue;
    // A note waits until the one before it is on its way. A beat need not: the next one comes.
    const auto end = std::chrono::steady_clock::now() +
                     (kind == kBeat ? std::chrono::milliseconds(0) : kLastNote);
    const auto await = [end](const auto& is_done) {
      while (!is_done() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    };
    await([&] { return send(to); });
    // This rank may never call MPI again, which is what moves a note.
    if (kind != kBeat) await([&] { return is_sent(to); });
  }
}

void PeerWatch::TakeNotes() {
  while (true) {
    Note note;
    int from = -1;
    {
      const std::lock_guard lock(*mpi_mutex_);
      if (left_mpi_ || mpi_->take_note(&note, sizeof(note), &from) != 0 || from < 0) return;
    }
    note.text[sizeof(note.text) - 1] = 0;
    std::string failure;
    {
      const std::lock_guard lock(mutex_);
      Peer& peer = peers_[static_cast<size_t>(from)];
      peer.seen = times_.now();
      if (note.kind == kBeat) peer.place = note.text;
      if (note.kind == kEnd) peer.ended = true;
    }
    if (note.kind == kFailure) {
      const auto code = static_cast<absl::StatusCode>(note.code);
      Fail(absl::Status(code, StrCat(Describe(from), ": ", note.text)), /*report=*/rank_ == 0,
           /*notify=*/true);
    }
  }
}

void PeerWatch::FindDead(std::chrono::milliseconds longest_silence) {
  const auto now = times_.now();
  int first_dead = -1;
  std::string how, place;
  bool other_reports = false, first_gone = false;
  {
    const std::lock_guard lock(mutex_);
    // After a pause of its own a rank has missed what the others did. If it was paused alone, they
    // have noticed that and reported it; if all were, each needs time to answer again.
    const bool was_paused = now - std::exchange(looked_, now) > times_.silence / 2;
    if (was_paused) resumed_ = now;
    other_reports = now - resumed_ < times_.silence;
    const RankHome here = peers_[static_cast<size_t>(rank_)].home;
    for (int i = 0; i < static_cast<int>(peers_.size()); ++i) {
      Peer& peer = peers_[static_cast<size_t>(i)];
      if (i == rank_) continue;
      if (was_paused) peer.seen = now;
      const bool gone = IsGone(peer.home, here);
      const std::chrono::duration<double> silence = now - peer.seen;
      const bool dead = gone || (left_mpi_ ? peer.dead : silence > longest_silence);
      // One that has said goodbye is not missed; while it waits for rank 0, it still reports.
      if (!peer.ended) peer.dead = dead;
      if (!dead) {
        other_reports |= i < rank_;
      } else if (!peer.ended && first_dead < 0) {
        first_dead = i;
        first_gone = gone;
        place = peer.place.empty() ? place_ : peer.place;  // they are in step
        how = gone ? std::string("ended unexpectedly")
                   : absl::StrFormat("has not answered for %.1f s", silence.count());
      }
    }
  }
  if (first_dead < 0 || left_mpi_) return;
  if (first_gone) {
    TakeNotes();  // what it said last may have come since; Fail() keeps the first failure
    const std::lock_guard lock(mutex_);
    if (peers_[static_cast<size_t>(first_dead)].ended) return;
  }
  Fail(absl::UnavailableError(
           StrCat(Describe(first_dead), " ", how, place.empty() ? "" : StrCat(" in ", place))),
       !other_reports, /*notify=*/!first_gone);
}

void PeerWatch::Fail(absl::Status status, bool report, bool notify) {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_.ok()) return;
    failure_ = std::move(status);
    report_ = report;
    failed_.store(true, std::memory_order_release);
  }
  if (notify && on_failure_) on_failure_();
}

absl::Status PeerWatch::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

bool PeerWatch::should_report() const {
  const std::lock_guard lock(mutex_);
  return failure_.ok() || report_;
}

bool PeerWatch::IsAlive(int rank) const {
  const std::lock_guard lock(mutex_);
  const Peer& peer = peers_[static_cast<size_t>(rank)];
  return !peer.ended && !peer.dead;
}

bool PeerWatch::IsDead(int rank) const {
  const std::lock_guard lock(mutex_);
  return peers_[static_cast<size_t>(rank)].dead;
}

bool PeerWatch::was_paused() const {
  const std::lock_guard lock(mutex_);
  return times_.now() - resumed_ < times_.silence;
}

int PeerWatch::FirstEnded(std::chrono::milliseconds ago) const {
  const std::lock_guard lock(mutex_);
  const auto latest = times_.now() - ago;
  const auto found = std::ranges::find_if(
      peers_, [&](const Peer& peer) { return peer.ended && peer.seen <= latest; });
  return found == peers_.end() ? -1 : static_cast<int>(found - peers_.begin());
}

// That one rank was asked to end is a failure to the others, not a wish of their user.
void PeerWatch::SendFailure(const absl::Status& why) {
  SendAll(kFailure, std::string(ToStd(why.message())),
          absl::IsCancelled(why) ? absl::StatusCode::kAborted : why.code());
}

void PeerWatch::SendEnd() { SendAll(kEnd, {}); }

void PeerWatch::LeaveMpi() {
  const std::lock_guard lock(*mpi_mutex_);
  left_mpi_ = true;
}

void PeerWatch::SetPlace(std::string place) {
  const std::lock_guard lock(mutex_);
  place_ = std::move(place);
}

std::string PeerWatch::place() const {
  const std::lock_guard lock(mutex_);
  return place_;
}

std::string PeerWatch::Describe(int rank) const {
  const std::lock_guard lock(mutex_);
  const RankHome& home = peers_[static_cast<size_t>(rank)].home;
  return StrCat("rank ", rank, " (host ", home.host, ", process ", home.pid, ")");
}

}  // namespace infer
