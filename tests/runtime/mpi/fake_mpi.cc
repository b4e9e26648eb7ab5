// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/mpi/fake_mpi.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace infer::test {
namespace {

using Bytes = std::vector<char>;

struct Wanted {
  void* data;
  size_t bytes;
  int from;
};

struct Rank {
  std::array<std::deque<Bytes>, kMaxFakeRanks> data;  // by sender
  std::deque<std::pair<int, Bytes>> notes;
  std::array<int, kMaxFakeRanks> taken_notes = {};  // by sender
  std::vector<Wanted> wanted;
  int calls = 0;
  int held_looks = 0;
  bool is_silent = false;
  int error = 0;
};

struct Network {
  std::mutex mutex;
  int ranks = 0;
  int finished = 0;
  std::array<Rank, kMaxFakeRanks> rank;
};
std::unique_ptr<Network> network;

Bytes CopyOf(const void* data, size_t bytes) {
  const char* first = static_cast<const char*>(data);
  return Bytes(first, first + bytes);
}

template <int kRank>
struct End {
  static Rank& self() { return network->rank[kRank]; }

  static int Start(int* rank, int* ranks) {
    *rank = kRank;
    *ranks = network->ranks;
    return self().error;
  }
  static int Send(const void* data, size_t bytes, int to) {
    const std::lock_guard lock(network->mutex);
    ++self().calls;
    if (!self().is_silent) network->rank[to].data[kRank].push_back(CopyOf(data, bytes));
    return self().error;
  }
  static int Receive(void* data, size_t bytes, int from) {
    const std::lock_guard lock(network->mutex);
    ++self().calls;
    self().wanted.push_back({data, bytes, from});
    return self().error;
  }
  static int TestAll(int* done) {
    const std::lock_guard lock(network->mutex);
    ++self().calls;
    std::erase_if(self().wanted, [](const Wanted& wanted) {
      std::deque<Bytes>& sent = self().data[wanted.from];
      if (sent.empty()) return false;
      if (sent.front().size() != wanted.bytes) self().error = FakeMpi::kWrongSize;
      std::memcpy(wanted.data, sent.front().data(), std::min(sent.front().size(), wanted.bytes));
      sent.pop_front();
      return true;
    });
    *done = self().wanted.empty() ? 1 : 0;
    return self().error;
  }
  static int SendNote(const void* note, size_t bytes, int to) {
    const std::lock_guard lock(network->mutex);
    ++self().calls;
    if (!self().is_silent) network->rank[to].notes.emplace_back(kRank, CopyOf(note, bytes));
    return self().error;
  }
  static int TestNote(int, int* done) {
    const std::lock_guard lock(network->mutex);
    ++self().calls;
    *done = self().held_looks-- > 0 ? 0 : 1;
    return self().error;
  }
  static int TakeNote(void* note, size_t bytes, int* from) {
    const std::lock_guard lock(network->mutex);
    ++self().calls;
    *from = -1;
    if (self().notes.empty()) return self().error;
    *from = self().notes.front().first;
    std::memcpy(note, self().notes.front().second.data(), bytes);
    self().notes.pop_front();
    ++self().taken_notes[*from];
    return self().error;
  }
  static void Describe(int error, char* text, size_t bytes) {
    std::snprintf(text, bytes, "error %d", error);
  }
  static int Finish() {
    const std::lock_guard lock(network->mutex);
    ++network->finished;
    return 0;
  }
  static constexpr InferMpi kTable = {INFER_MPI_VERSION, Start,    Send,     Receive,  TestAll,
                                      SendNote,          TestNote, TakeNote, Describe, Finish};
};

constexpr const InferMpi* kTables[] = {&End<0>::kTable, &End<1>::kTable, &End<2>::kTable,
                                       &End<3>::kTable};

}  // namespace

FakeMpi::FakeMpi(int ranks) {
  network = std::make_unique<Network>();
  network->ranks = ranks;
}

FakeMpi::~FakeMpi() { network.reset(); }

const InferMpi* FakeMpi::table(int rank) const { return kTables[rank]; }

void FakeMpi::Silence(int rank) {
  const std::lock_guard lock(network->mutex);
  network->rank[rank].is_silent = true;
}

void FakeMpi::Fail(int rank, int error) {
  const std::lock_guard lock(network->mutex);
  network->rank[rank].error = error;
}

int FakeMpi::taken_notes(int from, int to) const {
  const std::lock_guard lock(network->mutex);
  return network->rank[to].taken_notes[from];
}

int FakeMpi::sent_notes(int from, int to) const {
  const std::lock_guard lock(network->mutex);
  const Rank& rank = network->rank[to];
  int waiting = 0;
  for (const auto& [sender, note] : rank.notes) waiting += sender == from ? 1 : 0;
  return rank.taken_notes[from] + waiting;
}

void FakeMpi::HoldNotes(int rank, int looks) {
  const std::lock_guard lock(network->mutex);
  network->rank[rank].held_looks = looks;
}

int FakeMpi::held_looks(int rank) const {
  const std::lock_guard lock(network->mutex);
  return std::max(0, network->rank[rank].held_looks);
}

int FakeMpi::calls(int rank) const {
  const std::lock_guard lock(network->mutex);
  return network->rank[rank].calls;
}

int FakeMpi::begun(int rank) const {
  const std::lock_guard lock(network->mutex);
  return static_cast<int>(network->rank[rank].wanted.size());
}

int FakeMpi::finished() const {
  const std::lock_guard lock(network->mutex);
  return network->finished;
}

}  // namespace infer::test
