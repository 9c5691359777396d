#include "fxt/tools/trace_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <boost/endian/conversion.hpp>

#include "fxt/format.h"
#include "fxt/support/budget.h"
#include "fxt/support/foreign_files.h"
#include "fxt/support/text.h"
#include "fxt/utf8.h"

namespace fxt::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferWords = std::size_t{32} << 10;
constexpr std::size_t kMaxPieces = 10'000, kMaxListed = 10;
// Limits the output. It may be far larger than the input, because each piece repeats names and open calls,
// and each provider repeats names.
constexpr Limit kOutput{"MiB of output", 256 * kMiB, 100 * kKiB};

// File names with these suffixes suggest another format.
constexpr std::array<std::string_view, 5> kUnknownPackers{".lz4", ".zip", ".br", ".7z", ".rar"};
constexpr std::array<std::string_view, 11> kForeignFormats{
    ".pftrace", ".perfetto", ".perfetto-trace", ".pb",   ".ctf", ".html", ".svg",
    ".tracy",   ".txt",      ".data",           ".tfile"};

bool begins_with_magic(std::string_view head) {
  if (head.size() < sizeof(std::uint64_t)) return false;
  const auto magic = boost::endian::load_little_u64(reinterpret_cast<const unsigned char*>(head.data()));
  return magic == kMagicRecord || boost::endian::endian_reverse(magic) == kMagicRecord;
}

}  // namespace

bool is_fxt(const std::string& path) {
  const InputWithHead input(open_input(path), sizeof(std::uint64_t));
  try {
    if (input.failure() != nullptr) std::rethrow_exception(input.failure());
  } catch (const DamagedFile&) {
    return false;
  }
  return begins_with_magic(input.head());
}

std::unique_ptr<Input> open_trace(const std::string& path) {
  if (path == "-" && ::isatty(STDIN_FILENO) == 1)
    throw UsageError("standard input is a terminal; redirect a trace to it");
  auto input = std::make_unique<InputWithHead>(open_input(path), kKindBytes);
  if (!begins_with_magic(input->head()))
    if (const std::string reason = why_no_trace(path, input->head()); !reason.empty())
      throw FileError(fmt::format("{}: {}", path, reason));
  return input;
}

void check_target(const std::string& path, const TraceFormat& format, bool takes_any_name) {
  if (path == "-" && !format.is_text && ::isatty(STDOUT_FILENO) == 1)
    throw UsageError(
        "a trace is binary and can't be written to the terminal; redirect standard output to a file or a "
        "program");
  std::error_code error;
  if (takes_any_name || fs::exists(path, error)) return;
  const std::string own = fs::path(path).extension().string(), suffix = lower(own);
  if (std::ranges::count(kUnknownPackers, suffix) != 0 || packed_suffix(suffix) != packed_suffix(own))
    throw UsageError(fmt::format(
        "'{}': the name of a compressed output ends in {}, not {}; use --force to write {} under this name",
        path, kPackedSuffixesText, own, format.text));
  const std::string packed(packed_suffix(path));
  const fs::path plain = path.substr(0, path.size() - packed.size());
  const std::string promised = plain.extension().string(), format_suffix = lower(promised);
  const bool is_other = std::ranges::any_of(trace_formats(), [&](const TraceFormat& other) {
    return &other != &format && other.suffix == format_suffix;
  });
  if (is_other || std::ranges::count(kForeignFormats, format_suffix) != 0)
    throw UsageError(fmt::format(
        "'{}': the output is {}, not a {} file; name it {}, or use --force to write it under this name", path,
        format.text, promised, fs::path(plain).replace_extension(format.suffix).string() + packed));
}

Option format_option(std::string_view output, const TraceFormat*& format) {
  std::vector<std::string> words{"auto"};
  for (const TraceFormat& known : trace_formats()) words.emplace_back(known.word);
  return {.name = "format",
          .argument = fmt::format("{}", fmt::join(words, "|")),
          .help = fmt::format("choose the format of {}: FXT, or JSON in the format of Chrome's trace events, "
                              "which speedscope, chrome://tracing and scripts read. With auto (default), a "
                              "name that ends in .json means JSON, and any other name means FXT",
                              output),
          .value = each<std::string>([&format, words](const std::string& text) {
            const auto word = std::ranges::find(words, text);
            if (word == words.end()) refuse_word(text, words);
            const auto number = static_cast<std::size_t>(word - words.begin());
            format = number == 0 ? nullptr : &trace_formats()[number - 1];
          })};
}

void check_replaceable(const std::string& path, const std::vector<std::string>& inputs,
                       bool replaces_anything, const FileKind& kind) {
  if (path == "-") return;
  std::error_code error;
  const auto refuse_unreadable = [&] {
    if (error) throw FileError(fmt::format("{}: can't create: {}", path, error.message()));
  };
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return;
  refuse_unreadable();
  if (!fs::is_regular_file(status)) return;
  for (const std::string& input : inputs) {
    if (input == "-") continue;  // standard input is not a file, so fs::equivalent() could report an error
    if (fs::equivalent(path, input, error))
      throw UsageError(
          fmt::format("'{}' is an input, and would be overwritten; choose another output", path));
    refuse_unreadable();
  }
  const bool is_empty = fs::file_size(path, error) == 0;
  refuse_unreadable();
  if (replaces_anything || is_empty) return;
  if (kind.is_one(path)) return;
  throw UsageError(fmt::format("'{}' exists and is not {}; use --force to overwrite it", path, kind.name));
}

