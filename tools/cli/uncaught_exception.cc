// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/uncaught_exception.h"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/temp_registry.h"

namespace infer {
namespace {

absl::Status NoThread(std::string_view of, std::string_view reason) {
  return absl::ResourceExhaustedError(
      StrCat(of, ": a thread could not be started: ", reason, "; ask for fewer threads (-t)"));
}

// What oneTBB throws in its own threads; in ours, backends/parallel/tbb_errors.h makes it a
// system_error.
bool IsTbbThreadError(std::string_view what) { return what.starts_with("pthread_create"); }

[[noreturn]] void End() {
  if (std::current_exception() == nullptr) std::abort();
  absl::Status status;
  try {
    throw;
  } catch (...) {
    status = StatusOfException("in a thread");
  }
  RemoveRegisteredTemps();
  PrintError(STDERR_FILENO, status);
  if (!absl::IsResourceExhausted(status)) std::abort();
  _exit(ExitCodeFor(status));
}

}  // namespace

absl::Status StatusOfException(std::string_view of) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(
        StrCat(of, ": out of memory; try a smaller model, context or batch"));
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) {
      return NoThread(of, error.code().message());
    }
    return absl::InternalError(StrCat(of, ": ", error.what()));
  } catch (const std::exception& error) {
    if (IsTbbThreadError(error.what())) return NoThread(of, error.what());
    return absl::InternalError(StrCat(of, ": unexpected exception: ", error.what()));
  } catch (...) {
    return absl::InternalError(StrCat(of, ": unexpected exception of an unknown type"));
  }
}

void ExitOnUncaughtExceptions() { std::set_terminate(End); }

}  // namespace infer
