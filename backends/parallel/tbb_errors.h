// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace infer {

// Runs work that uses oneTBB. The library starts its threads when it first needs them and throws a
// runtime_error if it cannot; this throws the system_error that std::thread throws, which tools and
// library report as a lack of resources.
template <class Work>
void WithTbbErrors(const Work& work) {
  try {
    work();
  } catch (const std::runtime_error& error) {
    throw std::system_error(EAGAIN, std::generic_category(), error.what());
  }
}

}  // namespace infer