TraceFileOutput::TraceFileOutput(const std::string& path, bool syncs, const TraceFormat& format)
    : file_(path, FileMode::Replace),
      stream_(open_stream(path, file_)),
      buffer_(kBufferWords),
      syncs_(syncs) {
  if (format.convert == nullptr) return;
  auto converted = format.convert(std::move(stream_));
  converted_ = converted.get();
  stream_ = std::move(converted);
}

std::span<std::uint64_t> TraceFileOutput::exchange(std::size_t filled_words) {
  if (filled_words != 0) write(std::as_bytes(std::span(buffer_).first(filled_words)));
  return buffer_;
}

void TraceFileOutput::finish() {
  if (is_finished_) return;
  stream_->finish();
  file_.commit(syncs_);
  is_finished_ = true;
}

namespace {

// The piece number in `name`, if `name` is the name of a piece of `file`.
std::optional<std::size_t> number_in(const std::string& name, const std::string& file) {
  // The number begins at the first position at which these two names differ.
  const std::string zeros = piece_name(file, 0), ones = piece_name(file, 111);
  const auto digits = std::ranges::mismatch(zeros, ones).in1 - zeros.begin();
  const std::size_t behind = zeros.size() - static_cast<std::size_t>(digits) - 3;
  if (name.size() < zeros.size()) return std::nullopt;
  std::size_t number = 0;
  std::from_chars(name.data() + digits, name.data() + name.size() - behind, number);
  return piece_name(file, number) == name ? std::optional(number) : std::nullopt;
}

// The files that are named like pieces of `target`, by number.
std::map<std::size_t, std::string> pieces_of(const std::string& target) {
  std::map<std::size_t, std::string> pieces;
  const fs::path directory = fs::path(target).parent_path();
  const std::string file = fs::path(target).filename().string();
  std::error_code error;
  for (fs::directory_iterator at(directory.empty() ? "." : directory, error), end; !error && at != end;
       at.increment(error))
    if (const auto number = number_in(at->path().filename().string(), file))
      pieces.emplace(*number, piece_name(target, *number));
  return pieces;
}

}  // namespace

PieceFiles::PieceFiles(Options options) : options_(std::move(options)) {
  const auto check = [this](const std::string& name) {
    check_replaceable(name, options_.inputs, options_.replaces_anything, options_.format->kind);
  };
  std::error_code error;
  if (options_.is_split && fs::exists(options_.target, error) &&
      !fs::is_regular_file(options_.target, error) && !fs::is_directory(options_.target, error))
    throw UsageError(
        fmt::format("'{}' is not a regular file, so pieces can't be named after it", options_.target));
  if (!options_.is_split)
    check(options_.target);
  else
    for (const auto& [number, name] : pieces_of(options_.target)) check(name);
}

TraceFileOutput& PieceFiles::next(std::size_t number) {
  if (number < names_.size()) return *file_;
  if (number >= kMaxPieces && !options_.replaces_anything)
    throw FileError(fmt::format("more than {} pieces; use --force to write them all", kMaxPieces));
  bytes_before_ = bytes_written();
  trace_bytes_before_ = trace_bytes();
  left_out_before_ = left_out();
  names_.push_back(options_.is_split ? piece_name(options_.target, number) : options_.target);
  file_.emplace(names_.back(), options_.syncs, *options_.format);
  return *file_;
}

void PieceFiles::check_size(const CutCounters& counters, std::uint64_t read_bytes) const {
  if (options_.replaces_anything) return;
  if (trace_bytes() > kOutput.of(read_bytes))
    throw FileError(fmt::format(
        "{}: {}, which is more than a hundred times the size of the trace; use --force to write all of it",
        options_.target, kOutput.exceeded(read_bytes)));
  if (options_.split_bytes == 0 || counters.pieces > 2 || counters.least_bytes <= options_.split_bytes)
    return;
  throw UsageError(
      fmt::format("--split-size is {}, but the names and open calls that each piece repeats already take {} "
                  "bytes; use a much larger --split-size, or --force for larger pieces",
                  counted(options_.split_bytes, "byte"), counters.least_bytes));
}

std::vector<std::string> PieceFiles::complete() const {
  std::vector<std::string> files = names_;
  if (!files.empty() && (!file_ || !file_->is_finished())) files.pop_back();
  return files;
}

std::string PieceFiles::complete_text() const {
  const std::vector<std::string> files = complete();
  if (files.size() <= kMaxListed) return fmt::format("{}", fmt::join(files, ", "));
  return fmt::format("{} to {}", files.front(), files.back());
}

std::vector<std::string> PieceFiles::left_over() const {
  std::vector<std::string> files;
  if (!options_.is_split) return files;
  for (const auto& [number, name] : pieces_of(options_.target))
    if (number >= names_.size()) files.push_back(name);
  return files;
}

std::uint64_t PieceFiles::bytes_written() const {
  return bytes_before_ + (file_ ? file_->bytes_written() : 0);
}

std::uint64_t PieceFiles::left_out() const { return left_out_before_ + (file_ ? file_->left_out() : 0); }

}  // namespace fxt::tools
