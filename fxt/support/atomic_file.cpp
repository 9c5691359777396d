#include "fxt/support/atomic_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

namespace fxt {
namespace {

constexpr mode_t kNewFileMode = 0666;  // less the umask, as any new file

// Where a name points to in the end; the name itself if nothing is there yet.
std::string resolved(const std::string& name) {
  std::error_code error;
  auto path = std::filesystem::path(name);
  for (int links = 0; links < 40 && std::filesystem::is_symlink(path, error); ++links) {
    const auto next = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path.string();
}

// A name beside the target that nobody has.
std::string free_name_for(const std::string& target) {
  struct stat status {};
  std::string name = fmt::format("{}.part-{}", target, ::getpid());
  for (int i = 2; ::lstat(name.c_str(), &status) == 0; ++i)
    name = fmt::format("{}.part-{}-{}", target, ::getpid(), i);
  return name;
}

// Whether a file gets its blocks cheaper if many are allocated at once: these file systems are measured, a
// tmpfs takes longer.
bool pays_to_allocate(int fd) {
  constexpr long kXfsMagic = 0x5846'5342;
  struct statfs status {};
  return ::fstatfs(fd, &status) == 0 && (status.f_type == EXT4_SUPER_MAGIC || status.f_type == kXfsMagic);
}

std::string directory_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

// ---- A signal that ends the program (SIGINT, SIGTERM, SIGHUP) removes the temporary file ----

constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};

// What the handler may touch: set once complete, cleared before the text goes away.
std::atomic<const char*> guarded_path{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads it");
std::string guarded_text;

// Only async-signal-safe calls here. SA_RESETHAND made the signal's default effect the next one.
void remove_and_end(int signal) {
  if (const char* path = guarded_path.load()) ::unlink(path);
  std::raise(signal);
}

// From now on until release_temporary(), `path` is unlinked when one of the signals ends the program. One
// path at a time.
void guard_temporary(const std::string& path) {
  guarded_text = path;
  guarded_path = guarded_text.c_str();
  for (const int signal : kEndingSignals) {
    struct sigaction action {};
    // A signal that was ignored from outside (nohup) stays ignored.
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = remove_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

void release_temporary() { guarded_path = nullptr; }

}  // namespace

AtomicFile::AtomicFile(const std::string& target)
    : name_(target == "-" ? "standard output" : target), target_(resolved(target)) {
  if (target == "-") {
    fd_ = STDOUT_FILENO;
    is_straight_ = true;
    return;
  }
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail("can't write");
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail("can't write");
  }
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail("can't write");
  if (exists && !S_ISREG(status.st_mode))
    open_straight();
  else
    open_unnamed();
  allocates_ahead_ = !is_straight_ && pays_to_allocate(fd_);
}

void AtomicFile::open_straight() {
  is_straight_ = true;
  fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd_ < 0) fail("can't open");
}

void AtomicFile::open_unnamed() {
  fd_ = ::open(directory_of(target_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kNewFileMode);
  if (fd_ >= 0 && ::access(fmt::format("/proc/self/fd/{}", fd_).c_str(), F_OK) == 0) return;
  if (fd_ >= 0) ::close(fd_);

  temporary_ = free_name_for(target_);
  guard_temporary(temporary_);
  fd_ = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kNewFileMode);
  if (fd_ < 0) {
    release_temporary();
    temporary_.clear();
    fail("can't create");
  }
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0 && fd_ != STDOUT_FILENO) ::close(fd_);
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    release_temporary();
  }
}

// Sees to it that the first `bytes` bytes of the file have blocks, with those of the bytes that follow. Does
// not change the file's size. A file system that can't do it allocates blocks as they are written.
void AtomicFile::allocate(std::uint64_t bytes) {
  constexpr std::uint64_t kStep = std::uint64_t{32} << 20, kSmallFile = std::uint64_t{4} << 20;
  while (allocates_ahead_ && bytes > std::max(allocated_bytes_, kSmallFile)) {
    allocates_ahead_ =
        ::fallocate(fd_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(allocated_bytes_), kStep) == 0;
    if (allocates_ahead_) allocated_bytes_ += kStep;
  }
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  allocate(bytes_written_ + bytes.size());
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("can't write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    bytes_written_ += static_cast<std::uint64_t>(written);
  }
}

void AtomicFile::commit(bool sync) {
  if (is_straight_) {
    // A full pipe or disk may be reported only by close().
    if (fd_ != STDOUT_FILENO && ::close(std::exchange(fd_, -1)) != 0) fail("can't write");
    return;
  }
  if (allocated_bytes_ > bytes_written_ && ::ftruncate(fd_, static_cast<off_t>(bytes_written_)) != 0)
    fail("can't write");
  if (sync && ::fsync(fd_) != 0) fail("can't write");
  if (temporary_.empty()) {
    // An unnamed file can't replace an older one at once: it gets a temporary name first.
    temporary_ = free_name_for(target_);
    guard_temporary(temporary_);
    if (::linkat(AT_FDCWD, fmt::format("/proc/self/fd/{}", fd_).c_str(), AT_FDCWD, temporary_.c_str(),
                 AT_SYMLINK_FOLLOW) != 0)
      fail("can't name the finished file");
  }
  if (::close(std::exchange(fd_, -1)) != 0) fail("can't write");
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("can't name the finished file");
  temporary_.clear();
  release_temporary();
  if (sync) sync_folder();
}

void AtomicFile::sync_folder() const {
  const int folder = ::open(directory_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_synced = folder >= 0 && ::fsync(folder) == 0;
  const int problem = errno;
  if (folder >= 0) ::close(folder);
  errno = problem;
  if (!is_synced) fail("is written, but its folder can't be synced");
}

void AtomicFile::fail(std::string_view what) const {
  throw OutputError(fmt::format("{}: {}: {}", name_, what, std::strerror(errno)));
}

}  // namespace fxt
