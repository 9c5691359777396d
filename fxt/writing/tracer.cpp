// How threads' buffers become a file that keeps all rules at any time. A scope is a complete event at the
// position of its begin. If it is open when it is flushed, it ends at the time of the flush; each later flush
// writes a later end over that, and at last the real one, for outer scopes first. No record crosses a page of
// the file, so that a write that is cut short by a signal ends between records. One lock guards all but the
// threads' own parts of their buffers.
#include "fxt/tracer.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <stdexcept>
#include <unistd.h>
#include <vector>

#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "fxt/checking/value_rules.h"
#include "fxt/output_file.h"
#include "fxt/rules.h"
#include "fxt/utf8.h"
#include "fxt/writing/record_builder.h"

namespace fxt {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t), kPageWords = 4096 / kWord;
constexpr std::size_t kNameBytes = 1000, kTextBytes = 128;
constexpr std::size_t kRecordWords = 160;  // of those that name things
constexpr std::size_t kStagedWords = std::size_t{1} << 13;
constexpr std::array kEndingSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM};

std::uint64_t id_of_thread() {
#ifdef __linux__
  return static_cast<std::uint64_t>(::syscall(SYS_gettid));
#else
  static std::atomic<std::uint64_t> threads = static_cast<std::uint64_t>(::getpid());
  thread_local const std::uint64_t id = threads++;
  return id;
#endif
}

std::string text_of(const char* path) {
  std::string text(64, '\0');
  std::FILE* const file = std::fopen(path, "r");
  text.resize(file == nullptr ? 0 : std::fread(text.data(), 1, text.size(), file));
  if (file != nullptr) std::fclose(file);
  return text.substr(0, text.find('\n'));
}

}  // namespace

// All that belongs to no thread. There is one, which is never destroyed: threads may outlive main().
class TracerState {
 public:
  static TracerState& get() {
    static auto* const state = new TracerState;
    return *state;
  }

  void start(const std::string& path, const TracerOptions& options);
  void stop() noexcept;
  void flush() noexcept;  // these two with the lock
  std::uint16_t index_of(std::string_view name);
  TraceBuffer* buffer_for_thread();
  bool make_room(TraceBuffer& buffer) noexcept;
  void end_late(TraceBuffer& buffer, std::uint64_t at, std::uint64_t time) noexcept;
  void forget(TraceBuffer& buffer) noexcept;
  void name_thread(const TraceBuffer& buffer, std::string_view name);
  void forget_all();

  std::mutex lock;
  std::atomic<bool> is_on = false;
  std::string error;

 private:
  // A part of a thread's events, where the latest are kept.
  struct Block {
    const TraceBuffer* buffer;  // null: its thread is over
    Thread thread;
    std::uint64_t base;
    std::vector<std::uint64_t> words;
  };

  // If writing fails, nothing is written from then on.
  template <typename Write>
  void try_to(Write write) noexcept {
    try {
      if (is_on) write();
    } catch (const std::exception& problem) {
      error = problem.what();
      is_on = false;
    }
  }
  void take_on(TraceBuffer& buffer);
  void empty(TraceBuffer& buffer);
  void drain(TraceBuffer& buffer);
  void write_ring();
  void put_tables();
  void put_events(std::span<std::uint64_t> words, const Thread& thread, std::uint64_t now,
                  std::uint64_t base = 0, TraceBuffer* buffer = nullptr);
  std::uint64_t* claim(std::size_t words);
  void send();
  template <typename T>
  void add(const T& record);
  void add_object(KernelObjectType type, std::uint64_t koid, std::string_view name, std::uint64_t process);
  void add_name(std::size_t index);
  std::uint64_t offset() const { return file_->bytes_written() + staged_count_ * kWord; }
  void overwrite(std::uint64_t offset, std::uint64_t word) {
    reorder_stream(&word, &word + 1);
    file_->overwrite(offset, std::as_bytes(std::span(&word, 1)));
  }

