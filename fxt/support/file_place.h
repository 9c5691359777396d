// The place of a file, and the limits for symbolic links on the way to it. Only regular files are opened:
// opening a FIFO could block, and opening a device could have side effects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace fxt {

// A file descriptor, which the destructor closes.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }  // negative if it is not open

 private:
  int number_;
};

// A directory that is kept open. Files are found in this directory even if another directory gets its name.
// Its path may be a symbolic link, because the user gave the path.
class Folder {
 public:
  explicit Folder(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  int error() const { return error_; }  // the errno if opening failed; 0 if the directory is open
  int descriptor() const { return descriptor_.number(); }

 private:
  std::filesystem::path path_;
  Descriptor descriptor_;
  int error_ = 0;
};

class FilePlace {
 public:
  FilePlace() = default;  // stands for no file
  // A path that the user gave. Its links may point anywhere.
  explicit FilePlace(const std::filesystem::path& path) : text_(path.native()) {}
  // A file in the folder. The file is refused if a link leads out of the folder.
  static FilePlace beneath(std::shared_ptr<const Folder> folder, std::string_view name) {
    return FilePlace(std::move(folder), name, Links::StayBeneath);
  }
  // A path from another machine. The directory `root` has a copy of that machine's files. If `root` is empty,
  // the path is on this machine.
  static FilePlace in_root(const std::filesystem::path& root, const std::filesystem::path& path) {
    if (root.empty()) return FilePlace(path);
    return FilePlace(std::make_shared<const Folder>(root), path.relative_path().native(), Links::StartAtRoot);
  }

  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }  // for messages
  std::string name() const { return std::filesystem::path(text_).filename(); }

  struct Status {
    enum class Kind : std::uint8_t {
      Regular,
      Missing,
      Refused,  // not a regular file, or a link that is circular or leads out of the folder
      Unknown,  // another error, for example no permission
    };
    Kind kind;
    std::uint64_t size_bytes = 0;  // size of a regular file
    std::string problem = {};      // empty for a regular file
  };
  Status status() const;

  struct Opened {
    Status status;
    Descriptor descriptor;  // open if the file is a regular file
  };
  // Opens the file without blocking.
  Opened open() const;
  // Saves time: open() then checks the type only after opening. May be called if status() has just returned
  // Regular.
  void expect_regular() { is_expected_regular_ = true; }

 private:
  enum class Links : std::uint8_t { LeadAnywhere, StayBeneath, StartAtRoot };
  FilePlace(std::shared_ptr<const Folder> folder, std::string_view path, Links links);

  const char* path() const { return text_.c_str() + path_begin_; }
  Descriptor find(int flags) const;
  Descriptor find_without_links(int flags) const;

  std::string text_;
  std::size_t path_begin_ = 0;  // position in `text_` at which the path relative to the folder begins
  std::shared_ptr<const Folder> folder_;
  Links links_ = Links::LeadAnywhere;
  bool is_expected_regular_ = false;
};

}  // namespace fxt
