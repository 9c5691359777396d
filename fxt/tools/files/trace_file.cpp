#include "fxt/tools/files/trace_file.h"

#include <array>
#include <bit>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

#include <boost/endian/conversion.hpp>

#include "fxt/format.h"
#include "fxt/support/compressed_input.h"

namespace fxt::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferWords = std::size_t{32} << 10;

}  // namespace

bool is_fxt(const std::string& path) {
  std::array<std::byte, sizeof(std::uint64_t)> word{};
  try {
    const auto input = open_input(path);
    for (std::span<std::byte> room = word; !room.empty();) {
      const std::size_t got = input->read(room);
      if (got == 0) return false;
      room = room.subspan(got);
    }
  } catch (const std::exception&) {
    return false;  // compressed by name only, or not to be read
  }
  const auto magic = std::bit_cast<std::uint64_t>(word);
  return magic == kMagicRecord || boost::endian::endian_reverse(magic) == kMagicRecord;
}

void check_replaceable(const std::string& path, const std::vector<std::string>& inputs,
                       bool replaces_anything, const FileKind& kind) {
  std::error_code error;
  if (path == "-" || !fs::is_regular_file(path, error)) return;
  for (const std::string& input : inputs)
    if (fs::equivalent(path, input, error))
      throw NotReplaceable(fmt::format("'{}' is read, and would be overwritten", path));
  if (!replaces_anything && fs::file_size(path, error) != 0 && !kind.is_one(path))
    throw NotReplaceable(
        fmt::format("'{}' is no {}, and would be overwritten; --force does it", path, kind.name));
}

TraceFile::TraceFile(const std::string& path, unsigned jobs)
    : file_(path), stream_(open_stream(path, file_, jobs)), buffer_(kBufferWords) {}

std::span<std::uint64_t> TraceFile::exchange(std::size_t filled_words) {
  if (filled_words != 0) stream_->write(std::as_bytes(std::span(buffer_).first(filled_words)));
  return buffer_;
}

void TraceFile::finish() {
  if (is_finished_) return;
  stream_->finish();
  file_.commit();
  is_finished_ = true;
}

}  // namespace fxt::tools
