// Reads and writes plain files, and compressed files with the filters of Boost.Iostreams.
#include "fxt/support/compressed_files.h"

#include <cstdint>
#include <fmt/format.h>
#include <ios>
#include <system_error>
#include <type_traits>
#include <unistd.h>

#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/symmetric.hpp>
#include <boost/iostreams/filter/zlib.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>

#include "fxt/support/budget.h"
#include "fxt/support/foreign_files.h"
#include "fxt/support/memory_limit.h"

namespace fxt {
namespace {

namespace io = boost::iostreams;

constexpr int kBlockBytes = 64 << 10;
// Traces of loops can be compressed best: by a factor of 20. The limit is a factor of 30.
constexpr Limit kUnpackedTrace{"MiB of an unpacked trace", 256 * kMiB, 30 * kKiB};

FileInput open_raw(const std::string& path, const std::string& name) {
  try {
    return path == "-" ? FileInput(STDIN_FILENO) : FileInput(path);
  } catch (const std::system_error& error) {
    throw FileError(fmt::format("{}: can't open: {}{}", name, error.code().message(), advice_for_url(path)));
  }
}

class RawFile final : public Input {
 public:
  RawFile(const std::string& path, const std::string& name)
      : path_(path), name_(name), file_(open_raw(path, name)) {}

  std::size_t read(std::span<std::byte> room) override {
    try {
      return file_.read(room);
    } catch (const std::system_error& error) {
      const std::string reason = why_no_trace(path_);
      throw FileError(name_ + ": " + (reason.empty() ? "can't read: " + error.code().message() : reason));
    }
  }

 private:
  std::string path_, name_;
  FileInput file_;
};

// ---- Reading ----

template <typename Filter>
using DecoderOf = std::remove_reference_t<decltype(std::declval<Filter&>().filter())>;
using ZstdDecoder = DecoderOf<io::zstd_decompressor>;

// Boost accepts a truncated zstd file as complete. Therefore, this test decodes another frame after the end
// of the file. This frame has the byte "x", and is decoded only if the file was complete.
bool is_whole(ZstdDecoder& decoder) {
  constexpr std::string_view kFrame("\x28\xb5\x2f\xfd\x20\x01\x09\0\0x", 10);
  std::array<char, 64> room{};
  const char* in = kFrame.data();
  char* out = room.data();
  decoder.filter(in, in + kFrame.size(), out, out + room.size(), false);
  return out == room.data() + 1 && room[0] == 'x';
}

const char* problem_of(const std::ios_base::failure& failure, bool is_at_end) {
  if (is_at_end) return "the compressed data are truncated";
  constexpr int kXzMemoryLimit = 6, kZstdWindowTooLarge = -16;
  const auto* const xz = dynamic_cast<const io::lzma_error*>(&failure);
  const auto* const zstd = dynamic_cast<const io::zstd_error*>(&failure);
  if ((xz != nullptr && xz->error() == kXzMemoryLimit) ||
      (zstd != nullptr && zstd->error() == kZstdWindowTooLarge))
    return "unpacking needs more than 100 MiB of memory; unpack it with another program first";
  return "the compressed data are damaged";
}

// A Boost decoder that ends at damaged data without an error, so that the data before the damage can be used.
// It also decodes several compressed files that were concatenated.
template <typename Decoder>
class CarefulDecoder : public Decoder {
 public:
  template <typename... Arguments>
  explicit CarefulDecoder(const char** problem, const Arguments&... arguments)
      : Decoder(arguments...), problem_(problem) {}

