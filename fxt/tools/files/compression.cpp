#include "fxt/tools/files/compression.h"

#include <exception>
#include <fmt/format.h>
#include <ios>

#include <boost/iostreams/concepts.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include "fxt/tools/files/gzip_stream.h"

namespace fxt::tools {
namespace {

namespace io = boost::iostreams;

class PlainStream : public ByteStream {
 public:
  explicit PlainStream(OutputFile& file) : file_(file) {}
  void write(std::span<const std::byte> bytes) override { file_.write(bytes); }
  void finish() override {}

 private:
  OutputFile& file_;
};

// The end of a chain of filters: our file. What goes wrong is also left in `failure`, for the chain keeps
// silent about what happens while it is closed.
class FileSink : public io::sink {
 public:
  FileSink(OutputFile& file, std::exception_ptr& failure) : file_(&file), failure_(&failure) {}
  std::streamsize write(const char* bytes, std::streamsize size) {
    try {
      file_->write(std::as_bytes(std::span(bytes, static_cast<std::size_t>(size))));
    } catch (...) {
      *failure_ = std::current_exception();
      throw;
    }
    return size;
  }

 private:
  OutputFile* file_;
  std::exception_ptr* failure_;
};

class CompressedStream : public ByteStream {
 public:
  template <typename Compressor>
  CompressedStream(const Compressor& compressor, OutputFile& file) : name_(file.name()) {
    chain_.push(compressor);
    chain_.push(FileSink(file, failure_));
    chain_.exceptions(std::ios::badbit | std::ios::failbit);  // before, a chain without an end is itself bad
  }
  void write(std::span<const std::byte> bytes) override {
    guarded([&] {
      // Streams write characters; the bytes stay what they are.
      const auto chars = std::span(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      chain_.write(chars.data(), static_cast<std::streamsize>(chars.size()));
    });
  }
  void finish() override {
    guarded([&] { chain_.reset(); });
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  template <typename Action>
  void guarded(Action action) {
    try {
      action();
    } catch (const std::ios::failure& failure) {
      throw OutputError(fmt::format("{}: can't compress: {}", name_, failure.what()));
    }
  }

  std::string name_;
  std::exception_ptr failure_;
  io::filtering_ostream chain_;
};

}  // namespace

std::unique_ptr<ByteStream> open_stream(std::string_view target, OutputFile& file, unsigned jobs) {
  if (target.ends_with(".gz")) return std::make_unique<GzipStream>(file, jobs);
  if (target.ends_with(".zst")) return std::make_unique<CompressedStream>(io::zstd_compressor(), file);
  return std::make_unique<PlainStream>(file);
}

}  // namespace fxt::tools
