/* SPDX-License-Identifier: Apache-2.0 */
/* What the library infer_mpi offers. It is loaded when a model is divided over processes, so that
   the tools run where MPI is not installed. Only C types, because both sides may be built
   differently. All functions but start and finish return at once, and one thread at a time may
   call them. */
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/* An int result is 0 or an error code of MPI. */
struct InferMpi {
  int32_t version;
  /* Waits for the other ranks, as finish does. */
  int (*start)(int* rank, int* ranks);
  /* Starts sending to and receiving from a rank; memory must stay valid until test_all says so. */
  int (*send)(const void* data, size_t bytes, int to);
  int (*receive)(void* data, size_t bytes, int from);
  /* Sets `done` to 1 if everything that was started is complete. It is an error if a rank has sent
     more or less than was to be received. */
  int (*test_all)(int* done);
  /* Notes are small messages beside the others. One that cannot be sent yet is an error. */
  int (*send_note)(const void* note, size_t bytes, int to);
  /* Sets `done` to 1 if the last note to that rank is on its way. */
  int (*test_note)(int to, int* done);
  /* Sets `from` to -1 if no note has arrived. */
  int (*take_note)(void* note, size_t bytes, int* from);
  void (*describe)(int error, char* text, size_t bytes);
  int (*finish)(void);
};

#define INFER_MPI_VERSION 2
#define INFER_MPI_SYMBOL "infer_mpi_v2"
typedef const InferMpi* (*InferMpiEntry)(void);
}
