#include "fxt/output_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

namespace fxt {
namespace {

constexpr mode_t kNewFileMode = 0666;  // the umask applies to it, as for any new file
constexpr mode_t kPermissions = 07777;

// The file to which the symbolic link `name` leads, even if the file does not exist. If `name` is not a link,
// `name` itself.
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

std::string directory_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

bool is_one_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// An unused name in the directory of the target. A long name is shortened, because names have at most 255
// bytes.
std::string free_name_for(const std::string& target) {
  constexpr std::size_t kLongest = 220;
  const std::string file = std::filesystem::path(target).filename().string();
  const std::string kept = target.substr(0, target.size() - file.size()) + file.substr(0, kLongest);
  struct stat status {};
  const std::string first = kept + ".part-" + std::to_string(::getpid());
  std::string name = first;
  for (int i = 2; ::lstat(name.c_str(), &status) == 0; ++i) name = first + '-' + std::to_string(i);
  return name;
}

// ---- A signal that ends the program (SIGINT, SIGTERM, SIGHUP) removes the temporary file ----

constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};

// The path for the signal handler. It is set after guarded_text was assigned, and cleared before guarded_text
// is destroyed.
std::atomic<const char*> guarded_path{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads it");
std::string guarded_text;

// Only async-signal-safe calls are allowed here. SA_RESETHAND has restored the default action of the signal.
void remove_and_end(int signal) {
  if (const char* path = guarded_path.load()) ::unlink(path);
  std::raise(signal);
}

// Until release_temporary() is called, a signal that ends the program removes the file `path`. There can be
// only one path at a time.
void guard_temporary(const std::string& path) {
  guarded_text = path;
  guarded_path = guarded_text.c_str();
  for (const int signal : kEndingSignals) {
    struct sigaction action {};
    // A signal that the parent has set to be ignored (nohup) stays ignored.
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = remove_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

void release_temporary() { guarded_path = nullptr; }

}  // namespace

class OutputFile::State {
 public:
  State(const std::string& path, FileMode mode);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void write(std::span<const std::byte> bytes);
  void overwrite(std::uint64_t offset, std::span<const std::byte> bytes);
  void restart();
  void commit(bool sync);

  const std::string name;
  std::uint64_t bytes_written = 0;

 private:
  void open_directly(int flags);
  void open_temporary();
  void drop_temporary_name();
  void allocate(std::uint64_t bytes);
  void sync_folder() const;
  [[noreturn]] void fail(std::string_view what) const;  // adds the text of errno

  std::string target_;     // the path of the output, with symbolic links resolved
  std::string temporary_;  // path of the temporary file; empty if there is none
  FileMode mode_;
  int fd_ = -1;
  bool allocates_ahead_ = false;
  std::uint64_t allocated_bytes_ = 0;  // size of the allocated part of the file; 0 if none is allocated
};

OutputFile::State::State(const std::string& path, FileMode mode)
    : name(path == "-" ? "standard output" : path), target_(path), mode_(mode) {
  if (path == "-") {
    fd_ = STDOUT_FILENO;
    return;
  }
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail("can't write");
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail("can't write");
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) fail("can't write");
  if (exists && !S_ISREG(status.st_mode)) {
    open_directly(0);
    return;
  }
  // A link in /proc/self/fd may lead to a file that has no name any more.
  struct stat at_end {};
  std::string end = resolved(path);
  const bool has_name = !exists || (::stat(end.c_str(), &at_end) == 0 && is_one_file(status, at_end));
  if (has_name) target_ = std::move(end);
  if (!has_name || mode == FileMode::InPlace) {
    open_directly(O_CREAT | O_TRUNC);
    return;
  }
  open_temporary();
  // may fail, because not all file systems have permissions
  if (exists) ::fchmod(fd_, status.st_mode & kPermissions);
#ifdef __linux__
  // In measurements, allocating many blocks at once was faster on ext4 and XFS, and slower on a tmpfs.
  constexpr long kXfsMagic = 0x5846'5342;
  struct statfs system {};
  allocates_ahead_ =
      ::fstatfs(fd_, &system) == 0 && (system.f_type == EXT4_SUPER_MAGIC || system.f_type == kXfsMagic);
#endif
}

void OutputFile::State::open_directly(int flags) {
  fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | flags, kNewFileMode);
  if (fd_ < 0) fail("can't open");
}

void OutputFile::State::open_temporary() {
  temporary_ = free_name_for(target_);
  if (mode_ == FileMode::Replace) guard_temporary(temporary_);
  fd_ = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kNewFileMode);
  if (fd_ >= 0) return;
  const int problem = errno;
  drop_temporary_name();
  errno = problem;
  fail("can't create");
}

