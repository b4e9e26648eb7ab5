// SPDX-License-Identifier: Apache-2.0
//
// The interface of the library infer_mpi between threads of one process. Messages arrive at once.
#pragma once

#include "runtime/mpi/mpi_abi.h"

namespace infer::test {

inline constexpr int kMaxFakeRanks = 4;

// The network of one test. There is one at a time, because the interface is plain functions.
class FakeMpi {
 public:
  explicit FakeMpi(int ranks);
  ~FakeMpi();
  FakeMpi(const FakeMpi&) = delete;
  FakeMpi& operator=(const FakeMpi&) = delete;

  // The error of a rank that receives more or less than it expects, for that call and all others.
  static constexpr int kWrongSize = 15;

  const InferMpi* table(int rank) const;
  // From now on nothing that this rank sends arrives, notes included.
  void Silence(int rank);
  // From now on every call of this rank fails with this code.
  void Fail(int rank, int error);
  // The next notes of a rank are on their way only when it has looked for that so many times.
  void HoldNotes(int rank, int looks);
  int held_looks(int rank) const;  // that are left
  // How many notes of one rank to another were sent, and how many of them it has taken.
  int sent_notes(int from, int to) const;
  int taken_notes(int from, int to) const;
  // How often a rank has called any function that moves messages or notes.
  int calls(int rank) const;
  // How many messages it has begun to receive that have not come.
  int begun(int rank) const;
  // How often finish was called.
  int finished() const;
};

}  // namespace infer::test
