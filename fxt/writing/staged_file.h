// Collects records for a file that is written in place. No record crosses the border of a page of the file,
// so an interrupted write ends between records. The constructor allocates all memory, because the Tracer may
// write in a signal handler. Internal to the Tracer.
#pragma once

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "fxt/header_words.h"
#include "fxt/output_file.h"
#include "fxt/words.h"
#include "fxt/writing/blocked_signals.h"

namespace fxt {

class StagedFile {
 public:
  explicit StagedFile(const std::string& path)
      : file_(path, FileMode::InPlace), words_(kWords), can_overwrite_(is_regular_file(path)) {}

  // False for pipes, devices and standard output, where sent data can't be changed.
  bool can_overwrite() const { return can_overwrite_; }
  // Returns space for a record. If the record does not fit into the current page of the file, first fills the
  // page with records of one word that have no effect.
  std::uint64_t* claim(std::size_t words) {
    if (count_ + 2 * kPageWords > words_.size()) send();
    const std::size_t room = kPageWords - offset() / kWord % kPageWords;
    if (words > room) {
      constexpr std::uint64_t kSameProvider =
          ProviderSectionHeader::Type::put(code(RecordType::Metadata)) | ProviderSectionHeader::Size::put(1) |
          ProviderSectionHeader::MetadataType::put(code(MetadataType::ProviderSection)) |
          ProviderSectionHeader::ProviderId::put(1);
      std::fill_n(words_.data() + count_, room, kSameProvider);
      count_ += room;
    }
    return words_.data() + std::exchange(count_, count_ + words);
  }
  std::uint64_t offset() const { return file_.bytes_written() + count_ * kWord; }
  void send() {
    reorder_stream(words_.data(), words_.data() + count_);
    const auto bytes = std::as_bytes(std::span(words_).first(std::exchange(count_, 0)));
    can_overwrite_ ? file_.write(bytes) : write_to_pipe(bytes);
  }
  // Replaces a word that was sent. This function and restart() are only for files that can be overwritten.
  void overwrite(std::uint64_t offset, std::uint64_t word) {
    reorder_stream(&word, &word + 1);
    file_.overwrite(offset, std::as_bytes(std::span(&word, 1)));
  }
  void restart() { file_.restart(); }
  void commit() { file_.commit(); }

 private:
  static bool is_regular_file(const std::string& path) {
    std::error_code unknown;
    return std::filesystem::is_regular_file(path, unknown);
  }
  // Blocks SIGPIPE, because it would end the program if the pipe has no reader. Throws an exception instead.
  void write_to_pipe(std::span<const std::byte> bytes) {
    sigset_t pipe, pending;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    const BlockedSignals blocked(pipe);
    std::exception_ptr failure;
    try {
      file_.write(bytes);
    } catch (const std::system_error&) {
      failure = std::current_exception();
    }
    if (failure == nullptr) return;
    int signal = 0;
    if (::sigpending(&pending) == 0 && ::sigismember(&pending, SIGPIPE) == 1) ::sigwait(&pipe, &signal);
    std::rethrow_exception(failure);
  }

  static constexpr std::size_t kWord = sizeof(std::uint64_t), kPageWords = 4096 / kWord,
                               kWords = std::size_t{1} << 13;

  OutputFile file_;
  std::vector<std::uint64_t> words_;
  std::size_t count_ = 0;  // number of words in words_ that are not sent yet
  bool can_overwrite_;
};

}  // namespace fxt
