#include "converters/uftrace/symbols/regular_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "converters/model/reading/input_error.h"

namespace convert::uftrace {
namespace {

// Finds the file without opening it: nothing behind the name notices.
int find(const std::filesystem::path& path, const std::filesystem::path& root) {
  if (root.empty()) return ::open(path.c_str(), O_PATH | O_CLOEXEC);
  const int directory = ::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return -1;
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const auto found = static_cast<int>(::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how));
  const int error = errno;
  ::close(directory);
  errno = error;
  return found;
}

}  // namespace

RegularFile::RegularFile(const std::filesystem::path& path, const std::filesystem::path& root)
    : path_(root.empty() ? path.native() : (root / path.relative_path()).native()) {
  const auto fail = [&](std::string_view problem) { throw InputError(Location::file(path_), problem); };
  const int found = find(path, root);
  if (found < 0) fail(errno == ENOENT || errno == ENOTDIR ? "there is no such file" : std::strerror(errno));
  struct stat status {};
  const bool is_regular = ::fstat(found, &status) == 0 && S_ISREG(status.st_mode);
  // The very file that was looked at, whatever the name stands for by now.
  if (is_regular)
    descriptor_ = ::open(fmt::format("/proc/self/fd/{}", found).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  const int error = errno;
  ::close(found);
  if (!is_regular) fail("is no regular file");
  if (descriptor_ < 0) fail(std::strerror(error));
  size_ = static_cast<std::uint64_t>(status.st_size);
}

RegularFile::~RegularFile() { ::close(descriptor_); }

}  // namespace convert::uftrace
