#include "fxt/tools/files/piece_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

namespace fxt::tools {
namespace {

namespace fs = std::filesystem;

// The number of the piece that is called so, if one of `file` can be.
std::optional<std::size_t> number_in(const std::string& name, const std::string& file) {
  // Where they differ, the number stands.
  const std::string zeros = piece_name(file, 0), ones = piece_name(file, 111);
  const auto place = std::ranges::mismatch(zeros, ones).in1 - zeros.begin();
  const std::size_t behind = zeros.size() - static_cast<std::size_t>(place) - 3;
  if (name.size() < zeros.size()) return std::nullopt;
  std::size_t number = 0;
  std::from_chars(name.data() + place, name.data() + name.size() - behind, number);
  return piece_name(file, number) == name ? std::optional(number) : std::nullopt;
}

// The files that are called like pieces, by their numbers.
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
    check_replaceable(name, options_.inputs, options_.replaces_anything);
  };
  if (!options_.is_split)
    check(options_.target);
  else
    for (const auto& [number, name] : pieces_of(options_.target)) check(name);
}

std::string PieceFiles::name_of(std::size_t number) const {
  return options_.is_split ? piece_name(options_.target, number) : options_.target;
}

TraceFile& PieceFiles::next(std::size_t number) {
  if (number < names_.size()) return *file_;
  if (file_) bytes_before_ += file_->bytes_written();
  const std::string name = name_of(number);
  file_.emplace(name, options_.jobs);
  names_.push_back(name);
  return *file_;
}

std::vector<std::string> PieceFiles::complete() const {
  std::vector<std::string> files = names_;
  if (file_ && !file_->is_finished()) files.pop_back();
  return files;
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

}  // namespace fxt::tools
