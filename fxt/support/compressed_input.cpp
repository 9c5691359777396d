// Plain files, gzip by zlib, and zstd.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/support/compressed_files.h"
#include "fxt/support/foreign_files.h"

#define ZLIB_CONST  // zlib's input pointers are const
#include <zlib.h>
#include <zstd.h>

namespace fxt {
namespace {

// A file by its C handle.
class RawFile final : public Input {
 public:
  explicit RawFile(const std::string& path) : path_(path) {
    file_.reset(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    if (file_ == nullptr) throw FileError(path + ": " + std::strerror(errno));
  }

  std::size_t read(std::span<std::byte> room) override {
    const std::size_t size = std::fread(room.data(), 1, room.size(), file_.get());
    if (std::ferror(file_.get()) == 0) return size;
    const std::string problem = std::strerror(errno);
    const std::string reason = why_no_trace(path_);
    throw FileError(path_ + ": " + (reason.empty() ? problem : reason));
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdin) std::fclose(file);
    }
  };

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

// What a decoder has done: bytes that it took and gave; `failed`: they are damaged.
struct Decoded {
  std::size_t taken = 0, given = 0;
  bool failed = false;
};

class GzipDecoder {
 public:
  GzipDecoder() {
    constexpr int kGzipOnly = 16;
    if (::inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecoder() { ::inflateEnd(&stream_); }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  bool is_complete() const { return is_complete_; }
  Decoded decode(std::span<const std::byte> packed, std::span<std::byte> room) {
    if (is_complete_ && !packed.empty()) {  // another file is appended
      ::inflateReset(&stream_);
      is_complete_ = false;
    }
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    stream_.next_in = reinterpret_cast<const Bytef*>(packed.data());
    stream_.avail_in = static_cast<uInt>(packed.size());
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = static_cast<uInt>(std::min(room.size(), kMost));
    const uInt room_size = stream_.avail_out;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    is_complete_ = result == Z_STREAM_END;
    return {.taken = packed.size() - stream_.avail_in,
            .given = room_size - stream_.avail_out,
            .failed = result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR};
  }

 private:
  z_stream stream_ = {};
  bool is_complete_ = false;
};

class ZstdDecoder {
 public:
  ZstdDecoder() : stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  bool is_complete() const { return wanted_ == 0; }
  Decoded decode(std::span<const std::byte> packed, std::span<std::byte> room) {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    wanted_ = ZSTD_decompressStream(stream_.get(), &out, &in);
    return {.taken = in.pos, .given = out.pos, .failed = ZSTD_isError(wanted_) != 0};
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  std::size_t wanted_ = 0;  // bytes of input; 0 between frames
};

template <typename Decoder>
class PackedFile final : public Input {
 public:
  PackedFile(std::unique_ptr<Input> file, std::string path)
      : file_(std::move(file)), path_(std::move(path)), block_(kBlock) {}

  // What comes before damage, also before a cut end, is handed out first.
  std::size_t read(std::span<std::byte> room) override {
    while (problem_ == nullptr && !room.empty()) {
      if (packed_.empty() && !is_at_end_) {
        packed_ = std::span(block_).first(file_->read(block_));
        is_at_end_ = packed_.empty();
      }
      if (is_at_end_ && decoder_.is_complete()) return 0;
      const Decoded decoded = decoder_.decode(packed_, room);
      packed_ = packed_.subspan(decoded.taken);
      if (decoded.failed)
        problem_ = "the compressed data is damaged";
      else if (is_at_end_ && decoded.given == 0)
        problem_ = "the compressed data ends early";
      if (decoded.given != 0) return decoded.given;
    }
    if (problem_ != nullptr) throw DamagedFile(path_ + ": " + problem_);
    return 0;
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{128} << 10;

  std::unique_ptr<Input> file_;
  std::string path_;
  Decoder decoder_;
  std::vector<std::byte> block_;
  std::span<const std::byte> packed_;  // of the block, what is not decoded yet
  bool is_at_end_ = false;
  const char* problem_ = nullptr;
};

}  // namespace

std::unique_ptr<Input> open_input(const std::string& path) {
  constexpr std::size_t kMagicBytes = 4;
  auto file = std::make_unique<InputWithHead>(std::make_unique<RawFile>(path), kMagicBytes);
  if (file->failure() != nullptr) std::rethrow_exception(file->failure());
  const std::string_view head = file->head();
  if (head.starts_with("\x1f\x8b")) return std::make_unique<PackedFile<GzipDecoder>>(std::move(file), path);
  if (head.starts_with("\x28\xb5\x2f\xfd"))
    return std::make_unique<PackedFile<ZstdDecoder>>(std::move(file), path);
  return file;
}

}  // namespace fxt
