// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/mpi_ranks.h"

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/mpi/start_watch.h"
#include "runtime/thread_count.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

// A rank waits actively for this long, more than sampling a token takes, and then looks from time
// to time: rank 0 may be waiting for its user.
constexpr std::chrono::milliseconds kActive{20};
constexpr std::chrono::microseconds kNap{100};
// mpirun ends the ranks one second after it has asked them to end. Before that they must find out
// which of them died.
constexpr std::chrono::milliseconds kLastWords{600};

// The counter of a rank's meetings has a page for itself. Its terms follow, as many at a time as
// fit the caches of a few cores; only what is used is committed.
constexpr size_t kCounterBytes = 4 << 10;
constexpr size_t kTermsBytes = 8 << 20;

int NumberIn(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

absl::StatusOr<const InferMpi*> LoadModule() {
  std::error_code ignored;
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  std::string problem;
  for (const std::filesystem::path& path :
       {folder / INFER_MPI_LIBRARY, folder / ".." / "lib" / INFER_MPI_LIBRARY,
        std::filesystem::path(INFER_MPI_LIBRARY)}) {
    // Global, because Open MPI's own plugins look for its symbols there.
    void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (module == nullptr) {
      if (problem.empty() || std::filesystem::exists(path, ignored)) problem = dlerror();
      continue;
    }
    const auto entry = reinterpret_cast<InferMpiEntry>(dlsym(module, INFER_MPI_SYMBOL));
    if (entry != nullptr && entry()->version == INFER_MPI_VERSION) return entry();
    problem = StrCat(path.string(), " is of another version");
  }
  return absl::UnavailableError(StrCat("cannot load the connection to Open MPI: ", problem,
                                       "; install libopenmpi-dev and build again"));
}

}  // namespace

int LaunchedRank() { return NumberIn("OMPI_COMM_WORLD_RANK"); }

int RanksOfThisHost() { return std::max(1, NumberIn("OMPI_COMM_WORLD_LOCAL_SIZE")); }

int LaunchedRanks() { return std::max(1, NumberIn("OMPI_COMM_WORLD_SIZE")); }

absl::StatusOr<std::unique_ptr<MpiRanks>> MpiRanks::Start(const Options& options) {
  ASSIGN_OR_RETURN(const InferMpi* mpi, LoadModule());
  std::optional<StartWatch> watch;
  if (options.on_abandoned) {
    // Each host has its own.
    const bool one_host = RanksOfThisHost() == LaunchedRanks();
    const char* folder = one_host ? std::getenv("PMIX_SERVER_TMPDIR") : nullptr;
    watch.emplace(StartWatch::Options{.rank = LaunchedRank(),
                                      .ranks = LaunchedRanks(),
                                      .folder = folder == nullptr ? "" : folder,
                                      .stop = options.stop,
                                      .end = options.on_abandoned});
  }
  return StartOn(mpi, options);
}

absl::StatusOr<std::unique_ptr<MpiRanks>> MpiRanks::StartOn(const InferMpi* mpi,
                                                            const Options& options) {
  auto ranks = std::unique_ptr<MpiRanks>(new MpiRanks(mpi, options));
  if (const int error = mpi->start(&ranks->rank_, &ranks->ranks_); error != 0) {
    ranks->failed_ = true;
    return ranks->ErrorOf(error, "start");
  }
  ranks->cpus_ = ReadThreadLimits().UsableCpus();
  ranks->crowded_ = RanksOfThisHost() > static_cast<int>(std::thread::hardware_concurrency());
  RETURN_IF_ERROR(ranks->Introduce());
  return ranks;
}

// Until the ranks know each other, a death is mpirun's to notice; see StartWatch.
absl::Status MpiRanks::Introduce() {
  const RankHome home = ThisHome();
  std::vector<RankHome> homes(static_cast<size_t>(ranks_));
  RETURN_IF_ERROR(
      AllGather(std::as_bytes(std::span(&home, 1)), reinterpret_cast<std::byte*>(homes.data())));
  watch_ =
      std::make_unique<PeerWatch>(mpi_, &mutex_, rank_, homes, options_.times, options_.on_failure);
  if (options_.on_abandoned) end_watch_ = std::thread([this] { WatchEnd(); });
  return ShareMemory(homes);
}

