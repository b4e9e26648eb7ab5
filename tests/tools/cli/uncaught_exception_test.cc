// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/uncaught_exception.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

template <class Exception>
absl::Status StatusOf(const Exception& exception) {
  try {
    throw exception;
  } catch (...) {
    return StatusOfException("infer-run");
  }
}

TEST(StatusOfException, TellsALackOfResourcesFromADefect) {
  EXPECT_EQ(ExitCodeFor(StatusOf(std::bad_alloc())), kExitNoMemory);
  const absl::Status thread =
      StatusOf(std::system_error(EAGAIN, std::generic_category(), "thread"));
  EXPECT_EQ(ExitCodeFor(thread), kExitNoMemory);
  EXPECT_THAT(thread.message(), AllOf(HasSubstr("infer-run: a thread"), HasSubstr("-t")));
  EXPECT_EQ(ExitCodeFor(StatusOf(std::system_error(EIO, std::generic_category()))), kExitRuntime);
  EXPECT_EQ(ExitCodeFor(StatusOf(std::logic_error("odd"))), kExitRuntime);
  EXPECT_THAT(StatusOf(std::logic_error("odd")).message(), HasSubstr("odd"));
  EXPECT_EQ(ExitCodeFor(StatusOf(1)), kExitRuntime);
}

// As oneTBB's workers do.
TEST(UncaughtExceptionDeathTest, OfAnotherThreadIsAnErrorOfTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto throws_in_thread = [](const char* what) {
    ExitOnUncaughtExceptions();
    std::thread([what] { throw std::runtime_error(what); }).join();
  };
  EXPECT_EXIT(throws_in_thread("pthread_create has failed: Resource temporarily unavailable"),
              ::testing::ExitedWithCode(kExitNoMemory),
              "^error: in a thread: a thread could not be started: .*-t");
  EXPECT_EXIT(throws_in_thread("odd"), ::testing::KilledBySignal(SIGABRT), "^error: .*odd");
}

}  // namespace
}  // namespace infer
