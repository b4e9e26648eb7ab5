// SPDX-License-Identifier: Apache-2.0
//
// The only file that sees MPI. Point-to-point messages instead of MPI's own collectives: each rank
// sends its part to every other, which is one trip through the network, and a rank that waits can
// look whether the others are still there.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <climits>
#include <cstdio>
#include <vector>

#include "runtime/mpi/mpi_abi.h"

namespace {

constexpr int kDataTag = 1;
constexpr int kNoteTag = 2;

MPI_Comm data_comm = MPI_COMM_NULL;
MPI_Comm note_comm = MPI_COMM_NULL;

// What was started and is not complete.
struct Exchange {
  std::vector<MPI_Request> requests;
  std::vector<int> bytes;  // that each receives; -1: it sends
  std::vector<MPI_Status> statuses;

  int Add(int error, MPI_Request request, int received_bytes) {
    if (error != MPI_SUCCESS) return error;
    requests.push_back(request);
    bytes.push_back(received_bytes);
    statuses.emplace_back();
    return MPI_SUCCESS;
  }
  // After MPI has said that an error is in a status.
  int FirstError() const {
    for (const MPI_Status& status : statuses) {
      if (status.MPI_ERROR != MPI_SUCCESS && status.MPI_ERROR != MPI_ERR_PENDING) {
        return status.MPI_ERROR;
      }
    }
    return MPI_ERR_OTHER;
  }
  // MPI takes fewer bytes than were asked for without a word.
  bool HasAllBytes() const {
    for (size_t i = 0; i < bytes.size(); ++i) {
      int count = 0;
      if (bytes[i] < 0) continue;
      if (MPI_Get_count(&statuses[i], MPI_BYTE, &count) != MPI_SUCCESS || count != bytes[i]) {
        return false;
      }
    }
    return true;
  }
  void Clear() {
    requests.clear();
    bytes.clear();
    statuses.clear();
  }
};
Exchange& Pending() {
  static Exchange exchange;
  return exchange;
}

// The last note to each rank, which must stay valid until it is sent.
struct Outgoing {
  MPI_Request request = MPI_REQUEST_NULL;
  std::vector<char> bytes;
};
std::vector<Outgoing>& Notes() {
  static std::vector<Outgoing> notes;
  return notes;
}

int Start(int* rank, int* ranks) {
  int provided = 0;
  int error = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  if (error != MPI_SUCCESS) return error;
  if (provided < MPI_THREAD_SERIALIZED) return MPI_ERR_OTHER;
  if ((error = MPI_Comm_dup(MPI_COMM_WORLD, &data_comm)) != MPI_SUCCESS) return error;
  if ((error = MPI_Comm_dup(MPI_COMM_WORLD, &note_comm)) != MPI_SUCCESS) return error;
  MPI_Comm_set_errhandler(data_comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(note_comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(data_comm, rank);
  MPI_Comm_size(data_comm, ranks);
  Notes().resize(static_cast<size_t>(*ranks));
  return MPI_SUCCESS;
}

int Send(const void* data, size_t bytes, int to) {
  if (bytes > INT_MAX) return MPI_ERR_COUNT;
  MPI_Request request = MPI_REQUEST_NULL;
  const int error =
      MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, kDataTag, data_comm, &request);
  return Pending().Add(error, request, /*received_bytes=*/-1);
}

int Receive(void* data, size_t bytes, int from) {
  if (bytes > INT_MAX) return MPI_ERR_COUNT;
  MPI_Request request = MPI_REQUEST_NULL;
  const int error =
      MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, kDataTag, data_comm, &request);
  return Pending().Add(error, request, static_cast<int>(bytes));
}

int TestAll(int* done) {
  Exchange& all = Pending();
  const int error = MPI_Testall(static_cast<int>(all.requests.size()), all.requests.data(), done,
                                all.statuses.data());
  if (error == MPI_ERR_IN_STATUS) return all.FirstError();
  if (error != MPI_SUCCESS || *done == 0) return error;
  if (!all.HasAllBytes()) return MPI_ERR_TRUNCATE;
  all.Clear();
  return MPI_SUCCESS;
}

// MPI takes a null request for one that is done.
int TestNote(int to, int* done) {
  return MPI_Test(&Notes()[static_cast<size_t>(to)].request, done, MPI_STATUS_IGNORE);
}

int SendNote(const void* note, size_t bytes, int to) {
  Outgoing& out = Notes()[static_cast<size_t>(to)];
  int done = 0;
  const int error = TestNote(to, &done);
  if (error != MPI_SUCCESS) return error;
  if (done == 0) return MPI_ERR_PENDING;
  const char* first = static_cast<const char*>(note);
  out.bytes.assign(first, first + bytes);
  return MPI_Isend(out.bytes.data(), static_cast<int>(bytes), MPI_BYTE, to, kNoteTag, note_comm,
                   &out.request);
}

int TakeNote(void* note, size_t bytes, int* from) {
  *from = -1;
  int found = 0;
  MPI_Status status;
  int error = MPI_Iprobe(MPI_ANY_SOURCE, kNoteTag, note_comm, &found, &status);
  if (error != MPI_SUCCESS || found == 0) return error;
  error = MPI_Recv(note, static_cast<int>(bytes), MPI_BYTE, status.MPI_SOURCE, kNoteTag, note_comm,
                   MPI_STATUS_IGNORE);
  if (error == MPI_SUCCESS) *from = status.MPI_SOURCE;
  return error;
}

void Describe(int error, char* text, size_t bytes) {
  int kind = error;
  if (MPI_Error_class(error, &kind) == MPI_SUCCESS && kind == MPI_ERR_TRUNCATE) {
    std::snprintf(text, bytes,
                  "a rank has sent more or less than this one expects; start the same build on all "
                  "of them, with the same options, files and environment");
    return;
  }
  char message[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(error, message, &length);
  std::snprintf(text, bytes, "%s", message);
}

int Finish() { return MPI_Finalize(); }

constexpr InferMpi kTable = {INFER_MPI_VERSION, Start,    Send,     Receive,  TestAll,
                             SendNote,          TestNote, TakeNote, Describe, Finish};

}  // namespace

extern "C" __attribute__((visibility("default"))) const InferMpi* infer_mpi_v2(void) {
  return &kTable;
}