// Every rank comes to the same conclusion.
absl::Status MpiRanks::ShareMemory(const std::vector<RankHome>& homes) {
  const bool one_host = std::ranges::all_of(
      homes, [&](const RankHome& home) { return IsSameHost(home, homes.front()); });
  if (!one_host || ranks_ == 1) return absl::OkStatus();
  HostMemory own = HostMemory::Create(kCounterBytes + kTermsBytes);
  const int64_t handle = own ? own.handle() : -1;
  std::vector<int64_t> handles(homes.size());
  RETURN_IF_ERROR(AllGather(std::as_bytes(std::span(&handle, 1)),
                            reinterpret_cast<std::byte*>(handles.data())));
  std::vector<HostMemory> memory(homes.size());
  for (size_t i = 0; i < homes.size(); ++i) {
    if (static_cast<int>(i) == rank_) {
      memory[i] = std::move(own);
    } else if (handles[i] >= 0) {
      memory[i] = HostMemory::Open(homes[i].pid, handles[i], kCounterBytes + kTermsBytes);
    }
  }
  const uint8_t complete =
      std::ranges::all_of(memory, [](const HostMemory& part) { return static_cast<bool>(part); });
  std::vector<uint8_t> all(homes.size());
  RETURN_IF_ERROR(
      AllGather(std::as_bytes(std::span(&complete, 1)), reinterpret_cast<std::byte*>(all.data())));
  if (std::ranges::find(all, 0) != all.end()) return absl::OkStatus();
  memory_ = std::move(memory);
  for (const HostMemory& part : memory_) terms_.push_back(part.data() + kCounterBytes);
  first_pid_ = homes.front().pid;
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<SpaceMemory>> MpiRanks::Allocate(uint64_t common, uint64_t own) {
  if (memory_.empty()) return nullptr;
  HostMemory opened = rank_ == 0 ? HostMemory::Create(common) : HostMemory();
  int64_t handle = opened.handle();
  RETURN_IF_ERROR(Broadcast(std::as_writable_bytes(std::span(&handle, 1))));
  if (rank_ != 0 && handle >= 0) opened = HostMemory::Open(first_pid_, handle, common);
  return arenas_.Map(*this, opened, own);
}

std::atomic<uint32_t>& MpiRanks::meetings_of(int rank) const {
  static_assert(std::atomic<uint32_t>::is_always_lock_free);
  return *reinterpret_cast<std::atomic<uint32_t>*>(memory_[static_cast<size_t>(rank)].data());
}

template <class IsDone>
absl::Status MpiRanks::WaitUntil(const IsDone& is_done) {
  const Clock::time_point start = Clock::now();
  for (int64_t round = 0;; ++round) {
    ASSIGN_OR_RETURN(const bool done, is_done());
    const bool asked = options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
    if (asked && !asked_to_end_) asked_to_end_ = Clock::now();
    // Rank 0 ends the others in order once its call is over, unless only they were asked.
    const bool overdue = asked && rank_ != 0 && Clock::now() - *asked_to_end_ > kLastWords;
    if (overdue) return absl::CancelledError("was asked to end by a signal");
    if (done) return absl::OkStatus();
    if (watch_ != nullptr && watch_->failed()) return watch_->failure();
    if (round % 64 != 63 && !crowded_) continue;
    const Clock::time_point now = Clock::now();
    if (asked) {
      if (watch_ != nullptr) watch_->LookNow(now - *asked_to_end_ > kLastWords * 3 / 4);
      if (now - std::max(start, *asked_to_end_) > kLastWords) {
        return absl::CancelledError("was asked to end by a signal");
      }
    }
    // What it sent before it said goodbye is on its way.
    const bool long_ago = now - start > kLastWords && watch_ != nullptr;
    if (const int gone = long_ago ? watch_->FirstEnded(kLastWords) : -1; gone >= 0) {
      const absl::Status ended =
          absl::UnavailableError(StrCat(watch_->Describe(gone), " has ended already"));
      Abort(ended);
      return ended;
    }
    if (now - start > kActive) {
      std::this_thread::sleep_for(kNap);
    } else if (crowded_) {
      sched_yield();
    }
  }
}

// Counters and not messages, which take several times as long.
absl::Status MpiRanks::Meet() {
  const uint32_t meeting = ++meetings_;
  meetings_of(rank_).store(meeting, std::memory_order_release);
  int next = 0;  // the first rank that is not known to have come
  return WaitUntil([&]() -> absl::StatusOr<bool> {
    while (next < ranks_ &&
           static_cast<int32_t>(meetings_of(next).load(std::memory_order_acquire) - meeting) >= 0) {
      ++next;
    }
    return next == ranks_;
  });
}

std::span<std::byte> MpiRanks::TermsRoom() {
  return {memory_[static_cast<size_t>(rank_)].data() + kCounterBytes, kTermsBytes};
}

absl::StatusOr<std::span<const std::byte* const>> MpiRanks::ShareTerms(const std::byte*) {
  RETURN_IF_ERROR(Meet());
  return std::span<const std::byte* const>(terms_);
}

// Open MPI ends the process itself when a connection to another host breaks, and waits inside one
// of its functions until the launcher does.
void MpiRanks::WatchEnd() {
  constexpr std::chrono::milliseconds kLook{20}, kStuck{150};
  std::optional<Clock::time_point> asked, stuck;
  uint64_t returned = 0;
  while (!over_.load()) {
    std::this_thread::sleep_for(kLook);  // on a busy machine for much longer
    if (options_.stop == nullptr || !options_.stop->load()) continue;
    const Clock::time_point now = Clock::now();
    if (!asked) asked = now;
    if (now - *asked < kLastWords * 3 / 4) continue;
    // One that waits actively has the mutex nearly always, while MPI returns to it all the time.
    const uint64_t returns = returned_.load();
    bool works = std::exchange(returned, returns) != returns;
    if (!works && mutex_.try_lock()) {
      mutex_.unlock();
      works = true;
    }
    if (works) {
      stuck.reset();
      continue;
    }
    if (!stuck) stuck = now;
    if (now - *stuck < kStuck) continue;
    // Nobody's notes could be read meanwhile, so with more ranks only the launcher knows which.
    const std::string who = ranks_ == 2 ? StrCat(Describe(1 - rank_), " cannot be reached any more")
                                        : StrCat(Describe(rank_), " lost another rank");
    const std::string place = watch_->place();
    options_.on_abandoned(
        absl::UnavailableError(StrCat(who, place.empty() ? "" : StrCat(" in ", place))),
        ranks_ == 2 || rank_ == 0);
  }
}

MpiRanks::~MpiRanks() {
  over_.store(true);
  if (end_watch_.joinable()) end_watch_.join();
  if (watch_ != nullptr) watch_->Stop();
  const bool orderly = !failed();
  if (watch_ != nullptr && (orderly || rank_ == 0)) watch_->SendEnd();
  watch_.reset();
  if (orderly) mpi_->finish();
}

absl::Status MpiRanks::AwaitEndOfRank0() {
  constexpr std::chrono::milliseconds kLook{5};
  if (watch_ == nullptr || failed_.load()) return failure();
  watch_->SendEnd();
  while (!watch_->failed() && watch_->IsAlive(0)) {
    std::this_thread::sleep_for(kLook);
    watch_->LookNow();
  }
  // A failure that the watch's thread has read before the goodbye may not be noted yet.
  return watch_->IsAlive(0) ? failure() : StopWatching();
}

absl::Status MpiRanks::StopWatching() {
  if (watch_ != nullptr) watch_->Stop();
  return failure();
}

absl::Status MpiRanks::ErrorOf(int error, std::string_view what) const {
  char text[256] = {};
  mpi_->describe(error, text, sizeof(text));
  return absl::UnavailableError(StrCat("Open MPI cannot ", what, ": ", text));
}

absl::Status MpiRanks::Send(const void* data, size_t bytes, int to) {
  const int error = mpi_->send(data, bytes, to);
  return error == 0 ? absl::OkStatus() : ErrorOf(error, "send");
}

absl::Status MpiRanks::Receive(void* data, size_t bytes, int from) {
  const int error = mpi_->receive(data, bytes, from);
  return error == 0 ? absl::OkStatus() : ErrorOf(error, "receive");
}

absl::Status MpiRanks::WaitForAll() {
  return WaitUntil([this]() -> absl::StatusOr<bool> {
    int done = 0;
    const std::lock_guard lock(mutex_);
    const int error = mpi_->test_all(&done);
    returned_.fetch_add(1, std::memory_order_relaxed);
    if (error != 0) return ErrorOf(error, "exchange data");
    return done != 0;
  });
}

// MPI cannot take back what was begun. After an exchange that does not end it would read and write
// memory that the caller may have released. It does so only while it is called: by this process,
// which therefore calls it no more, or, for a message to a process of the same host, by that one,
// which therefore looks for failures before it begins an exchange.
template <class Begin>
absl::Status MpiRanks::Exchange(const Begin& begin) {
  if (watch_ != nullptr) {
    watch_->TakeNotes();
    if (watch_->failed()) return watch_->failure();
  }
  if (!gave_up_.ok()) return gave_up_;
  if (failed_) return absl::UnavailableError("this rank has failed before");
  absl::Status status;
  {
    const std::lock_guard lock(mutex_);
    status = begin();
  }
  if (status.ok()) status = WaitForAll();
  if (status.ok()) return status;
  gave_up_ = status;
  Abort(status);
  if (watch_ != nullptr) watch_->LeaveMpi();
  return status;
}

// Sends `bytes` to each rank, from places `send_stride` apart, and receives as many from each.
absl::Status MpiRanks::SendToAll(const void* send, size_t send_stride, void* receive,
                                 size_t bytes) {
  const auto* from = static_cast<const std::byte*>(send);
  auto* to = static_cast<std::byte*>(receive);
  return Exchange([&]() -> absl::Status {
    // First to the next rank, so that not all send to rank 0 at once.
    for (int i = 1; i < ranks_; ++i) {
      const auto source = static_cast<size_t>((rank_ + ranks_ - i) % ranks_);
      RETURN_IF_ERROR(Receive(to + source * bytes, bytes, static_cast<int>(source)));
    }
    for (int i = 1; i < ranks_; ++i) {
      const auto target = static_cast<size_t>((rank_ + i) % ranks_);
      RETURN_IF_ERROR(Send(from + target * send_stride, bytes, static_cast<int>(target)));
    }
    return absl::OkStatus();
  });
}

absl::Status MpiRanks::AllGather(std::span<const std::byte> send, std::byte* receive) {
  std::memcpy(receive + static_cast<size_t>(rank_) * send.size(), send.data(), send.size());
  return SendToAll(send.data(), 0, receive, send.size());
}

absl::Status MpiRanks::AllToAll(const std::byte* send, std::byte* receive, size_t part_bytes) {
  const size_t own = static_cast<size_t>(rank_) * part_bytes;
  std::memcpy(receive + own, send + own, part_bytes);
  return SendToAll(send, part_bytes, receive, part_bytes);
}

absl::Status MpiRanks::Broadcast(std::span<std::byte> data) {
  return Exchange([&]() -> absl::Status {
    if (rank_ != 0) return Receive(data.data(), data.size(), 0);
    for (int to = 1; to < ranks_; ++to) RETURN_IF_ERROR(Send(data.data(), data.size(), to));
    return absl::OkStatus();
  });
}

void MpiRanks::Abort(const absl::Status& why) {
  if (failed_.exchange(true) || watch_ == nullptr || watch_->failed()) return;
  watch_->SendFailure(why);
}

void MpiRanks::SetPlace(std::string place) {
  if (watch_ != nullptr) watch_->SetPlace(std::move(place));
}

}  // namespace infer