  // Takes bytes from `in`, and writes bytes to `out`. Returns false at the end.
  bool filter(const char*& in, const char* in_end, char*& out, char* out_end, bool is_at_end) {
    if (*problem_ != nullptr) return false;
    try {
      do {
        if (is_complete_ && in == in_end) break;
        if (is_complete_) Decoder::close();
        // If a call of zstd's decoder fails, the output of that call is lost. Therefore each call gets little
        // space for its output.
        char* const piece_end = kIsZstd ? out + std::min(out_end - out, kPieceBytes) : out_end;
        is_complete_ = !Decoder::filter(in, in_end, out, piece_end, is_at_end);
      } while (in != in_end && out != out_end);
      if (!is_complete_ || !is_at_end) return true;
      if constexpr (kIsZstd)
        if (!is_whole(*this)) *problem_ = "the compressed data are truncated";
    } catch (const std::ios_base::failure& failure) {
      *problem_ = problem_of(failure, is_at_end);
    }
    return false;
  }

 private:
  static constexpr bool kIsZstd = std::is_same_v<Decoder, ZstdDecoder>;
  static constexpr std::ptrdiff_t kPieceBytes = 512;

  const char** problem_;
  bool is_complete_ = false;
};

class PlainFile final : public Input {
 public:
  PlainFile(std::unique_ptr<Input> file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

  std::size_t read(std::span<std::byte> room) override {
    const std::size_t size = file_->read(room);
    limit_memory(name_, Packing::Plain, bytes_ += size);
    check_memory();
    return size;
  }

 private:
  std::unique_ptr<Input> file_;
  std::string name_;
  std::uint64_t bytes_ = 0;
};

class PackedFile final : public Input {
 public:
  template <typename Filter, typename... Arguments>
  PackedFile(std::in_place_type_t<Filter> /*filter*/, std::unique_ptr<Input> file, std::string name,
             const Limit& limit, const Arguments&... arguments)
      : file_(std::move(file)), name_(std::move(name)), limit_(limit) {
    stream_.push(
        io::symmetric_filter<CarefulDecoder<DecoderOf<Filter>>>(kBlockBytes, &problem_, arguments...),
        kBlockBytes);
    stream_.push(Source{this}, kBlockBytes);
  }

  std::size_t read(std::span<std::byte> room) override {
    const std::streamsize size =
        stream_.sgetn(reinterpret_cast<char*>(room.data()), static_cast<std::streamsize>(room.size()));
    unpacked_ += static_cast<std::uint64_t>(std::max<std::streamsize>(size, 0));
    limit_memory(name_, Packing::Packed, packed_);
    check_memory();
    if (unpacked_ > limit_.of(packed_))
      throw FileError(
          fmt::format("{}: {}; unpack it with another program first", name_, limit_.exceeded(packed_)));
    if (size != 0 || room.empty()) return static_cast<std::size_t>(size);
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    if (problem_ != nullptr) throw DamagedFile(name_ + ": " + problem_);
    return 0;
  }

 private:
  struct Source {
    using char_type = char;
    using category = io::source_tag;

    // Ends the stream if reading fails, so that the bytes before the failure can still be used. Stores the
    // failure for later.
    std::streamsize read(char* room, std::streamsize size) const {
      try {
        const std::size_t got =
            owner->file_->read(std::as_writable_bytes(std::span(room, static_cast<std::size_t>(size))));
        owner->packed_ += got;
        if (got != 0) return static_cast<std::streamsize>(got);
      } catch (const FileError&) {
        owner->failure_ = std::current_exception();
      }
      return -1;
    }

    PackedFile* owner;
  };

  std::unique_ptr<Input> file_;
  std::string name_;
  const Limit& limit_;
  const char* problem_ = nullptr;
  std::exception_ptr failure_;
  std::uint64_t packed_ = 0, unpacked_ = 0;  // in bytes
  io::filtering_streambuf<io::input> stream_;
};

// ---- Writing ----

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(OutputFile& file) : file_(file) {}
  void write(std::span<const std::byte> bytes) override { file_.write(bytes); }
  void finish() override {}

