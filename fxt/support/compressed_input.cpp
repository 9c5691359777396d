// Plain files, gzip by Boost.Iostreams, and zstd.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ios>
#include <new>
#include <string_view>
#include <vector>
#include <zstd.h>

#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include "fxt/support/compressed_files.h"

namespace fxt {
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

class GzipFile final : public Input {
  using Traits = boost::iostreams::filtering_istreambuf::traits_type;

 public:
  GzipFile(std::unique_ptr<RawFile> file, std::string path) : file_(std::move(file)), path_(std::move(path)) {
    stream_.push(boost::iostreams::gzip_decompressor());
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

// Boost's filter takes a file that is cut off for a whole one.
class ZstdFile final : public Input {
 public:
  ZstdFile(std::unique_ptr<RawFile> file, std::string path)
      : file_(std::move(file)),
        path_(std::move(path)),
        decoder_(ZSTD_createDStream()),
        packed_(ZSTD_DStreamInSize()) {
    if (decoder_ == nullptr) throw std::bad_alloc();
  }

  // What came before damage is handed out first.
  std::size_t read(std::span<std::byte> room) override {
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    while (!is_damaged_ && out.pos == 0 && !room.empty()) {
      if (in_.pos == in_.size && !is_at_end_) {
        in_ = {packed_.data(), file_->read(packed_), 0};
        is_at_end_ = in_.size == 0;
      }
      if (is_at_end_ && wanted_ == 0) return 0;
      wanted_ = ZSTD_decompressStream(decoder_.get(), &out, &in_);
      is_damaged_ = ZSTD_isError(wanted_) != 0 || (is_at_end_ && out.pos == 0);
    }
    if (is_damaged_ && out.pos == 0) throw FileError(path_ + ": the compressed data is damaged");
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* decoder) const { ZSTD_freeDStream(decoder); }
  };

  std::unique_ptr<RawFile> file_;
  std::string path_;
  std::unique_ptr<ZSTD_DStream, Free> decoder_;
  std::vector<std::byte> packed_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  std::size_t wanted_ = 0;  // bytes of input; 0 between frames
  bool is_at_end_ = false, is_damaged_ = false;
};

}  // namespace

std::unique_ptr<Input> open_input(const std::string& path) {
  auto file = std::make_unique<RawFile>(path);
  const std::string_view head = file->head();
  if (head.starts_with("\x1f\x8b")) return std::make_unique<GzipFile>(std::move(file), path);
  if (head.starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<ZstdFile>(std::move(file), path);
  return file;
}

}  // namespace fxt
