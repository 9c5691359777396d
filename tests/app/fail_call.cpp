// A library for LD_PRELOAD that makes one system call of a program fail, as a full disk or a missing
// permission would. Environment variables: FAIL_CALL is the function. FAIL_AT selects one of its calls, from
// 1; 0 means all of them. FAIL_ERRNO is the error; 0 makes a read or write stop halfway, -1 is the end of the
// file, and -9 kills the program. With FAIL_WORKERS, calls of the main thread do not fail and do not count.
//
// Without FAIL_CALL nothing fails, and a line "NAME COUNT" for each function is written to the file
// FAIL_COUNTS. With REVERSE_ENTRIES, the entries of a directory come in reverse order.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

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
  if (at != 0 && number != at) return false;
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

// Replaces a function by one that returns `failed` for a call that must fail.
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
// Like FAILING, for a function with a parameter `size`, which can also transfer only half of the bytes.
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
FAILING(int, fstatat, (int folder, const char* path, struct stat* status, int flags),
        (folder, path, status, flags), -1)
FAILING(int, statx, (int folder, const char* path, int flags, unsigned mask, struct statx* status),
        (folder, path, flags, mask, status), -1)
FAILING(int, access, (const char* path, int mode), (path, mode), -1)
FAILING(DIR*, opendir, (const char* path), (path), nullptr)
FAILING(char*, mkdtemp, (char* path), (path), nullptr)
FAILING(int, mkdir, (const char* path, mode_t mode), (path, mode), -1)
FAILING(int, pipe2, (int* files, int flags), (files, flags), -1)
FAILING(pid_t, fork, (), (), -1)
FAILING(int, fchmod, (int file, mode_t mode), (file, mode), -1)
FAILING(int, link, (const char* old, const char* path), (old, path), -1)
FAILING(int, linkat, (int from, const char* old, int to, const char* path, int flags),
        (from, old, to, path, flags), -1)
FAILING(int, rename, (const char* from, const char* to), (from, to), -1)
FAILING(int, unlink, (const char* path), (path), -1)
FAILING(int, ftruncate, (int file, off_t size), (file, size), -1)
FAILING(int, ftruncate64, (int file, off64_t size), (file, size), -1)
// Here, only openat2 can fail, because the programs call it with syscall().
extern "C" long syscall(long number, ...) {
  static Call& call = add("openat2");
  static auto* const real = reinterpret_cast<long (*)(long, ...)>(::dlsym(RTLD_NEXT, "syscall"));
  if (number == SYS_openat2 && fails(call)) return -1;
  va_list rest;
  va_start(rest, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(rest, long);
  va_end(rest);
  return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
// A failing fallocate() still allocates a part of the blocks, as on a full disk.
extern "C" int fallocate(int file, int mode, off_t from, off_t size) {
  static Call& call = add("fallocate");
  static auto* const real =
      reinterpret_cast<int (*)(int, int, off_t, off_t)>(::dlsym(RTLD_NEXT, "fallocate"));
  if (!fails(call)) return real(file, mode, from, size);
  const int error = errno;
  real(file, mode, from, size / 2);
  errno = error;
  return -1;
}
FAILING(void*, mmap, (void* wanted, std::size_t size, int access, int flags, int file, off_t from),
        (wanted, size, access, flags, file, from), MAP_FAILED)
FAILING(void*, mmap64, (void* wanted, std::size_t size, int access, int flags, int file, off64_t from),
        (wanted, size, access, flags, file, from), MAP_FAILED)
FAILING(int, pthread_create,
        (pthread_t * thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument),
        (thread, attributes, run, argument), errno)
FAILING(std::size_t, fwrite, (const void* bytes, std::size_t size, std::size_t count, std::FILE* file),
        (bytes, size, count, file), 0)
FAILING(int, fflush, (std::FILE * file), (file), EOF)

namespace {
thread_local std::FILE* unreadable = nullptr;
}
extern "C" std::size_t fread(void* room, std::size_t size, std::size_t count, std::FILE* file) {
  static Call& call = add("fread");
  static auto* const real = reinterpret_cast<std::size_t (*)(void*, std::size_t, std::size_t, std::FILE*)>(
      ::dlsym(RTLD_NEXT, "fread"));
  unreadable = fails(call) ? file : nullptr;
  return unreadable != nullptr ? 0 : real(room, size, count, file);
}
extern "C" int ferror(std::FILE* file) {
  static auto* const real = reinterpret_cast<int (*)(std::FILE*)>(::dlsym(RTLD_NEXT, "ferror"));
  return file == unreadable ? 1 : real(file);
}

extern "C" int fsync(int file) {
  static Call &of_file = add("fsync"), &of_folder = add("fsync_folder");
  static auto* const real = reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "fsync"));
  struct stat status {};
  return fails(::fstat(file, &status) == 0 && S_ISDIR(status.st_mode) ? of_folder : of_file) ? -1
                                                                                             : real(file);
}

// A close that fails also closes the file, as in the kernel.
#define FAILING_CLOSE(name, File, failed)                                                 \
  extern "C" int name(File file) {                                                        \
    static Call& call = add(#name);                                                       \
    static auto* const real = reinterpret_cast<int (*)(File)>(::dlsym(RTLD_NEXT, #name)); \
    const int problem = fails(call) ? errno : 0;                                          \
    const int result = real(file);                                                        \
    if (problem == 0) return result;                                                      \
    errno = problem;                                                                      \
    return failed;                                                                        \
  }
FAILING_CLOSE(close, int, -1)
FAILING_CLOSE(fclose, std::FILE*, EOF)

namespace {

// The entries that readdir() has not returned yet. readdir() returns the last of these entries next.
template <typename Entry>
struct Entries {
  std::vector<Entry> left;
  Entry current;
};

template <typename Entry>
Entry* last_entry(std::map<DIR*, Entries<Entry>>& open, DIR* folder, Entry* (*real)(DIR*)) {
  const auto [at, is_new] = open.try_emplace(folder);
  Entries<Entry>& entries = at->second;
  while (is_new) {
    const Entry* const entry = real(folder);
    if (entry == nullptr) break;
    Entry& copy = entries.left.emplace_back();
    std::memcpy(&copy, entry, entry->d_reclen);
  }
  if (entries.left.empty()) return nullptr;
  entries.current = entries.left.back();
  entries.left.pop_back();
  return &entries.current;
}

const bool reverses_entries = std::getenv("REVERSE_ENTRIES") != nullptr;
std::mutex entries_mutex;
std::map<DIR*, Entries<dirent>> entries;
std::map<DIR*, Entries<dirent64>> entries64;

}  // namespace

#define FAILING_READDIR(name, Entry, open)                                                   \
  extern "C" Entry* name(DIR* folder) {                                                      \
    static Call& call = add(#name);                                                          \
    static auto* const real = reinterpret_cast<Entry* (*)(DIR*)>(::dlsym(RTLD_NEXT, #name)); \
    if (fails(call)) return nullptr;                                                         \
    if (!reverses_entries) return real(folder);                                              \
    const std::lock_guard lock(entries_mutex);                                               \
    return last_entry(open, folder, real);                                                   \
  }
FAILING_READDIR(readdir, dirent, entries)
FAILING_READDIR(readdir64, dirent64, entries64)

extern "C" int closedir(DIR* folder) {
  static auto* const real = reinterpret_cast<int (*)(DIR*)>(::dlsym(RTLD_NEXT, "closedir"));
  const std::lock_guard lock(entries_mutex);
  entries.erase(folder);
  entries64.erase(folder);
  return real(folder);
}
