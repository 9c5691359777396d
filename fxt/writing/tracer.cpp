// How threads' buffers become a file that keeps all rules at any time. A scope is a complete event at the
// position of its begin. If it is open when it is flushed, it ends at the time of the flush; each later flush
// writes a later end over that, and at last the real one, for outer scopes first. One lock guards all but the
// threads' own parts of their buffers.
#include "fxt/tracer.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
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
#include "fxt/rules.h"
#include "fxt/utf8.h"
#include "fxt/writing/event_ring.h"
#include "fxt/writing/staged_file.h"
#include "fxt/writing/tracer_names.h"

namespace fxt {
namespace {

constexpr std::size_t kTextBytes = 128;
constexpr std::array kFlushingSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM};

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
  std::atomic<std::uint64_t> lost = 0;
  std::string error;

 private:
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
  void adopt(TraceBuffer& buffer);
  void empty(TraceBuffer& buffer);
  void drain(TraceBuffer& buffer);
  void write_ring();
  void put_events(std::span<std::uint64_t> words, const Thread& thread, std::uint64_t now,
                  std::uint64_t base = 0, TraceBuffer* buffer = nullptr);

  TracerNames names_;
  std::optional<StagedFile> file_;
  std::vector<TraceBuffer*> buffers_;
  EventRing ring_;
};

// ---- Names ----

std::uint16_t TracerState::index_of(std::string_view name) {
  const std::lock_guard guard(lock);
  return names_.index_of(name);
}

TraceEvent::TraceEvent(const TraceCategory& category, std::string_view name)
    : category_(&category),
      names_(event_header(EventType::Instant, 0, TracerState::get().index_of(category.name_),
                          TracerState::get().index_of(name), 0, 0)),
      names_a_frame_(fxt::names_a_frame(name)) {}

void TracerState::name_thread(const TraceBuffer& buffer, std::string_view name) {
  names_.name_thread(buffer.thread_, name);
}

// ---- Events on their way to the file ----

// Scopes without an end, and those whose end comes after `now`, end at `now`; `buffer` remembers them. `base`
// is that of the first word.
void TracerState::put_events(std::span<std::uint64_t> words, const Thread& thread, std::uint64_t now,
                             std::uint64_t base, TraceBuffer* buffer) {
  std::size_t size = 0;
  for (std::uint64_t* at = words.data(); at != words.data() + words.size(); at += size) {
    size = EventHeader::Size::get(*at);
    const std::size_t koids = EventHeader::Thread::get(*at) == 0 ? 2 : 0;
    const bool is_scope = EventHeader::EventType::get(*at) == code(EventType::DurationComplete);
    std::uint64_t* to = file_->claim(size + koids);
    *to++ = at[0] + EventHeader::Size::put(koids);
    *to++ = at[1];
    if (koids != 0) *to++ = thread.process, *to++ = thread.thread;
    to = std::copy(at + 2, at + size - (is_scope ? 1 : 0), to);
    if (!is_scope) continue;
    const std::uint64_t end = std::atomic_ref(at[size - 1]).load(std::memory_order_relaxed);
    const bool is_open = end == 0 || end > now;
    *to = is_open ? now : end;
    if (is_open && buffer != nullptr)
      buffer->open_.push({.at = base + static_cast<std::uint64_t>(at - words.data()) + size - 1,
                          .offset = file_->offset() - sizeof(std::uint64_t)});
  }
}

void TracerState::drain(TraceBuffer& buffer) {
  const std::size_t filled = buffer.filled_.load(std::memory_order_acquire);
  const std::uint64_t now = std::max(now_ns(), buffer.last_time_.load(std::memory_order_relaxed));
  buffer.open_.keep_if([&](const TraceBuffer::OpenScopes::Scope& scope) {
    const std::uint64_t end =
        scope.at >= buffer.base_
            ? std::atomic_ref(buffer.words_.at(scope.at - buffer.base_)).load(std::memory_order_relaxed)
            : scope.end;
    const bool is_open = end == 0 || end > now;
    file_->overwrite(scope.offset, is_open ? now : end);
    return is_open;
  });
  names_.send(*file_);
  put_events(std::span(buffer.words_).subspan(buffer.flushed_, filled - buffer.flushed_), buffer.thread_, now,
             buffer.base_ + buffer.flushed_, &buffer);
  buffer.flushed_ = filled;
  file_->send();
}

void TracerState::write_ring() {
  std::uint64_t now = std::max(now_ns(), ring_.until());
  for (TraceBuffer* const buffer : buffers_) {
    buffer->flushed_ = buffer->is_closed() ? 0 : buffer->filled_.load(std::memory_order_acquire);
    now = std::max(now, buffer->last_time_.load(std::memory_order_relaxed));
  }
  file_->restart();
  names_.restart();
  names_.send(*file_);
  for (EventRing::Block& block : ring_.blocks()) put_events(block.words, block.thread, now);
  for (TraceBuffer* const buffer : buffers_)
    put_events(std::span(buffer->words_).first(buffer->flushed_), buffer->thread_, now);
  file_->send();
}

// ---- Buffers ----