void OutputFile::State::drop_temporary_name() {
  if (mode_ == FileMode::Replace) release_temporary();
  temporary_.clear();
}

// With FileMode::Keep, gives an incomplete file the name of the output, unless a file with this name exists.
OutputFile::State::~State() {
  if (fd_ >= 0 && fd_ != STDOUT_FILENO) ::close(fd_);
  if (temporary_.empty()) return;
  const bool is_kept = mode_ == FileMode::Keep && bytes_written != 0;
  if (!is_kept || ::link(temporary_.c_str(), target_.c_str()) == 0) ::unlink(temporary_.c_str());
  drop_temporary_name();
}

// Allocates blocks for the first `bytes` bytes of the file and for some bytes after them. Does not change the
// size of the file. If the file system does not support this, blocks are allocated when they are written. If
// the disk becomes full, the allocated blocks are released.
void OutputFile::State::allocate([[maybe_unused]] std::uint64_t bytes) {
#ifdef FALLOC_FL_KEEP_SIZE
  constexpr std::uint64_t kStep = std::uint64_t{32} << 20, kSmallFile = std::uint64_t{4} << 20;
  while (allocates_ahead_ && bytes > std::max(allocated_bytes_, kSmallFile)) {
    allocates_ahead_ =
        ::fallocate(fd_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(allocated_bytes_), kStep) == 0;
    if (allocates_ahead_)
      allocated_bytes_ += kStep;
    else if (::ftruncate(fd_, static_cast<off_t>(bytes_written)) != 0)
      fail("can't write");
  }
#endif
}

void OutputFile::State::write(std::span<const std::byte> bytes) {
  allocate(bytes_written + bytes.size());
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("can't write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    bytes_written += static_cast<std::uint64_t>(written);
  }
}

void OutputFile::State::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("can't overwrite");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void OutputFile::State::restart() {
  if (::ftruncate(fd_, 0) != 0 || ::lseek(fd_, 0, SEEK_SET) != 0) fail("can't truncate");
  bytes_written = 0;
}

void OutputFile::State::commit(bool sync) {
  if (fd_ < 0) return;  // the file is complete
  if (allocated_bytes_ > bytes_written && ::ftruncate(fd_, static_cast<off_t>(bytes_written)) != 0)
    fail("can't write");
  // EINVAL: the file is a pipe or similar, and can't be synced.
  if (sync && ::fsync(fd_) != 0 && errno != EINVAL) fail("can't write");
  // For a full pipe or disk, close() may be the first call that reports the error.
  if (fd_ != STDOUT_FILENO && ::close(std::exchange(fd_, -1)) != 0) fail("can't write");
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("can't rename the finished file");
  drop_temporary_name();
  if (sync) sync_folder();
}

void OutputFile::State::sync_folder() const {
  const int folder = ::open(directory_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_synced = folder >= 0 && ::fsync(folder) == 0;
  const int problem = errno;
  if (folder >= 0) ::close(folder);
  errno = problem;
  if (!is_synced) fail("is written, but its folder can't be synced");
}

void OutputFile::State::fail(std::string_view what) const {
  throw std::system_error(errno, std::generic_category(), name + ": " + std::string(what));
}

OutputFile::OutputFile(const std::string& path, FileMode mode)
    : state_(std::make_unique<State>(path, mode)) {}
OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
void OutputFile::write(std::span<const std::byte> bytes) { state_->write(bytes); }
void OutputFile::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  state_->overwrite(offset, bytes);
}
void OutputFile::restart() { state_->restart(); }
void OutputFile::commit(bool sync) { state_->commit(sync); }
const std::string& OutputFile::name() const { return state_->name; }
std::uint64_t OutputFile::bytes_written() const { return state_->bytes_written; }

}  // namespace fxt
