#include "converters/app/trace_output.h"

#include <exception>
#include <span>
#include <thread>

#include "converters/app/block_pipe.h"
#include "converters/app/block_writer.h"
#include "converters/model/option.h"
#include "fxt/reader.h"
#include "fxt/tools/files/piece_files.h"

namespace convert {
namespace {

class WholeOutput : public TraceOutput {
 public:
  WholeOutput(const std::string& target, unsigned jobs)
      : target_(target),
        file_(target),
        stream_(fxt::tools::open_stream(target, file_, jobs)),
        blocks_([this](std::span<const std::byte> bytes) { stream_->write(bytes); }) {}

  fxt::Output& blocks() override { return blocks_; }
  void finish() override {
    blocks_.finish();
    stream_->finish();
    file_.commit();
    is_finished_ = true;
  }
  void give_up() override {}
  std::uint64_t bytes_written() const override { return file_.bytes_written(); }
  std::vector<std::string> files() const override {
    return is_finished_ ? std::vector<std::string>{target_} : std::vector<std::string>{};
  }

 private:
  std::string target_;
  fxt::tools::OutputFile file_;
  std::unique_ptr<fxt::tools::ByteStream> stream_;
  BlockWriter blocks_;
  bool is_finished_ = false;
};

class CutOutput : public TraceOutput {
 public:
  CutOutput(const std::string& target, const fxt::CutOptions& options, const OutputOptions& how)
      : files_({.target = target,
                .is_split = options.is_split(),
                .replaces_anything = how.force,
                .inputs = how.inputs,
                .jobs = how.jobs}),
        cutter_(options, files_),
        blocks_([this](std::span<const std::byte> bytes) { pipe_.write(bytes); }) {
    files_.next(0);  // one that can't be written is told at once
    thread_ = std::thread([this] { run(); });
  }
  ~CutOutput() override { CutOutput::give_up(); }
  CutOutput(const CutOutput&) = delete;
  CutOutput& operator=(const CutOutput&) = delete;

  fxt::Output& blocks() override { return blocks_; }
  void finish() override {
    blocks_.finish();
    pipe_.close();
    thread_.join();
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }
  void give_up() override {
    pipe_.abandon();
    if (thread_.joinable()) thread_.join();
  }
  std::uint64_t bytes_written() const override { return files_.bytes_written(); }
  std::vector<std::string> files() const override { return files_.complete(); }
  std::vector<std::string> left_over() const override { return files_.left_over(); }
  const fxt::CutCounters* cut() const override { return &cutter_.counters(); }

 private:
  // In its own thread.
  void run() {
    try {
      fxt::Reader reader(pipe_);
      for (const fxt::Entry& entry : reader) cutter_.add(entry, reader);
      cutter_.finish();
    } catch (...) {
      failure_ = std::current_exception();
      pipe_.fail(failure_);
    }
  }

  fxt::tools::PieceFiles files_;
  fxt::Cutter cutter_;
  BlockPipe pipe_;
  std::exception_ptr failure_;
  BlockWriter blocks_;  // ends before what it writes to
  std::thread thread_;
};

}  // namespace

std::unique_ptr<TraceOutput> open_output(const std::string& target, const fxt::CutOptions* cut,
                                         const OutputOptions& how) {
  if (cut != nullptr) return std::make_unique<CutOutput>(target, *cut, how);
  fxt::tools::check_replaceable(target, how.inputs, how.force);
  return std::make_unique<WholeOutput>(target, how.jobs);
}

}  // namespace convert
