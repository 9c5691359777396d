// Compression by Boost.Iostreams.
#include "fxt/tools/input_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ios>
#include <string_view>

#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>

namespace fxt::tools {
namespace {

// A file by its C handle, whose first bytes can be looked at.
class RawFile final : public Input {
 public:
  explicit RawFile(const std::string& path) : path_(path) {
    file_.reset(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    if (file_ == nullptr) throw FileError(path + ": " + std::strerror(errno));
    ahead_ = std::fread(head_.data(), 1, head_.size(), file_.get());
    check();
  }

  std::string_view head() const { return {head_.data(), ahead_}; }

  std::size_t read(std::span<std::byte> room) override {
    if (taken_ < ahead_) {
      const std::size_t size = std::min(room.size(), ahead_ - taken_);
      std::memcpy(room.data(), head_.data() + taken_, size);
      taken_ += size;
      return size;
    }
    const std::size_t size = std::fread(room.data(), 1, room.size(), file_.get());
    check();
    return size;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdin) std::fclose(file);
    }
  };
  void check() const {
    if (std::ferror(file_.get()) != 0) throw FileError(path_ + ": " + std::strerror(errno));
  }

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::array<char, 4> head_ = {};
  std::size_t ahead_ = 0, taken_ = 0;
};

// What Boost.Iostreams reads from.
struct RawSource {
  using char_type = char;
  using category = boost::iostreams::source_tag;
  RawFile* file;

  std::streamsize read(char* room, std::streamsize size) {
    const std::size_t got =
        file->read(std::as_writable_bytes(std::span(room, static_cast<std::size_t>(size))));
    return got == 0 ? -1 : static_cast<std::streamsize>(got);
  }
};

class CompressedFile final : public Input {
  using Traits = boost::iostreams::filtering_istreambuf::traits_type;

 public:
  template <typename Filter>
  CompressedFile(std::unique_ptr<RawFile> file, const Filter& filter, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {
    stream_.push(filter);
    stream_.push(RawSource{file_.get()});
  }

  // What came before damage is handed out first.
  std::size_t read(std::span<std::byte> room) override {
    std::size_t filled = 0;
    try {
      while (!damaged_ && filled < room.size() && stream_.sgetc() != Traits::eof()) {
        const auto left = static_cast<std::streamsize>(room.size() - filled);
        const std::streamsize ready = std::clamp<std::streamsize>(stream_.in_avail(), 1, left);
        filled +=
            static_cast<std::size_t>(stream_.sgetn(reinterpret_cast<char*>(room.data()) + filled, ready));
      }
    } catch (const std::ios_base::failure&) {
      damaged_ = true;
    }
    if (damaged_ && filled == 0) throw FileError(path_ + ": the compressed data is damaged");
    return filled;
  }

 private:
  std::unique_ptr<RawFile> file_;
  std::string path_;
  boost::iostreams::filtering_istreambuf stream_;
  bool damaged_ = false;
};

}  // namespace

std::unique_ptr<Input> open_input(const std::string& path) {
  auto file = std::make_unique<RawFile>(path);
  const std::string_view head = file->head();
  if (head.starts_with("\x1f\x8b"))
    return std::make_unique<CompressedFile>(std::move(file), boost::iostreams::gzip_decompressor(), path);
  if (head.starts_with("\x28\xb5\x2f\xfd"))
    return std::make_unique<CompressedFile>(std::move(file), boost::iostreams::zstd_decompressor(), path);
  return file;
}

ExitCode tell_end(const EntrySource& source, const char* program, const std::string& file) {
  const ReadEnd& end = source.reader().end();
  const std::string problem = describe(end);
  if (!source.failure().empty()) {
    std::fprintf(stderr, "%s: %s\n", program, source.failure().c_str());
  } else if (!problem.empty()) {
    std::fprintf(stderr, "%s: %s:+0x%llx: %s\n", program, file.c_str(),
                 static_cast<unsigned long long>(end.offset), problem.c_str());
  } else {
    return ExitCode::Done;
  }
  return ExitCode::Failed;
}

}  // namespace fxt::tools
