// Cuts words into records, has each of them read and judged, and passes it on.
#include "fxt/checked_output.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <boost/endian/conversion.hpp>

#include "fxt/checker.h"
#include "fxt/checking/repaired_record.h"
#include "fxt/header_words.h"
#include "fxt/input.h"
#include "fxt/reader.h"
#include "fxt/word_buffer.h"
#include "fxt/writer.h"

namespace fxt {
namespace {

std::string text_of(const Finding& finding) {
  return std::string(finding.record) + " at byte " + std::to_string(finding.offset) + ": " + finding.problem +
         ": " + finding.effect + " (" + std::string(finding.rule) +
         ", Fault::" + std::string(name_of(finding.fault)) + ')';
}

// One record after the other, for a Reader that is asked for no more than there is.
class RecordInput final : public Input {
 public:
  void set(std::span<const std::uint64_t> words) { rest_ = std::as_bytes(words); }
  std::size_t read(std::span<std::byte> room) override {
    const auto part = rest_.first(std::min(rest_.size(), room.size()));
    std::ranges::copy(part, room.begin());
    rest_ = rest_.subspan(part.size());
    return part.size();
  }

 private:
  std::span<const std::byte> rest_;
};

// In words, of a record with this header.
std::size_t size_of(std::uint64_t header) {
  return RecordHeader::Type::get(header) == code(RecordType::Large) ? LargeRecordHeader::Size::get(header)
                                                                    : RecordHeader::Size::get(header);
}

}  // namespace

CheckError::CheckError(Finding finding) : std::logic_error(text_of(finding)), finding_(std::move(finding)) {}

class CheckedOutput::State {
 public:
  State(Output& output, const CheckedOutputOptions& options)
      : output_(&output),
        on_finding_(options.on_finding),
        reader_(input_),
        checker_([this](const Finding& finding) { found_.push_back(finding); }, options.readers) {
    if (on_finding_ != OnFinding::Repair) words_.emplace(output);
  }

  std::span<std::uint64_t> exchange(std::size_t filled_words);
  void finish();

  std::vector<Finding> findings;
  std::uint64_t repaired = 0;

 private:
  void judge(std::span<const std::uint64_t> record);
  // False if one of them is to be thrown.
  bool keep_findings();
  void throw_error();
  void pass_on(std::span<const std::uint64_t> record);
  void pass_on_repaired(const Entry& entry);

  Output* output_;
  OnFinding on_finding_;
  std::vector<std::uint64_t> buffer_ = std::vector<std::uint64_t>(kMinBufferWords);  // of the Writer before
  std::vector<std::uint64_t> pending_;  // the part of a record that has come so far
  RecordInput input_;
  Reader reader_;
  Checker checker_;
  std::vector<Finding> found_;  // in the current record
  std::optional<CheckError> error_;
  std::optional<WordBuffer> words_;  // on their way to the other Output
  std::optional<Writer> writer_;     // of repaired records
};

std::span<std::uint64_t> CheckedOutput::State::exchange(std::size_t filled_words) {
  pending_.insert(pending_.end(), buffer_.begin(),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(filled_words));
  std::span<const std::uint64_t> rest = pending_;
  while (!rest.empty()) {
    const std::size_t size = std::max(size_of(boost::endian::little_to_native(rest[0])), std::size_t{1});
    if (size > rest.size()) break;
    judge(rest.first(size));
    rest = rest.subspan(size);
  }
  pending_.erase(pending_.begin(), pending_.end() - static_cast<std::ptrdiff_t>(rest.size()));
  throw_error();
  return buffer_;
}

void CheckedOutput::State::judge(std::span<const std::uint64_t> record) {
  input_.set(record);
  const Entry* const entry = reader_.next();
  if (entry != nullptr) {
    checker_.add(*entry, reader_);
    checker_.add_sorted(*entry, reader_);
  }
  if (on_finding_ == OnFinding::Repair) {
    if (entry != nullptr) pass_on_repaired(*entry);
    keep_findings();
  } else if (keep_findings()) {
    pass_on(record);
  }
}

bool CheckedOutput::State::keep_findings() {
  const auto error = on_finding_ == OnFinding::Throw
                         ? std::ranges::find(found_, Severity::Error, &Finding::severity)
                         : found_.end();
  const bool is_written = error == found_.end();
  if (!is_written && !error_) error_.emplace(*error);
  std::ranges::move(found_, std::back_inserter(findings));
  found_.clear();
  return is_written;
}

void CheckedOutput::State::throw_error() {
  if (!error_) return;
  const CheckError error = *std::exchange(error_, std::nullopt);
  throw error;
}

// A record may be larger than what a buffer is sure to hold.
void CheckedOutput::State::pass_on(std::span<const std::uint64_t> record) {
  while (!record.empty()) {
    const auto part = record.first(std::min(record.size(), kMinBufferWords));
    std::uint64_t* const room = words_->claim(part.size());
    std::ranges::transform(part, room,
                           [](std::uint64_t word) { return boost::endian::little_to_native(word); });
    record = record.subspan(part.size());
  }
}

void CheckedOutput::State::pass_on_repaired(const Entry& entry) {
  if (const auto* const provider = std::get_if<ProviderInfo>(&entry.record); provider != nullptr && !writer_)
    writer_.emplace(*output_, WriterOptions{.provider_name = provider->name, .provider_id = provider->id});
  if (!writer_) return;  // the magic number
  RepairedRecord record(entry.record);
  repaired += std::erase_if(found_, [&](const Finding& finding) {
    return finding.offset == entry.offset && record.repair(finding.fault);
  });
  record.write(*writer_);
}

void CheckedOutput::State::finish() {
  reader_.next();  // the end, which it could not see before
  checker_.finish(reader_);
  keep_findings();
  throw_error();
  if (writer_) return writer_->finish();
  words_->flush();
  words_->finish();
}

// ---- The class itself ----

CheckedOutput::CheckedOutput(Output& output, const CheckedOutputOptions& options)
    : state_(std::make_unique<State>(output, options)) {}
CheckedOutput::~CheckedOutput() = default;
std::span<std::uint64_t> CheckedOutput::exchange(std::size_t filled_words) {
  return state_->exchange(filled_words);
}
void CheckedOutput::finish() { state_->finish(); }
const std::vector<Finding>& CheckedOutput::findings() const { return state_->findings; }
std::uint64_t CheckedOutput::repaired() const { return state_->repaired; }

}  // namespace fxt
