#include "converters/app/trace_output.h"

#include <utility>

#include "fxt/reader.h"

namespace convert {
namespace {

// Thrown if the range has no events. The output is then not completed.
struct NoEvent {};

}  // namespace

TraceOutput::TraceOutput(fxt::tools::PieceFiles::Options files, const std::optional<fxt::CutOptions>& cut,
                         std::optional<std::uint64_t> most_bytes, fxt::tools::Thinning* thinning)
    : files_(std::move(files)),
      part_files_(*this),
      most_bytes_(most_bytes),
      thinning_(thinning),
      has_range_(cut && cut->range != fxt::TimeRange{}) {
  if (cut) cutter_.emplace(*cut, part_files_);
  files_.next(0);  // throws before the conversion starts if the file can't be opened
  thread_ = std::thread([this] { run(); });
}

void TraceOutput::finish() {
  queue_.finish();
  thread_.join();
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

void TraceOutput::abandon() {
  if (!thread_.joinable()) return;
  queue_.abandon();
  thread_.join();
}

fxt::Output& TraceOutput::PartFiles::next(std::size_t number) {
  file_ = &owner_.files_.next(number);
  return *this;
}

void TraceOutput::PartFiles::finish() {
  if (owner_.has_range_ && owner_.cutter_->counters().events == 0) throw NoEvent();
  owner_.complete(*file_);
}

void TraceOutput::complete(fxt::tools::TraceFileOutput& file) {
  if (most_bytes_ && files_.trace_bytes() > *most_bytes_) throw TraceTooLarge(files_.trace_bytes());
  file.finish();
}

void TraceOutput::run() {
  try {
    if (cutter_)
      cut_blocks();
    else
      write_blocks();
  } catch (...) {
    failure_ = std::current_exception();
    queue_.fail(failure_);
  }
}

void TraceOutput::write_blocks() {
  fxt::tools::TraceFileOutput& file = files_.next(0);
  for (auto block = queue_.next_block(); !block.empty(); block = queue_.next_block()) file.write(block);
  complete(file);
}

void TraceOutput::cut_blocks() {
  fxt::Reader reader(queue_);
  for (const fxt::Entry& entry : reader) {
    const fxt::Entry* const kept = thinning_ != nullptr ? thinning_->next(entry, reader) : &entry;
    if (kept == nullptr) continue;
    cutter_->add(*kept, reader);
    files_.check_size(cutter_->counters(), entry.offset);
  }
  if (thinning_ != nullptr) thinning_->finish();
  try {
    cutter_->finish();
  } catch (const NoEvent&) {
    is_empty_ = true;
  }
}

}  // namespace convert
