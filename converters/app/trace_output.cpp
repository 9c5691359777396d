#include "converters/app/trace_output.h"

#include <exception>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "converters/app/block_pipe.h"
#include "converters/app/block_writer.h"
#include "converters/app/compression.h"
#include "converters/app/output_file.h"
#include "converters/app/output_rules.h"
#include "fxt/reader.h"

namespace convert {
namespace {

// A file, compressed if its name says so.
struct StreamedFile {
  StreamedFile(const std::string& target, const OutputOptions& how)
      : file(checked(target, how)), stream(open_stream(target, file)) {}
  static const std::string& checked(const std::string& target, const OutputOptions& how) {
    if (!how.force) check_replaceable(target);
    return target;
  }
  void finish() {
    stream->finish();
    file.commit();
  }

  OutputFile file;
  std::unique_ptr<ByteStream> stream;
};

class WholeOutput : public TraceOutput {
 public:
  WholeOutput(const std::string& target, const OutputOptions& how)
      : target_(target),
        file_(target, how),
        blocks_([this](std::span<const std::byte> bytes) { file_.stream->write(bytes); }) {}

  fxt::Output& blocks() override { return blocks_; }
  void finish() override {
    blocks_.finish();
    file_.finish();
    is_finished_ = true;
  }
  void give_up() override {}
  std::uint64_t bytes_written() const override { return file_.file.bytes_written(); }
  std::vector<std::string> files() const override {
    return is_finished_ ? std::vector<std::string>{target_} : std::vector<std::string>{};
  }

 private:
  std::string target_;
  StreamedFile file_;
  BlockWriter blocks_;
  bool is_finished_ = false;
};

// A piece as the Cutter's Writer fills it.
class PieceOutput : public fxt::Output {
 public:
  PieceOutput(const std::string& target, const OutputOptions& how)
      : file_(target, how), buffer_(kBufferWords) {}
  std::span<std::uint64_t> exchange(std::size_t filled_words) override {
    if (filled_words != 0) file_.stream->write(std::as_bytes(std::span(buffer_).first(filled_words)));
    return buffer_;
  }
  void finish() override {
    file_.finish();
    is_finished_ = true;
  }
  bool is_finished() const { return is_finished_; }
  std::uint64_t bytes_written() const { return file_.file.bytes_written(); }

 private:
  static constexpr std::size_t kBufferWords = std::size_t{32} << 10;

  StreamedFile file_;
  std::vector<std::uint64_t> buffer_;
  bool is_finished_ = false;
};

class CutOutput : public TraceOutput, private fxt::PieceOutputs {
 public:
  CutOutput(const std::string& target, const fxt::CutOptions& options, const OutputOptions& how)
      : target_(target),
        how_(how),
        is_split_(options.is_split()),
        cutter_(options, *this),
        blocks_([this](std::span<const std::byte> bytes) { pipe_.write(bytes); }) {
    next(0);  // a file that can't be written is told at once
    thread_ = std::thread([this] { run(); });
  }
  ~CutOutput() override { give_up(); }
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
  std::uint64_t bytes_written() const override {
    return finished_bytes_ + (piece_ ? piece_->bytes_written() : 0);
  }
  std::vector<std::string> files() const override {
    std::vector<std::string> files = names_;
    if (piece_ && !piece_->is_finished()) files.pop_back();
    return files;
  }
  const fxt::CutCounters* cut() const override { return &cutter_.counters(); }

 private:
  fxt::Output& next(std::size_t number) override {
    if (number < names_.size()) return *piece_;
    if (piece_) finished_bytes_ += piece_->bytes_written();
    const std::string name = is_split_ ? fxt::piece_name(target_, number) : target_;
    piece_.emplace(name, how_);
    names_.push_back(name);
    return *piece_;
  }

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

  std::string target_;
  OutputOptions how_;
  bool is_split_;
  std::vector<std::string> names_;
  std::optional<PieceOutput> piece_;
  std::uint64_t finished_bytes_ = 0;
  fxt::Cutter cutter_;
  BlockPipe pipe_;
  std::exception_ptr failure_;
  BlockWriter blocks_;  // ends before what it writes to
  std::thread thread_;
};

}  // namespace

std::unique_ptr<TraceOutput> open_output(const std::string& target, const OutputOptions& how) {
  return std::make_unique<WholeOutput>(target, how);
}

std::unique_ptr<TraceOutput> open_cut_output(const std::string& target, const fxt::CutOptions& options,
                                             const OutputOptions& how) {
  return std::make_unique<CutOutput>(target, options, how);
}

}  // namespace convert