  std::map<std::string, std::uint16_t, std::less<>> indices_;  // of names; 0 is the empty one
  std::vector<const std::string*> names_;                      // from index 1
  std::optional<OutputFile> file_;
  std::vector<TraceBuffer*> buffers_;
  std::vector<std::uint64_t> tables_;  // the records that name things
  std::vector<std::uint64_t> staged_ = std::vector<std::uint64_t>(kStagedWords);
  std::size_t staged_count_ = 0;  // of its words: to be sent
  std::size_t sent_tables_ = 0;   // of its words: in the file
  std::uint64_t threads_ = 0;     // in the thread table
  std::deque<Block> ring_;
  std::size_t ring_limit_ = 0, ring_words_ = 0;
  std::uint64_t ring_until_ = 0;  // the latest time of an event in it
};

// ---- Names ----

std::uint16_t TracerState::index_of(std::string_view name) {
  const std::lock_guard guard(lock);
  std::string kept;
  name = as_written(name, kNameBytes, kept);
  if (name.empty()) return 0;
  if (const auto known = indices_.find(name); known != indices_.end()) return known->second;
  if (names_.size() == kMaxStringIndex) return static_cast<std::uint16_t>(kMaxStringIndex);
  const bool is_last = names_.size() + 1 == kMaxStringIndex;
  const auto index = static_cast<std::uint16_t>(names_.size() + 1);
  names_.push_back(&indices_.insert_or_assign(is_last ? "(other)" : std::string(name), index).first->first);
  if (is_on) add_name(index);
  return index;
}

TraceCategory::TraceCategory(std::string_view name, bool is_on)
    : name_(TracerState::get().index_of(name)), is_on_(is_on) {}

TraceEvent::TraceEvent(const TraceCategory& category, std::string_view name)
    : category_(&category),
      names_(event_header(EventType::Instant, 0, category.name_, TracerState::get().index_of(name), 0, 0)),
      names_a_frame_(fxt::names_a_frame(name)) {}

template <typename T>
void TracerState::add(const T& record) {
  std::array<std::uint64_t, kRecordWords> room;
  RecordBuilder builder(room);
  layout(builder, record);
  const auto words = builder.finish();
  tables_.insert(tables_.end(), words.begin(), words.end());
}

void TracerState::add_object(KernelObjectType type, std::uint64_t koid, std::string_view name,
                             std::uint64_t process) {
  std::string kept;
  const std::string_view text = as_written(name, kTextBytes, kept);
  const Argument argument{"process", Koid{process}};
  const std::span<const Argument> arguments(&argument, process != 0 ? 1 : 0);
  if (!text.empty()) add(KernelObject{.type = type, .koid = koid, .name = text, .arguments = arguments});
}

void TracerState::name_thread(const TraceBuffer& buffer, std::string_view name) {
  add_object(KernelObjectType::Thread, buffer.thread_.thread, name, buffer.thread_.process);
}

void TracerState::add_name(std::size_t index) {
  add(StringRecord{.index = static_cast<std::uint16_t>(index), .text = *names_[index - 1]});
}

// ---- Records on their way to the file: nothing is allocated here, for it may happen in a signal handler
// ----

void TracerState::put_tables() {
  for (std::size_t size = 0; sent_tables_ < tables_.size(); sent_tables_ += size) {
    size = RecordHeader::Size::get(tables_[sent_tables_]);
    std::copy_n(tables_.begin() + static_cast<std::ptrdiff_t>(sent_tables_), size, claim(size));
  }
}

