// Splits words into records. Then checks each record, and passes it on.
#include "fxt/checked_output.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <boost/endian/conversion.hpp>

#include "fxt/checker.h"
#include "fxt/checking/repaired_record.h"
#include "fxt/reader.h"
#include "fxt/reading/pushed_records.h"
#include "fxt/word_buffer.h"
#include "fxt/writer.h"

namespace fxt {
namespace {

std::string text_of(const Finding& finding) {
  return std::string(finding.record) + " at byte " + std::to_string(finding.offset) + ": " + finding.problem +
         ": " + finding.effect + " (" + std::string(finding.rule) +
         ", Fault::" + std::string(name_of(finding.fault)) + ')';
}

}  // namespace

CheckError::CheckError(Finding finding) : std::logic_error(text_of(finding)), finding_(std::move(finding)) {}

class CheckedOutput::State {
 public:
  State(Output& output, const CheckedOutputOptions& options)
      : output_(&output),
        on_finding_(options.on_finding),
        checker_([this](const Finding& finding) { found_.push_back(finding); }, options.readers) {
    if (on_finding_ != OnFinding::Repair) words_.emplace(output);
  }

  std::span<std::uint64_t> exchange(std::size_t filled_words);
  void finish();

  std::vector<Finding> findings;
  std::uint64_t repaired = 0;

 private:
  void judge(const Entry* entry, std::span<const std::byte> bytes);
  // Returns false if one of the findings must be thrown.
  bool keep_findings();
  void throw_error();
  void pass_on(std::span<const std::byte> record);
  void pass_on_repaired(const Entry& entry);

  Output* output_;
  OnFinding on_finding_;
  // The Writer that uses this Output fills this buffer.
  std::vector<std::uint64_t> buffer_ = std::vector<std::uint64_t>(kMinBufferWords);
  PushedRecords records_;
  Checker checker_;
  std::vector<Finding> found_;  // findings in the current record
  std::optional<CheckError> error_;
  std::optional<WordBuffer> words_;  // words for the other Output
  std::optional<Writer> writer_;     // writes repaired records
};

std::span<std::uint64_t> CheckedOutput::State::exchange(std::size_t filled_words) {
  records_.add(std::as_bytes(std::span(buffer_).first(filled_words)),
               [this](const Entry* entry, std::span<const std::byte> bytes) { judge(entry, bytes); });
  throw_error();
  return buffer_;
}

void CheckedOutput::State::judge(const Entry* entry, std::span<const std::byte> bytes) {
  if (entry != nullptr) {
    checker_.add(*entry, records_.reader());
    checker_.add_sorted(*entry, records_.reader());
  }
  if (on_finding_ == OnFinding::Repair) {
    if (entry != nullptr) pass_on_repaired(*entry);
    keep_findings();
  } else if (keep_findings()) {
    pass_on(bytes);
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

// Passes a record on in parts, because it may be larger than the buffers of the Output.
void CheckedOutput::State::pass_on(std::span<const std::byte> record) {
  while (!record.empty()) {
    const auto part = record.first(std::min(record.size(), kMinBufferWords * sizeof(std::uint64_t)));
    const std::span room(words_->claim(part.size() / sizeof(std::uint64_t)),
                         part.size() / sizeof(std::uint64_t));
    std::memcpy(room.data(), part.data(), part.size());
    for (std::uint64_t& word : room) boost::endian::little_to_native_inplace(word);
    record = record.subspan(part.size());
  }
}

void CheckedOutput::State::pass_on_repaired(const Entry& entry) {
  if (const auto* const provider = std::get_if<ProviderInfo>(&entry.record); provider != nullptr && !writer_)
    writer_.emplace(*output_, WriterOptions{.provider_name = provider->name, .provider_id = provider->id});
  if (!writer_) return;  // the entry is the magic word, which a new Writer writes itself
  RepairedRecord record(entry.record);
  repaired += std::erase_if(found_, [&](const Finding& finding) {
    return finding.offset == entry.offset && record.repair(finding.fault);
  });
  record.write(*writer_);
}

void CheckedOutput::State::finish() {
  records_.reader().next();  // makes the Reader notice the end of the file
  checker_.finish(records_.reader());
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
