// Preloaded into a program (LD_PRELOAD), makes one of its calls into the system fail, as a full disk or a
// missing permission would. From the environment: FAIL_CALL the function, FAIL_AT which of its calls (from
// 1), FAIL_ERRNO the error; 0 makes a call that reads or writes stop halfway, -1 is the end of the file, and
// -9 kills the program. With FAIL_WORKERS only calls of threads that the program started count. Without
// FAIL_CALL nothing fails, and the file FAIL_COUNTS gets a line "NAME COUNT" for each function.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

constexpr int kMost = 64;
struct Call {
  const char* name;
  std::atomic<int> count;
};
Call calls[kMost];
std::atomic<int> known{0};

Call& add(const char* name) {
  Call& call = calls[known++];
  call.name = name;
  return call;
}

const pthread_t main_thread = ::pthread_self();

bool fails(Call& call) {
  static const char* const name = std::getenv("FAIL_CALL");
  static const bool of_workers = std::getenv("FAIL_WORKERS") != nullptr;
  if (of_workers && ::pthread_equal(::pthread_self(), main_thread) != 0) return false;
  const int number = ++call.count;
  if (name == nullptr || std::strcmp(name, call.name) != 0) return false;
  static const int at = std::atoi(std::getenv("FAIL_AT"));
  if (number != at) return false;
  errno = std::atoi(std::getenv("FAIL_ERRNO"));
  if (errno == -SIGKILL) ::kill(::getpid(), SIGKILL);
  return true;
}

struct AtEnd {
  ~AtEnd() {
    const char* const path = std::getenv("FAIL_COUNTS");
    if (path == nullptr) return;
    const int file = ::openat64(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    for (int i = 0; i < known; ++i) ::dprintf(file, "%s %d\n", calls[i].name, calls[i].count.load());
    ::close(file);
  }
} at_end;

}  // namespace

// Defines the function; `failed` is what it returns when it fails.
#define FAILING(result, name, parameters, arguments, failed)                                     \
  extern "C" result name parameters {                                                            \
    static Call& call = add(#name);                                                              \
    static auto* const real = reinterpret_cast<result(*) parameters>(::dlsym(RTLD_NEXT, #name)); \
    if (fails(call)) return failed;                                                              \
    return real arguments;                                                                       \
  }
#define FAILING_OPEN(name)                                                                                 \
  extern "C" int name(const char* path, int flags, ...) {                                                  \
    static Call& call = add(#name);                                                                        \
    static auto* const real = reinterpret_cast<int (*)(const char*, int, ...)>(::dlsym(RTLD_NEXT, #name)); \
    if (fails(call)) return -1;                                                                            \
    va_list rest;                                                                                          \
    va_start(rest, flags);                                                                                 \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;                   \
    va_end(rest);                                                                                          \
    return real(path, flags, mode);                                                                        \
  }

FAILING_OPEN(open)
FAILING_OPEN(open64)
FAILING(std::FILE*, fopen, (const char* path, const char* mode), (path, mode), nullptr)
FAILING(std::FILE*, fopen64, (const char* path, const char* mode), (path, mode), nullptr)
// `size` is one of the parameters.
#define FAILING_TRANSFER(name, parameters, arguments)                                             \
  extern "C" ssize_t name parameters {                                                            \
    static Call& call = add(#name);                                                               \
    static auto* const real = reinterpret_cast<ssize_t(*) parameters>(::dlsym(RTLD_NEXT, #name)); \
    if (fails(call)) {                                                                            \
      if (errno == -1) return 0;                                                                  \
      if (errno != 0) return -1;                                                                  \
      size = (size + 1) / 2;                                                                      \
    }                                                                                             \
    return real arguments;                                                                        \
  }
FAILING_TRANSFER(read, (int file, void* room, std::size_t size), (file, room, size))
FAILING_TRANSFER(pread, (int file, void* room, std::size_t size, off_t at), (file, room, size, at))
FAILING_TRANSFER(pread64, (int file, void* room, std::size_t size, off64_t at), (file, room, size, at))
FAILING_TRANSFER(write, (int file, const void* bytes, std::size_t size), (file, bytes, size))
FAILING(int, stat, (const char* path, struct stat* status), (path, status), -1)
FAILING(int, stat64, (const char* path, struct stat64* status), (path, status), -1)
FAILING(int, lstat, (const char* path, struct stat* status), (path, status), -1)
FAILING(int, lstat64, (const char* path, struct stat64* status), (path, status), -1)
FAILING(int, fstat, (int file, struct stat* status), (file, status), -1)
FAILING(int, fstat64, (int file, struct stat64* status), (file, status), -1)
FAILING(DIR*, opendir, (const char* path), (path), nullptr)
FAILING(int, linkat, (int from, const char* old, int to, const char* path, int flags),
        (from, old, to, path, flags), -1)
FAILING(int, rename, (const char* from, const char* to), (from, to), -1)
FAILING(int, fsync, (int file), (file), -1)
FAILING(int, unlink, (const char* path), (path), -1)
FAILING(int, ftruncate, (int file, off_t size), (file, size), -1)
FAILING(int, ftruncate64, (int file, off64_t size), (file, size), -1)
FAILING(int, fallocate, (int file, int mode, off_t from, off_t size), (file, mode, from, size), -1)
FAILING(void*, mmap, (void* wanted, std::size_t size, int access, int flags, int file, off_t from),
        (wanted, size, access, flags, file, from), MAP_FAILED)
FAILING(void*, mmap64, (void* wanted, std::size_t size, int access, int flags, int file, off64_t from),
        (wanted, size, access, flags, file, from), MAP_FAILED)
FAILING(int, pthread_create,
        (pthread_t * thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument),
        (thread, attributes, run, argument), errno)
FAILING(std::size_t, fwrite, (const void* bytes, std::size_t size, std::size_t count, std::FILE* file),
        (bytes, size, count, file), 0)

// Looking for the C library's own would allocate.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  static Call& call = add("malloc");
  return fails(call) ? nullptr : __libc_malloc(size);
}

// The file is closed nevertheless, as by the kernel.
extern "C" int close(int file) {
  static Call& call = add("close");
  static auto* const real = reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "close"));
  const int problem = fails(call) ? errno : 0;
  const int result = real(file);
  if (problem == 0) return result;
  errno = problem;
  return -1;
}