// Scopes without an end, and those whose end comes after `now`, end at `now`; `buffer` remembers them. `base`
// is that of the first word.
void TracerState::put_events(std::span<std::uint64_t> words, const Thread& thread, std::uint64_t now,
                             std::uint64_t base, TraceBuffer* buffer) {
  std::size_t size = 0;
  for (std::uint64_t* at = words.data(); at != words.data() + words.size(); at += size) {
    size = EventHeader::Size::get(*at);
    const std::size_t koids = EventHeader::Thread::get(*at) == 0 ? 2 : 0;
    const bool is_scope = EventHeader::EventType::get(*at) == code(EventType::DurationComplete);
    std::uint64_t* to = claim(size + koids);
    *to++ = at[0] + EventHeader::Size::put(koids);
    *to++ = at[1];
    if (koids != 0) *to++ = thread.process, *to++ = thread.thread;
    to = std::copy(at + 2, at + size - (is_scope ? 1 : 0), to);
    if (!is_scope) continue;
    const std::uint64_t end = std::atomic_ref(at[size - 1]).load(std::memory_order_relaxed);
    const bool is_open = end == 0 || end > now;
    *to = is_open ? now : end;
    if (is_open && buffer != nullptr)
      buffer->open_.at(buffer->open_count_++) = {
          .at = base + static_cast<std::uint64_t>(at - words.data()) + size - 1, .offset = offset() - kWord};
  }
}

// Room for a record. The rest of a page is filled with records of one word that say nothing new.
std::uint64_t* TracerState::claim(std::size_t words) {
  if (staged_count_ + 2 * kPageWords > staged_.size()) send();
  const std::size_t room = kPageWords - offset() / kWord % kPageWords;
  if (words > room) {
    constexpr std::uint64_t kSameProvider =
        ProviderSectionHeader::Type::put(code(RecordType::Metadata)) | ProviderSectionHeader::Size::put(1) |
        ProviderSectionHeader::MetadataType::put(code(MetadataType::ProviderSection)) |
        ProviderSectionHeader::ProviderId::put(1);
    std::fill_n(staged_.data() + staged_count_, room, kSameProvider);
    staged_count_ += room;
  }
  return staged_.data() + std::exchange(staged_count_, staged_count_ + words);
}

void TracerState::send() {
  reorder_stream(staged_.data(), staged_.data() + staged_count_);
  file_->write(std::as_bytes(std::span(staged_).first(std::exchange(staged_count_, 0))));
}

void TracerState::drain(TraceBuffer& buffer) {
  const std::size_t filled = buffer.filled_.load(std::memory_order_acquire);
  const std::uint64_t now = std::max(now_ns(), buffer.last_time_.load(std::memory_order_relaxed));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < buffer.open_count_; ++i) {
    const TraceBuffer::Open open = buffer.open_.at(i);
    const bool is_here = open.at >= buffer.base_;
    const std::uint64_t end =
        is_here ? std::atomic_ref(buffer.words_.at(open.at - buffer.base_)).load(std::memory_order_relaxed)
                : open.end;
    const bool is_open = end == 0 || end > now;
    overwrite(open.offset, is_open ? now : end);
    if (is_open) buffer.open_.at(kept++) = open;
  }
  buffer.open_count_ = kept;
  put_tables();
  put_events(std::span(buffer.words_).subspan(buffer.flushed_, filled - buffer.flushed_), buffer.thread_, now,
             buffer.base_ + buffer.flushed_, &buffer);
  buffer.flushed_ = filled;
  send();
}

void TracerState::write_ring() {
  std::uint64_t now = std::max(now_ns(), ring_until_);
  for (TraceBuffer* const buffer : buffers_) {
    buffer->flushed_ = buffer->is_closed_ ? 0 : buffer->filled_.load(std::memory_order_acquire);
    now = std::max(now, buffer->last_time_.load(std::memory_order_relaxed));
  }
  file_->restart();
  sent_tables_ = 0;
  put_tables();
  for (Block& block : ring_) put_events(block.words, block.thread, now);
  for (TraceBuffer* const buffer : buffers_)
    put_events(std::span(buffer->words_).first(buffer->flushed_), buffer->thread_, now);
  send();
}

// ---- Buffers ----

