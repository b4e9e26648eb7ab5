// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/mpi_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "ir/base/status_macros.h"
#include "tests/runtime/mpi/fake_mpi.h"
#include "tests/support/hang_limit.h"

namespace infer {
namespace {

using std::chrono::milliseconds;
using test::FakeMpi;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// A time that stands still, so that a busy machine does not look like a dead rank.
const PeerWatch::Times kNoTimePasses = {
    .beat = milliseconds(2),
    .now = [] { return std::chrono::steady_clock::time_point(std::chrono::hours(1)); }};
const MpiRanks::Options kOptions = {.times = kNoTimePasses};

using Body = std::function<absl::Status(MpiRanks&)>;

// Runs `body` as each of the ranks and returns what each returned.
std::vector<absl::Status> RunRanks(const FakeMpi& mpi, int ranks, const Body& body,
                                   const MpiRanks::Options& options = kOptions) {
  std::vector<absl::Status> results(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  for (int i = 0; i < ranks; ++i) {
    threads.emplace_back([&, i] {
      absl::StatusOr<std::unique_ptr<MpiRanks>> started = MpiRanks::StartOn(mpi.table(i), options);
      results[i] = started.ok() ? body(**started) : started.status();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

// Runs two ranks of which the second falls silent and lets time pass until the first has done
// `body`, without which it would wait forever.
std::vector<absl::Status> RunBesideASilentRank(const Body& body) {
  FakeMpi mpi(2);
  std::atomic<int64_t> now_ms = 3'600'000;
  std::atomic<bool> over = false;
  const MpiRanks::Options options = {
      .times = {.beat = milliseconds(2), .silence = milliseconds(1000), .now = [&] {
                  return std::chrono::steady_clock::time_point(milliseconds(now_ms));
                }}};
  return RunRanks(
      mpi, 2,
      [&](MpiRanks& self) -> absl::Status {
        if (self.rank() == 0) {
          const absl::Status status = body(self);
          over = true;
          return status;
        }
        mpi.Silence(1);
        // The other looks between two of its beats. Half a silence without a look would be a pause
        // of its own.
        for (; !over; now_ms += 200) {
          const int looked = mpi.sent_notes(0, 1) + 2;
          EXPECT_TRUE(WaitUntil([&] { return over || mpi.sent_notes(0, 1) >= looked; }));
        }
        return absl::OkStatus();
      },
      options);
}

std::span<const std::byte> BytesOf(const int& value) { return std::as_bytes(std::span(&value, 1)); }
std::byte* BytesOf(std::vector<int>& values) { return reinterpret_cast<std::byte*>(values.data()); }

TEST(MpiRanks, ExchangeInTheOrderOfTheRanks) {
  for (int ranks : {2, 4}) {
    const FakeMpi mpi(ranks);
    const auto results = RunRanks(mpi, ranks, [ranks](MpiRanks& self) -> absl::Status {
      for (int round = 0; round < 50; ++round) {
        std::vector<int> all(static_cast<size_t>(ranks)), parts(all), received(all);
        RETURN_IF_ERROR(self.AllGather(BytesOf(100 * self.rank() + round), BytesOf(all)));
        for (int i = 0; i < ranks; ++i) {
          if (all[i] != 100 * i + round) return absl::InternalError("gathered something else");
          parts[i] = 1000 * self.rank() + i;
        }
        RETURN_IF_ERROR(self.AllToAll(BytesOf(parts), BytesOf(received), sizeof(int)));
        for (int i = 0; i < ranks; ++i) {
          if (received[i] != 1000 * i + self.rank()) return absl::InternalError("received other");
        }
        int shared = self.rank() == 0 ? round : -1;
        RETURN_IF_ERROR(self.Broadcast(std::as_writable_bytes(std::span(&shared, 1))));
        if (shared != round) return absl::InternalError("was told something else");
      }
      return absl::OkStatus();
    });
    for (const absl::Status& result : results) EXPECT_TRUE(result.ok()) << result;
    EXPECT_EQ(mpi.finished(), ranks);
  }
}

// Two places in turn: a rank that has met the others once more has read what was there before.
TEST(MpiRanks, HaveMemoryInCommonOnOneHost) {
  constexpr uint64_t kCommon = SharedRanks::kCommonAlignment;
  const FakeMpi mpi(3);
  const auto results = RunRanks(mpi, 3, [](MpiRanks& self) -> absl::Status {
    ASSIGN_OR_RETURN(const auto memory, self.Allocate(kCommon, /*own=*/10));
    if (memory == nullptr) return absl::InternalError("cannot share");
    EXPECT_TRUE(self.IsCommon(memory->data()));
    for (int round = 0; round < 50; ++round) {
      std::byte* place = memory->data() + round % 2 * 300;
      const auto value = [round](int rank) { return std::byte(10 * rank + round); };
      std::memset(place + 100 * self.rank(), static_cast<int>(value(self.rank())), 100);
      RETURN_IF_ERROR(self.Meet());
      if (round % 3 == self.rank()) std::this_thread::sleep_for(std::chrono::microseconds(200));
      for (int i = 0; i < 3; ++i) {
        if (place[100 * i] != value(i) || place[100 * i + 99] != value(i)) {
          return absl::InternalError("found something else");
        }
      }
    }
    return absl::OkStatus();
  });
  for (const absl::Status& result : results) EXPECT_TRUE(result.ok()) << result;
}

TEST(MpiRanks, ReadEachOthersTerms) {
  const FakeMpi mpi(3);
  const auto results = RunRanks(mpi, 3, [](MpiRanks& self) -> absl::Status {
    for (int round = 0; round < 50; ++round) {
      const auto value = [round](int rank) { return std::byte(10 * rank + round); };
      const std::span<std::byte> room = self.TermsRoom();
      room.front() = room.back() = value(self.rank());
      ASSIGN_OR_RETURN(const auto terms, self.ShareTerms(room.data()));
      if (round % 3 == self.rank()) std::this_thread::sleep_for(std::chrono::microseconds(200));
      for (int i = 0; i < 3; ++i) {
        if (terms[i][0] != value(i) || terms[i][room.size() - 1] != value(i)) {
          return absl::InternalError("found something else");
        }
      }
      RETURN_IF_ERROR(self.Meet());
    }
    return absl::OkStatus();
  });
  for (const absl::Status& result : results) EXPECT_TRUE(result.ok()) << result;
}

TEST(MpiRanks, ASilentRankEndsAMeeting) {
  const auto results = RunBesideASilentRank([](MpiRanks& self) { return self.Meet(); });
  EXPECT_THAT(results[0].message(), HasSubstr("has not answered for "));
}

TEST(MpiRanks, AnErrorOfOneEndsTheOthersAndNobodyWaitsForThem) {
  const FakeMpi mpi(3);
  const auto results = RunRanks(mpi, 3, [](MpiRanks& self) -> absl::Status {
    if (self.rank() == 1) {
      self.Abort(absl::DataLossError("the file is gone"));
      EXPECT_TRUE(self.failed());
      return absl::OkStatus();
    }
    int value = 0;
    std::vector<int> all(3);
    const absl::Status status = self.AllGather(BytesOf(value), BytesOf(all));
    EXPECT_TRUE(self.failed());
    return status;
  });
  for (int i : {0, 2}) {
    EXPECT_EQ(results[i].code(), absl::StatusCode::kDataLoss) << i;
    EXPECT_THAT(results[i].message(), HasSubstr("rank 1 (host ")) << i;
    EXPECT_THAT(std::string(results[i].message()), EndsWith(": the file is gone")) << i;
  }
  EXPECT_EQ(mpi.finished(), 0);  // MPI_Finalize would wait for the others
}

TEST(MpiRanks, ASilentRankEndsAnExchange) {
  const auto results = RunBesideASilentRank([](MpiRanks& self) {
    std::vector<int> all(2);
    const absl::Status status = self.AllGather(BytesOf(5), BytesOf(all));
    EXPECT_TRUE(self.should_report());
    EXPECT_FALSE(self.IsAlive(1));
    return status;
  });
  EXPECT_THAT(results[0].message(), HasSubstr("has not answered for "));
}

TEST(MpiRanks, ASignalEndsAnExchangeThatCannotEnd) {
  const FakeMpi mpi(2);
  std::atomic<bool> stop = false;
  const MpiRanks::Options options = {.stop = &stop, .times = kNoTimePasses};
  std::atomic<bool> over = false;
  const auto results = RunRanks(
      mpi, 2,
      [&](MpiRanks& self) -> absl::Status {
        if (self.rank() == 0) {
          stop = true;
          EXPECT_TRUE(WaitUntil([&] { return over.load(); }));
          return absl::OkStatus();
        }
        int value = 0;
        const absl::Status status = self.Broadcast(std::as_writable_bytes(std::span(&value, 1)));
        over = true;
        return status;
      },
      options);
  EXPECT_EQ(results[1], absl::CancelledError("was asked to end by a signal"));
}

// As ranks do that were started with other options.
TEST(MpiRanks, MessagesOfAnotherSizeAreAnError) {
  const FakeMpi mpi(2);
  const auto results = RunRanks(mpi, 2, [](MpiRanks& self) -> absl::Status {
    const std::vector<int> own(self.rank() == 0 ? 1 : 3);
    std::vector<int> all(2 * own.size());
    return self.AllGather(std::as_bytes(std::span(own)), BytesOf(all));
  });
  for (const absl::Status& result : results) {
    EXPECT_THAT(std::string(result.message()), HasSubstr("exchange data: error 15"));
  }
}

// It would read and write memory that the caller may have released.
TEST(MpiRanks, MpiIsLeftAloneOnceAnExchangeIsGivenUp) {
  const FakeMpi mpi(2);
  std::atomic<bool> connected = false, stop = false, over = false;
  const MpiRanks::Options asked = {.stop = &stop, .times = kNoTimePasses};
  const auto results = RunRanks(
      mpi, 2,
      [&](MpiRanks& self) -> absl::Status {
        if (self.rank() == 1) {
          connected = true;
          EXPECT_TRUE(WaitUntil([&] { return !self.failure().ok() && over; }));
          return self.failure();
        }
        EXPECT_TRUE(WaitUntil([&] { return connected.load(); }));
        stop = true;
        std::vector<int> all(2);
        const absl::Status status = self.AllGather(BytesOf(5), BytesOf(all));
        const int calls = mpi.calls(0);
        EXPECT_GT(calls, 0);
        EXPECT_EQ(self.AllGather(BytesOf(5), BytesOf(all)), status);
        self.Abort(status);
        std::this_thread::sleep_for(10 * kNoTimePasses.beat);
        EXPECT_EQ(mpi.calls(0), calls);
        over = true;
        return status;
      },
      asked);
  EXPECT_EQ(results[0], absl::CancelledError("was asked to end by a signal"));
  EXPECT_THAT(std::string(results[1].message()), EndsWith(": was asked to end by a signal"));
  EXPECT_EQ(mpi.finished(), 0);
}

// The memory of its message may be gone.
TEST(MpiRanks, NothingIsExchangedWithARankThatHasFailed) {
  const FakeMpi mpi(2);
  std::atomic<bool> connected = false, told = false, over = false;
  // The watch's thread reads the note too late.
  MpiRanks::Options slow = kOptions;
  slow.times.beat = milliseconds(300);
  const auto results = RunRanks(
      mpi, 2,
      [&](MpiRanks& self) -> absl::Status {
        if (self.rank() == 1) {
          EXPECT_TRUE(WaitUntil([&] { return connected.load(); }));
          self.Abort(absl::DataLossError("the file is gone"));
          told = true;
          EXPECT_TRUE(WaitUntil([&] { return over.load(); }));
          return absl::OkStatus();
        }
        connected = true;
        EXPECT_TRUE(WaitUntil([&] { return told.load(); }));
        std::vector<int> all(2);
        const absl::Status status = self.AllGather(BytesOf(5), BytesOf(all));
        EXPECT_EQ(mpi.begun(0), 0);
        over = true;
        return status;
      },
      slow);
  EXPECT_EQ(results[0].code(), absl::StatusCode::kDataLoss);
}

// Rank 0 may have a lot to write after the last call.
TEST(MpiRanks, OthersAwaitTheGoodbyeOfRank0) {
  const FakeMpi mpi(3);
  std::atomic<bool> said = false;
  const auto results = RunRanks(mpi, 3, [&](MpiRanks& self) -> absl::Status {
    if (self.rank() != 0) {
      const absl::Status end = self.AwaitEndOfRank0();
      EXPECT_TRUE(said);
      return end;
    }
    std::this_thread::sleep_for(milliseconds(50));
    said = true;
    return absl::OkStatus();
  });
  for (const absl::Status& result : results) EXPECT_TRUE(result.ok()) << result;
  EXPECT_EQ(mpi.finished(), 3);
}

TEST(MpiRanks, OthersLearnThatRank0EndsWithAnError) {
  const FakeMpi mpi(2);
  std::atomic<bool> over = false;
  const auto results = RunRanks(mpi, 2, [&](MpiRanks& self) -> absl::Status {
    if (self.rank() == 0) {
      self.Abort(absl::DataLossError("the file is gone"));
      EXPECT_TRUE(WaitUntil([&] { return over.load(); }));
      return absl::OkStatus();
    }
    const absl::Status end = self.AwaitEndOfRank0();
    EXPECT_TRUE(self.IsAlive(0));  // it is about to report the error
    over = true;
    EXPECT_TRUE(WaitUntil([&] { return !self.IsAlive(0); }));
    EXPECT_EQ(self.failure(), end);  // it said goodbye and is not missed
    return end;
  });
  EXPECT_EQ(results[1].code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(mpi.finished(), 0);
}

// Two ranks that do not do the same, as after a mistake in a tool, do not wait forever.
TEST(MpiRanks, NobodyWaitsForARankThatHasEnded) {
  const FakeMpi mpi(2);
  const auto results = RunRanks(mpi, 2,
                                [](MpiRanks& self) -> absl::Status {
                                  if (self.rank() == 1) return absl::OkStatus();
                                  std::vector<int> all(2);
                                  return self.AllGather(BytesOf(5), BytesOf(all));
                                },
                                {});
  EXPECT_THAT(std::string(results[0].message()), EndsWith(" has ended already"));
}

TEST(MpiRanks, ErrorsOfMpiAreDescribed) {
  FakeMpi mpi(2);
  mpi.Fail(0, 17);
  const absl::Status status = MpiRanks::StartOn(mpi.table(0), kOptions).status();
  EXPECT_EQ(status, absl::UnavailableError("Open MPI cannot start: error 17"));
}

TEST(MpiRanks, KnowsHowManyWereStarted) {
  unsetenv("OMPI_COMM_WORLD_SIZE");
  EXPECT_EQ(LaunchedRanks(), 1);
  EXPECT_EQ(LaunchedRank(), 0);
  setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  EXPECT_EQ(LaunchedRanks(), 4);
  unsetenv("OMPI_COMM_WORLD_SIZE");
}

}  // namespace
}  // namespace infer