 private:
  OutputFile& file_;
};

class PackedStream final : public ByteStream {
 public:
  template <typename Compressor>
  PackedStream(const Compressor& compressor, OutputFile& file) : name_(file.name()), file_(&file) {
    stream_.push(compressor, kBlockBytes);
    stream_.push(Sink{this}, kBlockBytes);
  }
  ~PackedStream() override { file_ = nullptr; }  // prevents finishing an incomplete file

  void write(std::span<const std::byte> bytes) override {
    run([&] {
      stream_.sputn(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    });
  }
  void finish() override {
    run([&] { stream_.reset(); });
  }

 private:
  struct Sink {
    using char_type = char;
    using category = io::sink_tag;

    // Stores an exception for later, because Boost would drop it while closing a stream.
    std::streamsize write(const char* bytes, std::streamsize size) const {
      try {
        if (owner->file_ != nullptr)
          owner->file_->write(std::as_bytes(std::span(bytes, static_cast<std::size_t>(size))));
      } catch (const std::exception&) {
        owner->file_ = nullptr;
        owner->failure_ = std::current_exception();
      }
      return size;
    }

    PackedStream* owner;
  };

  template <typename Action>
  void run(const Action& action) {
    try {
      action();
    } catch (const std::ios_base::failure& failure) {
      throw FileError(fmt::format("{}: can't compress: {}", name_, failure.what()));
    }
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

  std::string name_;
  OutputFile* file_;  // null after a failure
  std::exception_ptr failure_;
  io::filtering_streambuf<io::output> stream_;
};

}  // namespace

std::string_view packed_suffix(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kPackedSuffixes, [&](std::string_view suffix) { return name.ends_with(suffix); });
  return found == kPackedSuffixes.end() ? "" : *found;
}

std::unique_ptr<Input> open_input(const std::string& path) {
  return open_unpacked(path, path, kUnpackedTrace).bytes;
}

UnpackedFile open_unpacked(const std::string& path, const std::string& name, const Limit& limit) {
  constexpr std::string_view kGzip = "\x1f\x8b", kZstd = "\x28\xb5\x2f\xfd", kBzip2 = "BZh",
                             kXz =
                                 "\xfd"
                                 "7zXZ";
  auto file = std::make_unique<InputWithHead>(std::make_unique<RawFile>(path, name), kXz.size());
  if (file->failure() != nullptr) std::rethrow_exception(file->failure());
  const auto packed = [&](auto filter, const auto&... arguments) {
    return UnpackedFile{std::make_unique<PackedFile>(filter, std::move(file), name, limit, arguments...),
                        true};
  };
  const std::string_view head = file->head();
  constexpr int kGzipWindow = 15 + 16;  // makes zlib check gzip's header and trailer
  if (head.starts_with(kGzip)) return packed(std::in_place_type<io::zlib_decompressor>, kGzipWindow);
  if (head.starts_with(kZstd)) return packed(std::in_place_type<io::zstd_decompressor>);
  if (head.starts_with(kBzip2)) return packed(std::in_place_type<io::bzip2_decompressor>);
  if (head.starts_with(kXz)) return packed(std::in_place_type<io::lzma_decompressor>);
  return {std::make_unique<PlainFile>(std::move(file), name), false};
}

std::unique_ptr<ByteStream> open_stream(std::string_view target, OutputFile& file) {
  const std::string_view suffix = packed_suffix(target);
  if (suffix == ".gz") return std::make_unique<PackedStream>(io::gzip_compressor(), file);
  if (suffix == ".zst") return std::make_unique<PackedStream>(io::zstd_compressor(), file);
  if (suffix == ".bz2") return std::make_unique<PackedStream>(io::bzip2_compressor(), file);
  constexpr std::uint64_t kXzMemory = 100 * kMiB;
  if (suffix == ".xz") allow_memory(file.name(), kXzMemory);
  if (suffix == ".xz") return std::make_unique<PackedStream>(io::lzma_compressor(), file);
  return std::make_unique<PlainStream>(file);
}

}  // namespace fxt