// Of a thread that is new to this Tracer: what it had for another one is forgotten.
void TracerState::take_on(TraceBuffer& buffer) {
  buffer.base_ += buffer.filled_;
  buffer.filled_ = buffer.flushed_ = buffer.open_count_ = 0;
  buffer.thread_ = {.process = static_cast<std::uint64_t>(::getpid()), .thread = id_of_thread()};
  const std::uint64_t index = threads_ < kMaxThreadIndex ? ++threads_ : 0;
  buffer.header_ = EventHeader::Type::put(code(RecordType::Event)) | EventHeader::Thread::put(index);
  if (index != 0)
    add(ThreadRecord{.index = static_cast<std::uint8_t>(index),
                     .process = buffer.thread_.process,
                     .thread = buffer.thread_.thread});
  std::array<char, 64> name{};
  ::pthread_getname_np(::pthread_self(), name.data(), name.size());
  name_thread(buffer, name.data());
  buffer.is_closed_ = false;
  buffer.limit_ = TraceBuffer::kWords;
}

// By the thread itself: room for more.
void TracerState::empty(TraceBuffer& buffer) {
  const std::size_t filled = buffer.filled_;
  if (ring_limit_ == 0) {
    drain(buffer);
  } else {
    ring_.push_back(
        {&buffer, buffer.thread_, buffer.base_, {buffer.words_.begin(), buffer.words_.begin() + filled}});
    for (ring_words_ += filled; ring_words_ > ring_limit_ && ring_.size() > 1; ring_.pop_front())
      ring_words_ -= ring_.front().words.size();
    ring_until_ = std::max(ring_until_, buffer.last_time_.load(std::memory_order_relaxed));
  }
  buffer.base_ += filled;
  buffer.filled_ = buffer.flushed_ = 0;
}

TraceBuffer* TracerState::buffer_for_thread() {
  static thread_local bool is_over = false;
  struct Holder {
    std::unique_ptr<TraceBuffer> buffer = std::make_unique<TraceBuffer>();
    ~Holder() {
      is_over = true;
      TraceBuffer::current_ = nullptr;
      get().forget(*buffer);
    }
  };
  if (is_over) return nullptr;
  static thread_local Holder holder;
  const std::lock_guard guard(lock);
  buffers_.push_back(holder.buffer.get());
  return TraceBuffer::current_ = holder.buffer.get();
}

bool TracerState::make_room(TraceBuffer& buffer) noexcept {
  if (!is_on || buffer.depth_ >= TraceBuffer::kMaxDepth) return false;
  const std::lock_guard guard(lock);
  try_to([&] { buffer.is_closed_ ? take_on(buffer) : empty(buffer); });
  return is_on;
}

void TracerState::end_late(TraceBuffer& buffer, std::uint64_t at, std::uint64_t time) noexcept {
  const std::lock_guard guard(lock);
  for (Block& block : ring_)
    if (block.buffer == &buffer && at >= block.base && at - block.base < block.words.size())
      block.words[at - block.base] = time;
  // The file gets it with the next flush, after the ends of outer scopes.
  for (TraceBuffer::Open& open : std::span(buffer.open_).first(buffer.open_count_))
    if (open.at == at) open.end = time;
}

void TracerState::forget(TraceBuffer& buffer) noexcept {
  const std::lock_guard guard(lock);
  try_to([&] {
    if (!buffer.is_closed_) empty(buffer);
  });
  for (Block& block : ring_)
    if (block.buffer == &buffer) block.buffer = nullptr;
  std::erase(buffers_, &buffer);
}

TraceBuffer* TraceBuffer::find() noexcept {
  try {
    return TracerState::get().is_on ? TracerState::get().buffer_for_thread() : nullptr;
  } catch (const std::exception&) {  // no memory: the thread is not traced
    return nullptr;
  }
}

bool TraceBuffer::make_room() noexcept { return TracerState::get().make_room(*this); }

void TraceBuffer::end_in_file(std::uint64_t at, std::uint64_t time) noexcept {
  TracerState::get().end_late(*this, at, time);
}

std::string_view TraceBuffer::name_prefix(std::string_view text) noexcept {
  text = cut_utf8(text, kNameBytes);
  while (!is_sound(text)) text.remove_suffix(1);
  return text.empty() ? "?" : text;
}

