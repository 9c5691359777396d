#include "fxt/support/file_place.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fxt {
namespace {

// The status after a failed call, from errno.
FilePlace::Status failure() {
  using Kind = FilePlace::Status::Kind;
  const int error = errno;
  if (error == EXDEV)
    return {.kind = Kind::Refused,
            .problem =
                "a symbolic link leads out of the recording and is not followed; replace it with a copy of "
                "the file if the file belongs to the recording"};
  const Kind kind = error == ENOENT || error == ENOTDIR ? Kind::Missing
                    : error == ELOOP                    ? Kind::Refused
                                                        : Kind::Unknown;
  return {.kind = kind, .problem = fmt::format("can't open: {}", std::strerror(error))};
}

FilePlace::Status status_of(const struct stat& found) {
  using Kind = FilePlace::Status::Kind;
  if (S_ISREG(found.st_mode))
    return {.kind = Kind::Regular, .size_bytes = static_cast<std::uint64_t>(found.st_size)};
  if (S_ISLNK(found.st_mode))
    return {.kind = Kind::Refused,
            .problem = "a symbolic link, which is not followed because this system has no openat2"};
  return {.kind = Kind::Refused, .problem = "not a regular file, so it is not opened"};
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ < 0) return;
  const int error = errno;
  ::close(number_);
  errno = error;
}

Folder::Folder(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (!descriptor_.is_open()) error_ = errno;
}

// The path stays a text. Splitting it into components would take long, because recordings have thousands of
// files.
FilePlace::FilePlace(std::shared_ptr<const Folder> folder, std::string_view path, Links links)
    : folder_(std::move(folder)), links_(links) {
  const std::string& directory = folder_->path().native();
  text_.reserve(directory.size() + 1 + path.size());
  text_ = directory;
  if (!text_.empty() && text_.back() != '/') text_ += '/';
  path_begin_ = text_.size();
  text_ += path;
}

// Opens the file. If this fails, the result is not open, and errno has the reason. All files of an input are
// opened here.
Descriptor FilePlace::find(int flags) const {
  flags |= O_CLOEXEC;
  if (folder_ == nullptr) return Descriptor(::open(path(), flags));
  if (errno = folder_->error(); errno != 0) return Descriptor();
  open_how how{};
  how.flags = static_cast<__u64>(flags);
  how.resolve = RESOLVE_NO_MAGICLINKS | (links_ == Links::StayBeneath ? RESOLVE_BENEATH : RESOLVE_IN_ROOT);
  constexpr int kTries = 100;  // the call can fail if a file is renamed at the same time
  for (int i = 0; i < kTries; ++i) {
    Descriptor found(
        static_cast<int>(::syscall(SYS_openat2, folder_->descriptor(), path(), &how, sizeof how)));
    if (found.is_open()) return found;
    if (errno == ENOSYS || errno == EPERM) return find_without_links(flags);
    if (errno != EAGAIN) break;
  }
  return Descriptor();
}

// Like find(), but without openat2, which old kernels and some sandboxes lack. Does not follow links.
Descriptor FilePlace::find_without_links(int flags) const {
  Descriptor folder;
  std::string_view rest = path();
  for (;;) {
    const std::string name(rest.substr(0, rest.find('/')));
    const bool is_last = name.size() == rest.size();
    if (name.empty() || name == "..") {
      errno = EXDEV;
      return Descriptor();
    }
    Descriptor found(::openat(folder.is_open() ? folder.number() : folder_->descriptor(), name.c_str(),
                              O_NOFOLLOW | (is_last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC)));
    if (!found.is_open() || is_last) return found;
    folder = std::move(found);
    rest.remove_prefix(name.size() + 1);
  }
}

FilePlace::Status FilePlace::status() const {
  struct stat found {};
  if (folder_ == nullptr) return ::stat(path(), &found) == 0 ? status_of(found) : failure();
  // Most files are directly in the folder and are not links. For them, a single call is enough.
  const bool is_name = text_.find('/', path_begin_) == std::string::npos;
  if (is_name && ::fstatat(folder_->descriptor(), path(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
      !S_ISLNK(found.st_mode))
    return status_of(found);
  const Descriptor place = find(O_PATH);
  return place.is_open() && ::fstat(place.number(), &found) == 0 ? status_of(found) : failure();
}

// Checks the type again, because another file may have this name by now.
FilePlace::Opened FilePlace::open() const {
  Opened result{.status = is_expected_regular_ ? Status{.kind = Status::Kind::Regular} : status(),
                .descriptor = Descriptor()};
  if (result.status.kind != Status::Kind::Regular) return result;
  Descriptor opened = find(O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat found {};
  result.status = opened.is_open() && ::fstat(opened.number(), &found) == 0 ? status_of(found) : failure();
  if (result.status.kind == Status::Kind::Regular) result.descriptor = std::move(opened);
  return result;
}

}  // namespace fxt