// Of a thread that is new to this Tracer: what it had for another one is forgotten.
void TracerState::adopt(TraceBuffer& buffer) {
  buffer.base_ += buffer.filled_;
  buffer.filled_ = buffer.flushed_ = 0;
  buffer.open_.clear();
  buffer.thread_ = {.process = static_cast<std::uint64_t>(::getpid()), .thread = id_of_thread()};
  buffer.header_ = EventHeader::Type::put(code(RecordType::Event)) |
                   EventHeader::Thread::put(names_.add_thread(buffer.thread_));
  std::array<char, 64> name{};
  ::pthread_getname_np(::pthread_self(), name.data(), name.size());
  name_thread(buffer, name.data());
  buffer.limit_ = TraceBuffer::kWords;
}

// By the thread itself: room for more.
void TracerState::empty(TraceBuffer& buffer) {
  const std::size_t filled = buffer.filled_;
  if (ring_.is_used())
    ring_.add(
        {&buffer, buffer.thread_, buffer.base_, {buffer.words_.begin(), buffer.words_.begin() + filled}},
        buffer.last_time_.load(std::memory_order_relaxed));
  else
    drain(buffer);
  buffer.base_ += filled;
  buffer.filled_ = buffer.flushed_ = 0;
}

// Null if the thread ends: its buffer is destroyed already.
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
  if (!is_on) return false;
  const std::lock_guard guard(lock);
  try_to([&] { buffer.is_closed() ? adopt(buffer) : empty(buffer); });
  return is_on;
}

void TracerState::end_late(TraceBuffer& buffer, std::uint64_t at, std::uint64_t time) noexcept {
  const std::lock_guard guard(lock);
  ring_.end(buffer, at, time);
  // The file gets it with the next flush, after the ends of outer scopes.
  buffer.open_.end(at, time);
}

void TracerState::forget(TraceBuffer& buffer) noexcept {
  const std::lock_guard guard(lock);
  try_to([&] {
    if (!buffer.is_closed()) empty(buffer);
  });
  ring_.forget(buffer);
  std::erase(buffers_, &buffer);
}

TraceBuffer* TraceBuffer::find() noexcept {
  TracerState& state = TracerState::get();
  if (!state.is_on) return nullptr;
  TraceBuffer* buffer = nullptr;
  try {
    buffer = state.buffer_for_thread();
  } catch (const std::exception&) {  // no memory
  }
  if (buffer == nullptr) ++state.lost;
  return buffer;
}

bool TraceBuffer::make_room() noexcept {
  TracerState& state = TracerState::get();
  if (depth_ < kMaxDepth && state.make_room(*this)) return true;
  ++state.lost;
  return false;
}

void TraceBuffer::end_in_file(std::uint64_t at, std::uint64_t time) noexcept {
  TracerState::get().end_late(*this, at, time);
}

std::string_view TraceArguments::name_prefix(std::string_view text) noexcept {
  text = cut_utf8(text, kNameBytes);
  while (!is_sound(text)) text.remove_suffix(1);
  return text.empty() ? "?" : text;
}

std::uint64_t* TraceArguments::put_string(std::uint64_t* at, const TextRef& name,
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

// Another thread that holds the lock gives it back soon. The one that the signal came to can't.
bool lock_in_signal_handler(std::mutex& lock) {
  constexpr int kMostPauses = 500;
  constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 1'000'000};
  bool is_locked = lock.try_lock();
  for (int i = 0; !is_locked && i < kMostPauses; ++i) {
    ::nanosleep(&kPause, nullptr);
    is_locked = lock.try_lock();
  }
  return is_locked;
}

// Another signal ends the program if flushing waits for what the program held when the signal came.
void flush_and_end(int signal) {
  constexpr unsigned kMostSeconds = 2;
  std::signal(SIGALRM, SIG_DFL);
  ::alarm(kMostSeconds);
  TracerState& state = TracerState::get();
  if (lock_in_signal_handler(state.lock)) {
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
  StagedFile file(path);
  error.clear();
  ring_ = EventRing(options.ring_bytes);
  names_.start(static_cast<std::uint64_t>(::getpid()),
               options.process_name.empty() ? text_of("/proc/self/comm") : std::string(options.process_name));
  names_.send(file);
  file.send();
  file_ = std::move(file);
  lost = 0;  // threads that trace all the time have counted what no Tracer wanted
  is_on = true;
  if (!options.flushes_on_signals) return;
  for (const int signal : kFlushingSignals) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = flush_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

void TracerState::flush() noexcept {
  try_to([&] {
    if (ring_.is_used()) return write_ring();
    for (TraceBuffer* const buffer : buffers_)
      if (!buffer->is_closed()) drain(*buffer);
  });
}

void TracerState::stop() noexcept {
  flush();
  try_to([&] { file_->commit(); });
  forget_all();
}

void TracerState::forget_all() {
  is_on = false;
  for (TraceBuffer* const buffer : buffers_) buffer->limit_ = 0;
  ring_ = EventRing();
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

std::uint64_t Tracer::lost() const noexcept { return TracerState::get().lost; }

}  // namespace fxt
