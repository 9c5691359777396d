// Plain files, gzip by several threads, and zstd.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <fmt/format.h>
#include <future>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/endian/conversion.hpp>

#include "fxt/support/compressed_files.h"

#define ZLIB_CONST  // zlib's input pointers are const
#include <zlib.h>
#include <zstd.h>

namespace fxt {
namespace {

class PlainStream : public ByteStream {
 public:
  explicit PlainStream(OutputFile& file) : file_(file) {}
  void write(std::span<const std::byte> bytes) override { file_.write(bytes); }
  void finish() override {}

 private:
  OutputFile& file_;
};

// ---- gzip ----

constexpr std::size_t kBlockBytes = 256 * 1024;  // larger ones save less than a thousandth
constexpr std::size_t kWindowBytes = 32 * 1024;  // as far as deflate looks back
constexpr std::size_t kFlushBytes = 16;          // the end of a block that is not the last; generous
constexpr int kPlainDeflate = -MAX_WBITS;        // without a head and a tail: those are ours
constexpr int kMemoryLevel = 8;                  // zlib's own default

// RFC 1952: deflate, no flags, no time, no hint, Unix.
constexpr std::array kHead = {std::byte{0x1f}, std::byte{0x8b}, std::byte{8}, std::byte{0}, std::byte{0},
                              std::byte{0},    std::byte{0},    std::byte{0}, std::byte{0}, std::byte{3}};

const Bytef* bytes_of(std::span<const std::byte> bytes) {
  return reinterpret_cast<const Bytef*>(bytes.data());
}
uInt size_of(std::span<const std::byte> bytes) { return static_cast<uInt>(bytes.size()); }

class Deflater {
 public:
  Deflater() {
    if (::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kPlainDeflate, kMemoryLevel,
                       Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Deflater() { ::deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  std::vector<std::byte> run(std::span<const std::byte> known, std::span<const std::byte> plain,
                             bool is_last) {
    if (!known.empty()) ::deflateSetDictionary(&stream_, bytes_of(known), size_of(known));
    std::vector<std::byte> out(::deflateBound(&stream_, plain.size()) + kFlushBytes);
    stream_.next_in = bytes_of(plain);
    stream_.avail_in = size_of(plain);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = size_of(out);
    const int result = ::deflate(&stream_, is_last ? Z_FINISH : Z_SYNC_FLUSH);
    if (result != (is_last ? Z_STREAM_END : Z_OK) || stream_.avail_in != 0 || stream_.avail_out == 0)
      throw std::logic_error("a block takes more room than zlib foretold");
    out.erase(out.end() - static_cast<std::ptrdiff_t>(stream_.avail_out), out.end());
    return out;
  }

 private:
  z_stream stream_ = {};
};

// .gz outputs, compressed by several threads: blocks of equal size, each by itself but for the 32 KiB before
// it, joined to one stream that every reader of gzip takes. The bytes do not depend on the number of threads.
class GzipStream final : public ByteStream {
 public:
  // Borrows `file`. With one job, no thread is started.
  GzipStream(OutputFile& file, unsigned jobs);
  void write(std::span<const std::byte> bytes) override;
  void finish() override;

 private:
  using Bytes = std::vector<std::byte>;
  struct Compressed {
    Bytes bytes;
    std::uint32_t checksum;  // of the plain bytes
    std::size_t plain_size;
  };

  static Compressed compress(const Bytes& block, std::size_t known, bool is_last);
  void hand_out(bool is_last);
  void take_in(const Compressed& block);

  OutputFile& file_;
  std::size_t jobs_;
  Bytes block_;            // what is known already, and what follows it
  std::size_t known_ = 0;  // of block_, bytes that the block before has
  std::deque<std::future<Compressed>> running_;
  std::uint32_t checksum_ = 0;
  std::uint64_t plain_size_ = 0;
};

GzipStream::GzipStream(OutputFile& file, unsigned jobs) : file_(file), jobs_(jobs) {
  block_.reserve(kWindowBytes + kBlockBytes);
}

void GzipStream::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), known_ + kBlockBytes - block_.size());
    block_.insert(block_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    bytes = bytes.subspan(size);
    if (block_.size() == known_ + kBlockBytes) hand_out(false);
  }
}

void GzipStream::finish() {
  hand_out(true);
  for (; !running_.empty(); running_.pop_front()) take_in(running_.front().get());
  using boost::endian::native_to_little;
  const std::array tail{native_to_little(checksum_),
                        native_to_little(static_cast<std::uint32_t>(plain_size_))};  // its lowest 32 bits
  file_.write(std::as_bytes(std::span(tail)));
}

GzipStream::Compressed GzipStream::compress(const Bytes& block, std::size_t known, bool is_last) {
  const auto plain = std::span(block).subspan(known);
  return {.bytes = Deflater().run(std::span(block).first(known), plain, is_last),
          .checksum = static_cast<std::uint32_t>(::crc32(0, bytes_of(plain), size_of(plain))),
          .plain_size = plain.size()};
}

void GzipStream::hand_out(bool is_last) {
  const std::size_t known = std::min(block_.size(), kWindowBytes);
  Bytes next;
  next.reserve(kWindowBytes + kBlockBytes);
  next.assign(block_.end() - static_cast<std::ptrdiff_t>(known), block_.end());
  Bytes block = std::exchange(block_, std::move(next));
  const std::size_t block_known = std::exchange(known_, known);
  if (jobs_ == 1) {
    take_in(compress(block, block_known, is_last));
    return;
  }
  if (running_.size() == jobs_) {
    take_in(running_.front().get());
    running_.pop_front();
  }
  running_.push_back(std::async(std::launch::async, [block = std::move(block), block_known, is_last] {
    return compress(block, block_known, is_last);
  }));
}

void GzipStream::take_in(const Compressed& block) {
  if (file_.bytes_written() == 0) file_.write(kHead);
  file_.write(block.bytes);
  checksum_ = static_cast<std::uint32_t>(
      ::crc32_combine(checksum_, block.checksum, static_cast<z_off_t>(block.plain_size)));
  plain_size_ += block.plain_size;
}

// ---- zstd ----

class ZstdStream final : public ByteStream {
 public:
  explicit ZstdStream(OutputFile& file)
      : file_(file), stream_(ZSTD_createCStream()), room_(ZSTD_CStreamOutSize()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  void write(std::span<const std::byte> bytes) override { run(bytes, ZSTD_e_continue); }
  void finish() override { run({}, ZSTD_e_end); }

 private:
  struct Free {
    void operator()(ZSTD_CStream* stream) const { ZSTD_freeCStream(stream); }
  };

  void run(std::span<const std::byte> bytes, ZSTD_EndDirective end) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (bool is_done = false; !is_done;) {
      ZSTD_outBuffer out{room_.data(), room_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(stream_.get(), &out, &in, end);
      if (ZSTD_isError(left) != 0)
        throw FileError(fmt::format("{}: can't compress: {}", file_.name(), ZSTD_getErrorName(left)));
      file_.write(std::span(room_).first(out.pos));
      is_done = end == ZSTD_e_end ? left == 0 : in.pos == in.size;
    }
  }

  OutputFile& file_;
  std::unique_ptr<ZSTD_CStream, Free> stream_;
  std::vector<std::byte> room_;
};

}  // namespace

std::unique_ptr<ByteStream> open_stream(std::string_view target, OutputFile& file, unsigned jobs) {
  if (target.ends_with(".gz")) return std::make_unique<GzipStream>(file, jobs);
  if (target.ends_with(".zst")) return std::make_unique<ZstdStream>(file);
  return std::make_unique<PlainStream>(file);
}

}  // namespace fxt
