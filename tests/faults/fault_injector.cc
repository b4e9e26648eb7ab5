// SPDX-License-Identifier: Apache-2.0
//
// A library for LD_PRELOAD that makes calls of the C library fail. INFER_TEST_FAULT says which:
//
//   alloc:7          the seventh allocation returns null
//   alloc:threads:7  the seventh after the first thread was started
//   alloc:end:7      the seventh after the file INFER_TEST_FAULT_END has appeared
//   write:every      the process forks at each write; in the child it fails, and the child runs
//                    to its end while the parent waits, notes how it ended and goes on as if
//                    nothing had happened. One run thus tries a failure at every call.
//   write:every:3:50 the same from the third call on, at every fiftieth
//   write:short      writes take one byte at a time, reads give one
//
// Kinds: alloc, read (read, pread), write (write, pwrite, fsync, rename), open, map (mmap), thread
// (pthread_create), socket (socket, bind, listen, and what an event loop is made of), accept, recv,
// send and resolve (getaddrinfo, for want of memory). `every` tries calls until the process starts
// a thread, and ends a server where it would listen. Results go to the file INFER_TEST_FAULT_LOG: a
// line "failed" once a call has failed; with `every` a line for each child that did not end as one
// may, a line "a thread was started" if the rest was not tried, and a last line "tried N, failed
// M". A child may end with 0 and the output of the run without faults (file
// INFER_TEST_FAULT_OUTPUT; without it, any), or with one of the codes INFER_TEST_FAULT_CODES and
// one error line.
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/support/hang_limit.h"

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* old, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
}

