#include "converters/app/unpacked_inputs.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <unordered_set>

#include "converters/model/reading/input_error.h"
#include "fxt/input.h"
#include "fxt/support/budget.h"
#include "fxt/support/compressed_files.h"
#include "fxt/support/foreign_files.h"
#include "fxt/tools/trace_files.h"
#include "fxt/utf8.h"

#ifdef FXT_CONVERT_HAS_TAR
#include <archive.h>
#include <archive_entry.h>
#endif

namespace convert {

namespace fs = std::filesystem;

UnpackedInputs::UnpackedInputs(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error;
  const bool is_empty = fs::is_empty(folder, error) && fs::is_directory(folder, error);
  if (!is_empty)
    throw std::runtime_error(
        fmt::format("{}: {}", folder, error ? error.message() : "is not an empty directory"));
  folder_ = std::make_shared<const std::string>(fs::absolute(folder).string());
}

#ifdef FXT_CONVERT_HAS_TAR

namespace {

std::string folder_for_temporary_files() {
  const char* const set = std::getenv("TMPDIR");
  return set != nullptr && *set != '\0' ? set : "/tmp";
}

// A private folder below $TMPDIR. A second process removes the folder when the destructor runs, or when this
// process ends without running the destructor.
class TemporaryFolder {
 public:
  // Throws std::runtime_error.
  TemporaryFolder() {
    const std::string outer = folder_for_temporary_files();
    const auto fail = [&](const std::string& problem) {
      throw std::runtime_error(fmt::format("{}: can't create a temporary folder: {}", outer, problem));
    };
    std::error_code problem;
    path_ = fs::canonical(outer, problem) / "fxt-convert-XXXXXX";
    if (problem) fail(problem.message());
    std::array<int, 2> lifeline{};  // the second process waits until this process closes the pipe
    sigset_t all{};
    sigset_t before{};
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, &before);
    const pid_t owner = ::getpid();
    const bool is_made = ::mkdtemp(path_.data()) != nullptr;
    if (is_made && ::pipe2(lifeline.data(), O_CLOEXEC) == 0) remover_ = ::fork();
    if (remover_ == 0) {
      ::close(lifeline[1]);
      char byte = 0;
      while (::read(lifeline[0], &byte, 1) < 0 && ::getppid() == owner) ::usleep(kPauseUs);
      remove(path_);
      ::_exit(0);
    }
    const int error = errno;
    // The second process must not get signals that are sent to our process group.
    if (remover_ > 0) ::setpgid(remover_, 0);
    if (remover_ < 0 && is_made) ::rmdir(path_.c_str());
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (remover_ < 0) fail(std::strerror(error));
    ::close(lifeline[0]);
    lifeline_ = lifeline[1];
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    ::close(lifeline_);
    while (::waitpid(remover_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  const std::string& path() const { return path_; }

 private:
  static constexpr unsigned kPauseUs = 10'000;

  // Repeats the removal, because a failed call may succeed later, for example when there is more memory.
  static void remove(const std::string& path) {
    constexpr int kTries = 100;
    std::error_code problem;
    for (int i = 0; i < kTries; ++i, ::usleep(kPauseUs)) {
      fs::remove_all(path, problem);
      if (!problem) return;
    }
  }

  std::string path_;
  int lifeline_ = -1;
  pid_t remover_ = -1;
};

// Limits for archives. Archives of recordings do not reach these limits. Creating and removing a file takes
// about 0.1 ms.
constexpr fxt::Limit kFiles{"files in an archive", 50'000, 1};
constexpr fxt::Limit kFolders{"folders in an archive", 10'000, 0};
constexpr fxt::Limit kDepth{"components in the path of a file in an archive", 64, 0};
constexpr fxt::Limit kAllDepths{"components in all paths of an archive", 1'000'000, 0};
constexpr fxt::Limit kReplaced{"files in an archive that replace an earlier file", 10'000, 0};
constexpr fxt::Limit kNameLength{"characters in a file name in an archive", 1024, 0};
constexpr fxt::Limit kNames{"MiB of file names in an archive", 16 * fxt::kMiB, 0};
constexpr fxt::Limit kRecordings{"recordings in an archive", 100, 0};
constexpr fxt::Limit kLinks{"symbolic links in an archive", 1000, 0};
constexpr fxt::Limit kHeader{"bytes of headers before a file in an archive", 256 * fxt::kKiB, 0};
// libarchive compares each access control entry with all earlier ones, which is slow.
constexpr fxt::Limit kAccess{"access control entries of a file in an archive", 100, 0};
// A file with several names (hard links) is read once for each name.
constexpr fxt::Limit kRepeated{"MiB of files in an archive that are read again through links", 64 * fxt::kMiB,
                               1 * fxt::kKiB};
constexpr fxt::Limit kUnpackedFiles{"MiB of unpacked files", 256 * fxt::kMiB, 40 * fxt::kKiB};

struct Free {
  void operator()(archive* archive) const { ::archive_free(archive); }
};
using Archive = std::unique_ptr<archive, Free>;

// The input of libarchive. The only filter of libarchive that is used is LZ4 (Lz4Input). If all filters were
// allowed, an archive could request any number of nested filters, and the memory for all of them.
class ArchiveBytes {
 public:
  explicit ArchiveBytes(std::unique_ptr<fxt::Input> input) : input_(std::move(input)) {}

  bool open(archive* archive) {
    return ::archive_read_open(archive, this, nullptr, &ArchiveBytes::read, nullptr) == ARCHIVE_OK;
  }
  // Limits the bytes that may be read from now on. Without `bytes`, there is no limit.
  void allow(std::optional<std::uint64_t> bytes) { left_ = bytes; }
  bool has_too_many() const { return left_ == 0; }
  void rethrow_failure() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  static la_ssize_t read(archive* /*archive*/, void* self, const void** block) {
    auto& bytes = *static_cast<ArchiveBytes*>(self);
    try {
      *block = bytes.block_.data();
      if (bytes.left_ != 0) {
        const std::size_t size = bytes.input_->read(bytes.block_);
        if (bytes.left_) *bytes.left_ -= std::min<std::uint64_t>(size, *bytes.left_);
        return static_cast<la_ssize_t>(size);
      }
    } catch (...) {
      bytes.failure_ = std::current_exception();
    }
    return ARCHIVE_FATAL;
  }

  std::unique_ptr<fxt::Input> input_;
  std::vector<std::byte> block_ = std::vector<std::byte>(std::size_t{1} << 16);
  std::optional<std::uint64_t> left_;
  std::exception_ptr failure_;
};

class Lz4Input final : public fxt::Input {
 public:
  Lz4Input(std::unique_ptr<fxt::Input> packed, std::string name)
      : bytes_(std::move(packed)), name_(std::move(name)) {
    if (in_ == nullptr) throw std::bad_alloc();
    ::archive_read_support_format_raw(in_.get());
    archive_entry* entry = nullptr;
    if (::archive_read_append_filter(in_.get(), ARCHIVE_FILTER_LZ4) != ARCHIVE_OK ||
        !bytes_.open(in_.get()) || ::archive_read_next_header(in_.get(), &entry) < ARCHIVE_WARN)
      fail();
  }

  std::size_t read(std::span<std::byte> room) override {
    const la_ssize_t size = ::archive_read_data(in_.get(), room.data(), room.size());
    if (size < 0) fail();
    unpacked_ += static_cast<std::uint64_t>(size);
    const auto packed = static_cast<std::uint64_t>(::archive_filter_bytes(in_.get(), -1));
    if (unpacked_ > kUnpackedFiles.of(packed))
      throw fxt::FileError(fmt::format("{}: {}; unpack it with another program first", name_,
                                       kUnpackedFiles.exceeded(packed)));
    return static_cast<std::size_t>(size);
  }

 private:
  [[noreturn]] void fail() const {
    bytes_.rethrow_failure();
    throw fxt::DamagedFile(name_ + ": the compressed data are damaged or truncated");
  }

  ArchiveBytes bytes_;
  std::string name_;
  std::uint64_t unpacked_ = 0;
  Archive in_{::archive_read_new()};
};

fxt::UnpackedFile open_unpacked(const std::string& input, const std::string& name) {
  constexpr std::string_view kLz4("\x04\x22\x4d\x18");
  fxt::UnpackedFile file = fxt::open_unpacked(input, name, kUnpackedFiles);
  auto bytes = std::make_unique<fxt::InputWithHead>(std::move(file.bytes), kLz4.size());
  if (file.is_packed || bytes->head() != kLz4) return {std::move(bytes), file.is_packed};
  return {std::make_unique<Lz4Input>(std::move(bytes), name), true};
}

bool is_recording(const fs::path& path, const Importers& importers) {
  return std::ranges::any_of(importers, [&](const auto& importer) { return importer->recognizes(path); });
}

bool stays_inside(const fs::path& path) {
  return path.is_relative() && std::ranges::find(path, "..") == path.end();
}

// Unpacks an archive, or any other file, which is treated as an archive of one file.
class Unpacker {
 public:
  Unpacker(fxt::UnpackedFile file, std::string name)
      : name_(std::move(name)), bytes_(std::move(file.bytes)), is_compressed_(file.is_packed) {
    if (in_ == nullptr || out_ == nullptr) throw std::bad_alloc();
    for (const auto support : {&archive_read_support_format_tar, &archive_read_support_format_raw,
                               &archive_read_support_format_empty})
      support(in_.get());
    ::archive_write_disk_set_options(out_.get(), ARCHIVE_EXTRACT_SECURE_SYMLINKS);
    if (!bytes_.open(in_.get())) check(in_, ARCHIVE_FATAL);
    next();
  }

  bool is_empty() const { return entry_ == nullptr; }
  bool is_tar() const {
    return (::archive_format(in_.get()) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR;
  }
  bool is_compressed() const { return is_compressed_; }

  // Symbolic links may point anywhere, because importers reject links that lead out of a recording. Links are
  // created after all files, so that no file is unpacked through a link.
  void unpack_tar(const fs::path& folder) {
    std::map<std::string, std::string> links;  // name and target
    const auto place_of = [&](const std::string& name) {
      const fs::path path = (folder / name).lexically_normal();
      return path.has_filename() ? path : path.parent_path();
    };
    fxt::Budget replaced(kReplaced), link_budget(kLinks), names(kNames);
    std::unordered_set<std::size_t> hashes;
    const auto take = [&](fxt::Budget& budget, std::uint64_t amount = 1) {
      if (!budget.take(amount)) fail(budget.exceeded());
    };
    const auto add_link = [&](const fs::path& path, const std::string& target) {
      take(link_budget);
      if (target.size() > kNameLength.of(0)) fail(kNameLength.exceeded());
      links.emplace(path.native(), target);
    };
    for (std::uint64_t files = 1; entry_ != nullptr; next(), ++files) {
      if (files > kFiles.of(unpacked_bytes())) fail(kFiles.exceeded(unpacked_bytes()));
      take(names, entry_name_.size());
      if (entry_name_.size() > kNameLength.of(0)) fail(kNameLength.exceeded());
      if (!stays_inside(entry_name_)) fail("the name leads out of the archive");
      count_folders(entry_name_);
      const fs::path path = place_of(entry_name_);
      if (!hashes.insert(fs::hash_value(path)).second) take(replaced);
      links.erase(path.native());  // if a name occurs twice, the later entry counts
      if (const char* const hard_link = ::archive_entry_hardlink(entry_)) {
        if (!stays_inside(hard_link)) fail(fmt::format("the link to {} leads out of the archive", hard_link));
        const fs::path other = place_of(hard_link);
        if (const auto link = links.find(other.native()); link != links.end()) {
          add_link(path, link->second);
          continue;
        }
        ::archive_entry_set_hardlink(entry_, other.c_str());
      } else if (const char* const link = ::archive_entry_symlink(entry_)) {
        add_link(path, link);
        continue;
      }
      // Unpacks a device as a FIFO, which needs no special permissions. Importers open neither devices nor
      // FIFOs.
      const auto type = ::archive_entry_filetype(entry_);
      if (type == AE_IFCHR || type == AE_IFBLK) ::archive_entry_set_filetype(entry_, AE_IFIFO);
      unpack_entry(path, [] { return true; });
      if (::archive_entry_hardlink(entry_) != nullptr) count_again(path);
    }
    // Creates the innermost links first, so that no link is created through another one.
    for (auto link = links.rbegin(); link != links.rend(); ++link) make_link(link->first, link->second);
    std::error_code error;
    const fs::path inside = fs::canonical(folder, error) / "";
    for (const auto& [path, target] : links)
      if (fs::canonical(path, error).native().starts_with(inside.native())) count_again(path);
  }

  // Unpacks the current entry to `path`. Calls `is_wanted` when the first kBeginBytes are unpacked. If it
  // returns false, the rest of the entry is not unpacked.
  template <typename IsWanted>
  void unpack_entry(const fs::path& path, IsWanted is_wanted) {
    constexpr unsigned kPrivateFile = 0600, kPrivateFolder = 0700;
    constexpr std::uint64_t kBeginBytes = 4096;
    ::archive_entry_set_pathname(entry_, path.c_str());
    const bool is_folder = ::archive_entry_filetype(entry_) == AE_IFDIR;
    ::archive_entry_set_perm(entry_, is_folder ? kPrivateFolder : kPrivateFile);
    check(out_, ::archive_write_header(out_.get(), entry_));
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    int status = ARCHIVE_OK;
    std::uint64_t written = 0;
    while ((status = ::archive_read_data_block(in_.get(), &block, &size, &offset)) == ARCHIVE_OK) {
      const bool is_begin = written < kBeginBytes;
      written = static_cast<std::uint64_t>(offset) + size;
      check_growth(written);
      while (::archive_write_data_block(out_.get(), block, size, offset) < 0)
        if (::archive_errno(out_.get()) != EINTR) check(out_, ARCHIVE_FATAL);
      if (is_begin && written >= kBeginBytes && !is_wanted()) return;
    }
    check(in_, status);
    unpacked_ += std::max(written, static_cast<std::uint64_t>(::archive_entry_size(entry_)));
    check_growth(0);
    check(out_, ::archive_write_finish_entry(out_.get()));
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    constexpr std::size_t kShown = 200;
    std::string entry(fxt::cut_utf8(entry_name_, kShown));
    if (entry.size() < entry_name_.size()) entry += "…";
    throw InputError(Location::file(entry.empty() ? name_ : name_ + "/" + entry), problem);
  }
  // Fails if the folders of the entry exceed a limit. Must be called before these folders are created.
  void count_folders(const fs::path& name) {
    const auto parts_of = [](const fs::path& path) {
      return static_cast<std::uint64_t>(std::distance(path.begin(), path.end()));
    };
    if (!depth_budget_.take(parts_of(name))) fail(depth_budget_.exceeded());
    const fs::path entry = name.lexically_normal();
    if (parts_of(entry) > kDepth.of(0)) fail(kDepth.exceeded());
    const bool is_folder = ::archive_entry_filetype(entry_) == AE_IFDIR;
    for (fs::path folder = is_folder ? entry : entry.parent_path();
         !folder.empty() && folders_.insert(folder.native()).second; folder = folder.parent_path())
      if (!folder_budget_.take()) fail(folder_budget_.exceeded());
  }
  void check(const Archive& archive, int status) const {
    bytes_.rethrow_failure();
    if (bytes_.has_too_many()) fail(kHeader.exceeded());
    if (status >= ARCHIVE_WARN && status != ARCHIVE_RETRY) return;  // ARCHIVE_RETRY means a damaged header
    const char* const message = ::archive_error_string(archive.get());
    const std::string_view problem = message != nullptr ? message : "the archive is damaged";
    // The errno of a failed system call. For a damaged archive, libarchive sets EILSEQ instead.
    const int error = ::archive_errno(archive.get());
    if (error == ENOSPC || error == EDQUOT)
      throw std::runtime_error(
          fmt::format("{}: can't unpack {} into this folder: {}; set TMPDIR to a folder with more space",
                      folder_for_temporary_files(), name_, std::strerror(error)));
    fail(fmt::format("can't unpack: {}{}{}", problem, error > 0 && error != EILSEQ ? ": " : "",
                     error > 0 && error != EILSEQ ? std::strerror(error) : ""));
  }
  // Fails if the path is a folder that contains files.
  static void make_link(const fs::path& path, const fs::path& target) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (!error) fs::remove(path, error);
    if (!error) fs::create_symlink(target, path, error);
    if (error) throw InputError(Location::file(path.native()), "can't unpack the link: " + error.message());
  }
  // Counts the bytes of a file once more, because the archive also has it under a second name.
  void count_again(const fs::path& path) {
    std::error_code error;
    if (const auto bytes = fs::file_size(path, error); !error) repeated_ += bytes;
    if (repeated_ > kRepeated.of(unpacked_bytes())) fail(kRepeated.exceeded(unpacked_bytes()));
  }
  std::uint64_t unpacked_bytes() const {  // size of the part of the archive that was read
    return static_cast<std::uint64_t>(::archive_filter_bytes(in_.get(), -1));
  }
  void check_growth(std::uint64_t more) const {
    if (unpacked_ + more > kUnpackedFiles.of(unpacked_bytes()))
      fail(kUnpackedFiles.exceeded(unpacked_bytes()) + "; unpack it with another program first");
  }
  void next() {
    if (entry_ != nullptr) check(in_, ::archive_read_data_skip(in_.get()));
    const la_int64_t end_of_entry = ::archive_filter_bytes(in_.get(), 0);
    bytes_.allow(kHeader.of(0));
    const int status = ::archive_read_next_header(in_.get(), &entry_);
    // libarchive accepts an archive without its end, but a complete archive ends with blocks of zeros.
    if (status == ARCHIVE_EOF && is_tar() && ::archive_filter_bytes(in_.get(), 0) == end_of_entry)
      fail("the archive ends after this file without an end marker, so it was truncated");
    entry_name_.clear();
    if (status == ARCHIVE_EOF) entry_ = nullptr;
    check(in_, status == ARCHIVE_EOF ? ARCHIVE_OK : status);
    bytes_.allow(std::nullopt);
    if (const char* const name = is_tar() && entry_ != nullptr ? ::archive_entry_pathname(entry_) : nullptr)
      entry_name_ = name;
    constexpr int kAnyAccess = ARCHIVE_ENTRY_ACL_TYPE_POSIX1E | ARCHIVE_ENTRY_ACL_TYPE_NFS4;
    if (entry_ != nullptr && std::cmp_greater(::archive_entry_acl_count(entry_, kAnyAccess), kAccess.of(0)))
      fail(kAccess.exceeded());
  }

  std::string name_;
  std::string entry_name_;
  ArchiveBytes bytes_;
  bool is_compressed_;
  Archive in_{::archive_read_new()}, out_{::archive_write_disk_new()};
  archive_entry* entry_ = nullptr;  // null at the end
  std::uint64_t unpacked_ = 0;      // size of the earlier entries
  std::uint64_t repeated_ = 0;      // sum of the sizes of the files to which earlier links lead
  std::set<std::string> folders_;   // folders that were created
  fxt::Budget folder_budget_{kFolders}, depth_budget_{kAllDepths};
};

// Adds the recordings in `path` to `found`. Stops when `found` has more recordings than an archive may have.
void find_recordings(const fs::path& path, const Importers& importers, std::vector<std::string>& found) {
  if (fs::is_symlink(path) || found.size() > kRecordings.of(0)) return;
  if (is_recording(path, importers)) return found.push_back(path.string());
  if (!fs::is_directory(path)) return;
  std::vector<std::string> names;  // keeps names, because complete paths would need much memory
  std::error_code error;
  fs::directory_iterator entries(path, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error))
    names.push_back(entries->path().filename());
  if (error) fail_to_read(path.string(), error);
  std::ranges::sort(names);
  for (const std::string& name : names) find_recordings(path / name, importers, found);
}

// Searches the folder for a file with a name like that of an archive. Returns the file's path relative to the
// folder. Returns an empty text if there is no such file.
std::string archive_in(const fs::path& folder) {
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    const fs::path name = entries->path().filename();
    const std::string suffix = name.extension();
    if (suffix == ".tar" || suffix == ".tgz" || name.stem().extension() == ".tar")
      return entries->path().lexically_relative(folder);
  }
  return {};
}

}  // namespace

std::vector<std::string> UnpackedInputs::recordings_in(const std::string& input, const Importers& importers) {
  const bool is_stream = input == "-";
  std::error_code error;
  const auto type = is_stream ? fs::file_type::fifo : fs::status(input, error).type();
  if (type == fs::file_type::none) fail_to_read(input, error);
  if (!is_stream && (type != fs::file_type::regular || ::access(input.c_str(), R_OK) != 0 ||
                     is_recording(input, importers) || fxt::tools::is_fxt(input)))
    return {input};
  const std::string name = is_stream ? "standard input" : input;
  Unpacker unpacker(open_unpacked(input, name), name);
  if (!is_stream && !unpacker.is_tar() && (unpacker.is_empty() || !unpacker.is_compressed())) return {input};
  if (unpacker.is_empty()) throw InputError(Location::file(name), "is empty");
  if (folder_ == nullptr) {
    const auto folder = std::make_shared<const TemporaryFolder>();
    folder_ = {folder, &folder->path()};
  }
  const fs::path folder = fs::path(*folder_) / fmt::format("{:08}", names_.size());
  if (unpacker.is_tar()) {
    names_.emplace_back(folder, name);
    unpacker.unpack_tar(folder);
    std::vector<std::string> found;
    find_recordings(folder, importers, found);
    if (found.size() > kRecordings.of(0))
      throw InputError(Location::file(name),
                       kRecordings.exceeded() + "; unpack it with another program first");
    if (!found.empty()) return found;
    const std::string inner = archive_in(folder);
    throw InputError(
        Location::file(name),
        inner.empty()
            ? fmt::format("the archive contains {}", none_of(importers))
            : fmt::format("an archive that contains an archive; unpack the outer archive, and convert {}",
                          inner));
  }
  const fs::path file = folder / fs::path(name).stem();  // the trace shows the name of this file
  names_.emplace_back(file, name);
  unpacker.unpack_entry(file, [&] { return is_recording(file, importers); });
  if (unpacker.is_compressed() && fxt::tools::is_fxt(file))
    throw InputError(Location::file(name),
                     "already a compressed FXT trace; decompress it to open it in a viewer");
  return {file};
}

std::string library_of_archives() { return ::archive_version_string(); }

#else

std::vector<std::string> UnpackedInputs::recordings_in(const std::string& input,
                                                       const Importers& /*importers*/) {
  const std::string file = fs::path(input).filename();
  if (input != "-" && !file.ends_with(".tar") && !file.ends_with(".tgz") &&
      file.find(".tar.") == std::string::npos && !fxt::foreign_kind_of(input).starts_with("a tar archive"))
    return {input};
  throw InputError(Location::file(input == "-" ? "standard input" : input),
                   "this fxt-convert was built without libarchive and can't read archives or standard input; "
                   "give a directory or a trace file");
}

std::string library_of_archives() { return "no libarchive"; }

#endif

std::string UnpackedInputs::with_input_names(std::string text) const {
  for (const auto& [unpacked, name] : names_)
    for (std::size_t at = 0; (at = text.find(unpacked, at)) != std::string::npos; at += name.size())
      text.replace(at, unpacked.size(), name);
  return text;
}

}  // namespace convert
