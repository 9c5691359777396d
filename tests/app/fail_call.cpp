// Preloaded into a program (LD_PRELOAD), makes one of its calls into the system fail, as a full disk or a
// missing permission would. From the environment: FAIL_CALL the function, FAIL_AT which of its calls (from
// 1), FAIL_ERRNO the error. Without FAIL_CALL nothing fails, and the file FAIL_COUNTS gets a line "NAME
// COUNT" for each function.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
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

bool fails(Call& call) {
  static const char* const name = std::getenv("FAIL_CALL");
  const int number = ++call.count;
  if (name == nullptr || std::strcmp(name, call.name) != 0) return false;
  static const int at = std::atoi(std::getenv("FAIL_AT"));
  if (number != at) return false;
  errno = std::atoi(std::getenv("FAIL_ERRNO"));
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
FAILING(ssize_t, read, (int file, void* room, std::size_t size), (file, room, size), -1)
FAILING(ssize_t, pread, (int file, void* room, std::size_t size, off_t at), (file, room, size, at), -1)
FAILING(ssize_t, pread64, (int file, void* room, std::size_t size, off64_t at), (file, room, size, at), -1)
FAILING(ssize_t, write, (int file, const void* bytes, std::size_t size), (file, bytes, size), -1)
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
FAILING(int, pthread_create,
        (pthread_t * thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument),
        (thread, attributes, run, argument), errno)
FAILING(std::size_t, fwrite, (const void* bytes, std::size_t size, std::size_t count, std::FILE* file),
        (bytes, size, count, file), 0)

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