namespace {

enum class Kind {
  kNone,
  kAlloc,
  kRead,
  kWrite,
  kOpen,
  kMap,
  kThread,
  kSocket,
  kAccept,
  kRecv,
  kSend,
  kResolve
};
enum class Mode { kOnce, kEvery, kShort };

// A child that has not ended by then hangs.
constexpr int kChildSeconds = static_cast<int>(infer::kHangLimit.count());
constexpr size_t kMaxOutputBytes = 1 << 20;

struct State {
  Kind kind = Kind::kNone;
  Mode mode = Mode::kOnce;
  bool counts_threads_only = false;  // calls before the first thread do not count
  bool counts_end_only = false;      // nor those before the file of the end has appeared
  long first = 1;
  long stride = 1;
  int log_fd = -1;
  char codes[64] = {};
  char expected[kMaxOutputBytes] = {};
  size_t expected_bytes = 0;
};

State g_state;
bool g_ready = false;
bool g_has_threads = false;
bool g_busy = false;  // inside this library, or in a child that has had its failure
long g_calls = 0;
long g_tried = 0;
long g_failed = 0;
// By descriptor: an eventfd, which no input or output can break.
constexpr int kMaxDescriptors = 1024;
bool g_is_event[kMaxDescriptors] = {};
size_t g_written = 0;  // bytes of stdout, which a child does not write again

const char* Env(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

Kind KindOf(const char* text) {
  constexpr struct {
    const char* name;
    Kind kind;
  } kKinds[] = {{"alloc:", Kind::kAlloc},   {"read:", Kind::kRead},      {"write:", Kind::kWrite},
                {"open:", Kind::kOpen},     {"map:", Kind::kMap},        {"thread:", Kind::kThread},
                {"socket:", Kind::kSocket}, {"accept:", Kind::kAccept},  {"recv:", Kind::kRecv},
                {"send:", Kind::kSend},     {"resolve:", Kind::kResolve}};
  for (const auto& known : kKinds) {
    if (strncmp(text, known.name, strlen(known.name)) == 0) return known.kind;
  }
  return Kind::kNone;
}

void Log(const char* text) {
  if (g_state.log_fd >= 0 && syscall(SYS_write, g_state.log_fd, text, strlen(text)) < 0) return;
}

__attribute__((constructor)) void Start() {
  const char* text = Env("INFER_TEST_FAULT");
  g_state.kind = KindOf(text);
  if (g_state.kind == Kind::kNone) return;
  text = strchr(text, ':') + 1;
  g_state.log_fd =
      open(Env("INFER_TEST_FAULT_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (strncmp(text, "every", 5) == 0) {
    g_state.mode = Mode::kEvery;
    sscanf(text, "every:%ld:%ld", &g_state.first, &g_state.stride);
    snprintf(g_state.codes, sizeof(g_state.codes), ",%s,", Env("INFER_TEST_FAULT_CODES"));
    const int fd = open(Env("INFER_TEST_FAULT_OUTPUT"), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
      const ssize_t count = read(fd, g_state.expected, kMaxOutputBytes);
      g_state.expected_bytes = count > 0 ? static_cast<size_t>(count) : 0;
      close(fd);
    }
  } else if (strcmp(text, "short") == 0) {
    g_state.mode = Mode::kShort;
  } else {
    g_state.counts_threads_only = strncmp(text, "threads:", 8) == 0;
    g_state.counts_end_only = strncmp(text, "end:", 4) == 0;
    const char* colon = strchr(text, ':');
    g_state.first = atol(colon == nullptr ? text : colon + 1);
  }
}

// Calls before main, of libraries that set themselves up, cannot be answered with an error line.
int (*g_main)(int, char**, char**) = nullptr;

int CountedMain(int argc, char** argv, char** environment) {
  g_ready = g_state.kind != Kind::kNone;
  return g_main(argc, argv, environment);
}

__attribute__((destructor)) void Finish() {
  if (!g_ready || g_busy || g_state.mode != Mode::kEvery) return;
  char line[128];
  snprintf(line, sizeof(line), "tried %ld, failed %ld\n", g_tried, g_failed);
  Log(line);
}

// Returns the wait status, or -1 if the child had to be killed.
int WaitFor(pid_t child) {
  for (int i = 0; i < kChildSeconds * 1000; ++i) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    // Most children end within a millisecond.
    const timespec pause = {0, i < 100 ? 50'000 : 1'000'000};
    nanosleep(&pause, nullptr);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -1;
}

size_t ReadFrom(int fd, char* buffer) {
  const off_t bytes = lseek(fd, 0, SEEK_END);
  lseek(fd, 0, SEEK_SET);
  size_t got = 0;
  while (got < static_cast<size_t>(bytes) && got < kMaxOutputBytes) {
    const ssize_t count = syscall(SYS_read, fd, buffer + got, kMaxOutputBytes - got);
    if (count <= 0) break;
    got += static_cast<size_t>(count);
  }
  return got;
}

bool EndedWell(int status, const char* out, size_t out_bytes, const char* err) {
  if (status == -1 || !WIFEXITED(status)) return false;
  const int code = WEXITSTATUS(status);
  if (code == 0) {
    if (*Env("INFER_TEST_FAULT_OUTPUT") == '\0') return true;
    return g_written + out_bytes == g_state.expected_bytes &&
           memcmp(out, g_state.expected + g_written, out_bytes) == 0;
  }
  char wanted[16];
  snprintf(wanted, sizeof(wanted), ",%d,", code);
  return strstr(g_state.codes, wanted) != nullptr && strstr(err, "error: ") != nullptr;
}

// Tries the failure in a child. Returns true in the child.
bool Try() {
  static char out[kMaxOutputBytes + 1];
  static char err[kMaxOutputBytes + 1];
  const int out_fd = memfd_create("out", 0), err_fd = memfd_create("err", 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(out_fd, STDOUT_FILENO);
    dup2(err_fd, STDERR_FILENO);
    return true;
  }
  ++g_tried;
  const int status = WaitFor(child);
  const size_t out_bytes = ReadFrom(out_fd, out);
  err[ReadFrom(err_fd, err)] = '\0';
  close(out_fd);
  close(err_fd);
  if (EndedWell(status, out, out_bytes, err)) return false;
  ++g_failed;
  char line[512];
  if (char* end = strchr(err, '\n')) *end = '\0';
  snprintf(line, sizeof(line), "call %ld: %s %d, %zu bytes of output: %.300s\n", g_calls,
           status == -1               ? "hang"
           : WIFSIGNALED(status) != 0 ? "signal"
                                      : "code",
           status == -1 ? 0 : (WIFSIGNALED(status) != 0 ? WTERMSIG(status) : WEXITSTATUS(status)),
           out_bytes, err);
  Log(line);
  return false;
}

bool HasEndBegun() {
  static bool begun = false;
  if (__atomic_load_n(&begun, __ATOMIC_RELAXED)) return true;
  const int former_errno = errno;  // which the program may read only after an allocation
  const bool exists = access(Env("INFER_TEST_FAULT_END"), F_OK) == 0;
  errno = former_errno;
  if (!exists) return false;
  __atomic_store_n(&begun, true, __ATOMIC_RELAXED);
  return true;
}

// Whether this call of the C library fails.
bool Fails(Kind kind) {
  if (!g_ready || g_busy || kind != g_state.kind || g_state.mode == Mode::kShort) return false;
  const bool has_threads = __atomic_load_n(&g_has_threads, __ATOMIC_RELAXED);
  if (has_threads ? g_state.mode == Mode::kEvery : g_state.counts_threads_only) return false;
  if (g_state.counts_end_only && !HasEndBegun()) return false;
  const long call = __atomic_add_fetch(&g_calls, 1, __ATOMIC_RELAXED);
  if (g_state.mode == Mode::kOnce) {
    if (call == g_state.first) Log("failed\n");
    return call == g_state.first;
  }
  if (call < g_state.first || (call - g_state.first) % g_state.stride != 0) return false;
  g_busy = true;
  const bool fails = Try();
  g_busy = fails;
  return fails;
}

bool IsShort(Kind kind) { return g_ready && g_state.kind == kind && g_state.mode == Mode::kShort; }

bool IsEvent(int fd) { return fd >= 0 && fd < kMaxDescriptors && g_is_event[fd]; }

template <class F>
F Next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// Whatever the build hides, these are seen by the program.
#pragma GCC visibility push(default)
extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(),
                      void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  g_main = main;
  return Next<decltype(&__libc_start_main)>("__libc_start_main")(CountedMain, argc, argv, init,
                                                                 fini, rtld_fini, stack_end);
}

void* malloc(size_t bytes) {
  if (!Fails(Kind::kAlloc)) return __libc_malloc(bytes);
  errno = ENOMEM;
  return nullptr;
}

void* calloc(size_t count, size_t bytes) {
  if (!Fails(Kind::kAlloc)) return __libc_calloc(count, bytes);
  errno = ENOMEM;
  return nullptr;
}

void* realloc(void* old, size_t bytes) {
  if (!Fails(Kind::kAlloc)) return __libc_realloc(old, bytes);
  errno = ENOMEM;
  return nullptr;
}

void* memalign(size_t alignment, size_t bytes) {
  if (!Fails(Kind::kAlloc)) return __libc_memalign(alignment, bytes);
  errno = ENOMEM;
  return nullptr;
}

void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void** result, size_t alignment, size_t bytes) {
  void* memory = memalign(alignment, bytes);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}

int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** found) {
  static const auto next = Next<decltype(&getaddrinfo)>("getaddrinfo");
  return Fails(Kind::kResolve) ? EAI_MEMORY : next(node, service, hints, found);
}

ssize_t read(int fd, void* buffer, size_t bytes) {
  static const auto next = Next<decltype(&read)>("read");
  if (!IsEvent(fd) && Fails(Kind::kRead)) return errno = EIO, -1;
  return next(fd, buffer, !IsEvent(fd) && IsShort(Kind::kWrite) && bytes > 0 ? 1 : bytes);
}

ssize_t pread(int fd, void* buffer, size_t bytes, off_t offset) {
  static const auto next = Next<decltype(&pread)>("pread");
  if (Fails(Kind::kRead)) return errno = EIO, -1;
  return next(fd, buffer, IsShort(Kind::kWrite) && bytes > 0 ? 1 : bytes, offset);
}
ssize_t pread64(int fd, void* buffer, size_t bytes, off64_t offset) {
  return pread(fd, buffer, bytes, offset);
}

ssize_t write(int fd, const void* buffer, size_t bytes) {
  static const auto next = Next<decltype(&write)>("write");
  // A line on stderr that cannot be written has nowhere to go.
  if (fd != STDERR_FILENO && !IsEvent(fd) && Fails(Kind::kWrite)) return errno = EIO, -1;
  const ssize_t count =
      next(fd, buffer, !IsEvent(fd) && IsShort(Kind::kWrite) && bytes > 0 ? 1 : bytes);
  if (fd == STDOUT_FILENO && count > 0) g_written += static_cast<size_t>(count);
  return count;
}

ssize_t pwrite(int fd, const void* buffer, size_t bytes, off_t offset) {
  static const auto next = Next<decltype(&pwrite)>("pwrite");
  if (Fails(Kind::kWrite)) return errno = EIO, -1;
  return next(fd, buffer, IsShort(Kind::kWrite) && bytes > 0 ? 1 : bytes, offset);
}
ssize_t pwrite64(int fd, const void* buffer, size_t bytes, off64_t offset) {
  return pwrite(fd, buffer, bytes, offset);
}

int fsync(int fd) {
  static const auto next = Next<decltype(&fsync)>("fsync");
  return Fails(Kind::kWrite) ? (errno = EIO, -1) : next(fd);
}

int rename(const char* from, const char* to) {
  static const auto next = Next<decltype(&rename)>("rename");
  return Fails(Kind::kWrite) ? (errno = EIO, -1) : next(from, to);
}

int open(const char* path, int flags, ...) {
  static const auto next = Next<int (*)(const char*, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return Fails(Kind::kOpen) ? (errno = EMFILE, -1) : next(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open(path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  static const auto next = Next<decltype(&fopen)>("fopen");
  return Fails(Kind::kOpen) ? (errno = EMFILE, nullptr) : next(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  static const auto next = Next<decltype(&fopen)>("fopen64");
  return Fails(Kind::kOpen) ? (errno = EMFILE, nullptr) : next(path, mode);
}

int mkstemp(char* path) {
  static const auto next = Next<decltype(&mkstemp)>("mkstemp");
  return Fails(Kind::kOpen) ? (errno = EMFILE, -1) : next(path);
}
int mkstemp64(char* path) { return mkstemp(path); }

void* mmap(void* address, size_t bytes, int protection, int flags, int fd, off_t offset) {
  static const auto next = Next<decltype(&mmap)>("mmap");
  if (Fails(Kind::kMap)) return errno = ENOMEM, MAP_FAILED;
  return next(address, bytes, protection, flags, fd, offset);
}
void* mmap64(void* address, size_t bytes, int protection, int flags, int fd, off64_t offset) {
  return mmap(address, bytes, protection, flags, fd, offset);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) {
  static const auto next = Next<decltype(&pthread_create)>("pthread_create");
  if (Fails(Kind::kThread)) return EAGAIN;
  const bool is_first = !__atomic_exchange_n(&g_has_threads, true, __ATOMIC_RELAXED);
  const bool tries = g_ready && !g_busy && g_state.mode == Mode::kEvery;
  if (is_first && tries) Log("a thread was started\n");
  return next(thread, attributes, start, argument);
}

int socket(int domain, int type, int protocol) {
  static const auto next = Next<decltype(&socket)>("socket");
  return Fails(Kind::kSocket) ? (errno = EMFILE, -1) : next(domain, type, protocol);
}

int bind(int fd, const sockaddr* address, socklen_t bytes) {
  static const auto next = Next<decltype(&bind)>("bind");
  return Fails(Kind::kSocket) ? (errno = EADDRINUSE, -1) : next(fd, address, bytes);
}

int listen(int fd, int backlog) {
  static const auto next = Next<decltype(&listen)>("listen");
  if (g_ready && g_state.mode == Mode::kEvery) {
    Finish();
    _exit(0);
  }
  return Fails(Kind::kSocket) ? (errno = EADDRINUSE, -1) : next(fd, backlog);
}

int epoll_create1(int flags) {
  static const auto next = Next<decltype(&epoll_create1)>("epoll_create1");
  return Fails(Kind::kSocket) ? (errno = EMFILE, -1) : next(flags);
}

int timerfd_create(int clock, int flags) {
  static const auto next = Next<decltype(&timerfd_create)>("timerfd_create");
  return Fails(Kind::kSocket) ? (errno = EMFILE, -1) : next(clock, flags);
}

int eventfd(unsigned int count, int flags) {
  static const auto next = Next<decltype(&eventfd)>("eventfd");
  if (Fails(Kind::kSocket)) return errno = EMFILE, -1;
  const int fd = next(count, flags);
  if (fd >= 0 && fd < kMaxDescriptors) g_is_event[fd] = true;
  return fd;
}

int close(int fd) {
  static const auto next = Next<decltype(&close)>("close");
  if (fd >= 0 && fd < kMaxDescriptors) g_is_event[fd] = false;
  return next(fd);
}

int accept(int fd, sockaddr* address, socklen_t* bytes) {
  static const auto next = Next<decltype(&accept)>("accept");
  return Fails(Kind::kAccept) ? (errno = EMFILE, -1) : next(fd, address, bytes);
}

int accept4(int fd, sockaddr* address, socklen_t* bytes, int flags) {
  static const auto next = Next<decltype(&accept4)>("accept4");
  return Fails(Kind::kAccept) ? (errno = EMFILE, -1) : next(fd, address, bytes, flags);
}

ssize_t recv(int fd, void* buffer, size_t bytes, int flags) {
  static const auto next = Next<decltype(&recv)>("recv");
  return Fails(Kind::kRecv) ? (errno = ECONNRESET, -1) : next(fd, buffer, bytes, flags);
}

ssize_t recvmsg(int fd, msghdr* message, int flags) {
  static const auto next = Next<decltype(&recvmsg)>("recvmsg");
  return Fails(Kind::kRecv) ? (errno = ECONNRESET, -1) : next(fd, message, flags);
}

ssize_t send(int fd, const void* buffer, size_t bytes, int flags) {
  static const auto next = Next<decltype(&send)>("send");
  return Fails(Kind::kSend) ? (errno = EPIPE, -1) : next(fd, buffer, bytes, flags);
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  static const auto next = Next<decltype(&sendmsg)>("sendmsg");
  return Fails(Kind::kSend) ? (errno = EPIPE, -1) : next(fd, message, flags);
}

}  // extern "C"
#pragma GCC visibility pop
