#include "converters/app/trace_output.h"

#include <utility>

#include "fxt/reader.h"

namespace convert {

TraceOutput::TraceOutput(fxt::tools::PieceFiles::Options files, const std::optional<fxt::CutOptions>& cut)
    : files_(std::move(files)) {
  if (cut) cutter_.emplace(*cut, files_);
  files_.next(0);  // throws before anything is converted
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
  file.finish();
}

void TraceOutput::cut_blocks() {
  fxt::Reader reader(queue_);
  for (const fxt::Entry& entry : reader) {
    cutter_->add(entry, reader);
    files_.check_size(cutter_->counters());
  }
  cutter_->finish();
}

}  // namespace convert