std::uint64_t* TraceBuffer::put_string(std::uint64_t* at, const TextRef& name,
                                       std::string_view text) noexcept {
  try {
    std::string kept;
    return put_text(at, name, TextRef::inlined(as_written(text, kTextBytes, kept)));
  } catch (const std::exception&) {  // no memory to repair it
    return put_text(at, name, {});
  }
}

// ---- Start and end ----

namespace {

// Another signal ends the program if flushing waits for what the program held when the signal came.
void flush_and_end(int signal) {
  constexpr unsigned kMostSeconds = 2;
  std::signal(SIGALRM, SIG_DFL);
  ::alarm(kMostSeconds);
  TracerState& state = TracerState::get();
  if (state.lock.try_lock()) {
    state.flush();
    state.lock.unlock();
  }
  std::raise(signal);
}

void prepare_once() {
  std::atexit([] {
    const std::lock_guard guard(TracerState::get().lock);
    TracerState::get().flush();
  });
  ::pthread_atfork([] { TracerState::get().lock.lock(); }, [] { TracerState::get().lock.unlock(); },
                   [] {
                     TracerState::get().forget_all();
                     TracerState::get().lock.unlock();
                   });
}

}  // namespace

void TracerState::start(const std::string& path, const TracerOptions& options) {
  static const bool is_prepared = (prepare_once(), true);
  const std::lock_guard guard(lock);
  if (file_ || !is_prepared) throw std::logic_error("there is a Tracer already");
  OutputFile file(path, FileMode::InPlace);
  file.restart();  // not possible in pipes and the like
  error.clear();
  ring_limit_ = (options.ring_bytes + kWord - 1) / kWord;
  sent_tables_ = threads_ = ring_words_ = 0;
  std::string kept;
  const std::string own = options.process_name.empty() ? text_of("/proc/self/comm") : "";
  const std::string_view name =
      as_written(options.process_name.empty() ? own : options.process_name, kTextBytes, kept);
  tables_ = {kMagicRecord};
  add(ProviderInfo{.id = 1, .name = name});
  add(Initialization{.ticks_per_second = kTicksPerSecond});
  add_object(KernelObjectType::Process, static_cast<std::uint64_t>(::getpid()), name, 0);
  for (std::size_t i = 1; i <= names_.size(); ++i) add_name(i);
  file_ = std::move(file);
  try {
    put_tables();
    send();
  } catch (...) {
    file_.reset();
    throw;
  }
  is_on = true;
  if (!options.flushes_on_signals) return;
  for (const int signal : kEndingSignals) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = flush_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

void TracerState::flush() noexcept {
  try_to([&] {
    if (ring_limit_ != 0) return write_ring();
    for (TraceBuffer* const buffer : buffers_)
      if (!buffer->is_closed_) drain(*buffer);
  });
}

void TracerState::stop() noexcept {
  flush();
  try_to([&] { file_->commit(); });
  forget_all();
}

void TracerState::forget_all() {
  is_on = false;
  for (TraceBuffer* const buffer : buffers_) {
    buffer->limit_ = 0;
    buffer->is_closed_ = true;
  }
  ring_.clear();
  staged_count_ = 0;
  file_.reset();
}

Tracer::Tracer(const std::string& path, const TracerOptions& options) {
  TracerState::get().start(path, options);
}

Tracer::~Tracer() {
  const std::lock_guard guard(TracerState::get().lock);
  TracerState::get().stop();
}

void Tracer::flush() noexcept {
  const std::lock_guard guard(TracerState::get().lock);
  TracerState::get().flush();
}

void Tracer::name_thread(std::string_view name) noexcept {
  TraceBuffer* const buffer = TraceBuffer::of_thread();
  if (buffer == nullptr || !TracerState::get().make_room(*buffer)) return;
  const std::lock_guard guard(TracerState::get().lock);
  try {
    TracerState::get().name_thread(*buffer, name);
  } catch (const std::exception&) {  // no memory: it keeps its name
  }
}

std::string Tracer::error() const {
  const std::lock_guard guard(TracerState::get().lock);
  return TracerState::get().error;
}

}  // namespace fxt
