// Writes the events in the buffers of threads to a file that is valid at any time. The lock guards everything
// except the members of a TraceBuffer that only its thread uses.
// A flush reads the clock first. Then it takes the events up to this time from all buffers, in the order of
// time. Therefore, if the file has an event, it also has the earlier events of other threads that caused the
// event.
// A scope is written as a complete event, at the position of its begin. If the scope is open at a flush, the
// end of this event is the time of the flush. Each later flush overwrites the end, until the scope has ended.
// Ends of outer scopes are overwritten first. In a file that can't be overwritten, an open scope is written
// as a begin event, and later as an end event.
#include "fxt/tracer.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <pthread.h>
#include <span>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <vector>

#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "fxt/checking/value_rules.h"
#include "fxt/rules.h"
#include "fxt/utf8.h"
#include "fxt/writing/event_merge.h"
#include "fxt/writing/event_ring.h"
#include "fxt/writing/flush_thread.h"
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

// The state that all threads share. There is one object, which is never destroyed, because threads may
// outlive main().
class TracerState {
 public:
  static TracerState& get() {
    static auto* const state = new TracerState;
    return *state;
  }

  void start(const std::string& path, const TracerOptions& options);
  void stop() noexcept;
  void flush() noexcept;  // the caller holds the lock
  std::uint16_t index_of(std::string_view name);
  TraceCategory& category(std::string_view name);
  TraceBuffer* buffer_for_thread();
  bool make_room(TraceBuffer& buffer) noexcept;
  void end_late(TraceBuffer& buffer, std::uint64_t position, std::uint64_t time) noexcept;
  void release(TraceBuffer& buffer) noexcept;
  void name_thread(const TraceBuffer& buffer, std::string_view name);
  void forget_in_child();

  std::mutex lock;
  std::atomic<bool> is_on = false;
  std::atomic<std::uint64_t> lost = 0;
  std::string error;

 private:
  // Calls `write`. If it fails, stores the error, and ends tracing.
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
  void write();
  void write_ring();
  void forget_all();
  std::uint64_t latest_time() const;

  TracerNames names_;
  // The name of each category is a view of its key in this map. The keys are never moved.
  std::map<std::string, std::unique_ptr<TraceCategory>, std::less<>> categories_;
  std::optional<StagedFile> file_;
  std::unique_ptr<FlushThread> flush_thread_;
  FlushThread* parents_flush_thread_ = nullptr;
  // Buffers are never destroyed: a new thread takes the buffer of a thread that has ended.
  std::vector<std::unique_ptr<TraceBuffer>> buffers_;
  EventRing ring_;
  EventMerge merge_;
};

// ---- Names ----

std::uint16_t TracerState::index_of(std::string_view name) {
  const std::lock_guard guard(lock);
  return names_.index_of(name);
}

TraceCategory& TracerState::category(std::string_view name) {
  const std::lock_guard guard(lock);
  const auto entry = categories_.try_emplace(std::string(name)).first;
  if (!entry->second) entry->second = std::make_unique<TraceCategory>(entry->first);
  return *entry->second;
}

TraceCategory& TraceCategory::named(std::string_view name) { return TracerState::get().category(name); }

TraceEvent::TraceEvent(const TraceCategory& category, std::string_view name)
    : category_(&category),
      names_(event_header(EventType::Instant, 0, TracerState::get().index_of(category.name_),
                          TracerState::get().index_of(name), 0, 0)),
      names_a_frame_(fxt::names_a_frame(name)) {}

void TracerState::name_thread(const TraceBuffer& buffer, std::string_view name) {
  names_.name_thread(buffer.thread_, name);
}

// ---- Events on their way to the file ----

// Each event of a thread has a later time than the event before it. With a coarse clock, the time of the
// latest event may therefore be later than now_ns().
std::uint64_t TracerState::latest_time() const {
  std::uint64_t latest = std::max(now_ns(), ring_.latest_time());
  for (const auto& buffer : buffers_)
    latest = std::max(latest, buffer->last_time_.load(std::memory_order_relaxed));
  return latest;
}

void TracerState::write() {
  const std::uint64_t now = latest_time();
  merge_.clear();
  for (const auto& buffer : buffers_) {
    if (buffer->is_closed()) continue;
    if (file_->can_overwrite()) EventMerge::update_ends(*file_, *buffer, now);
    merge_.add(*file_, *buffer);
  }
  names_.send(*file_);
  merge_.write(*file_, now);
  file_->send();
}

void TracerState::write_ring() {
  const std::uint64_t now = latest_time();
  merge_.clear();
  for (EventRing::Block& block : ring_.blocks()) merge_.add(block.words, block.thread);
  for (const auto& buffer : buffers_)
    if (!buffer->is_closed())
      merge_.add(std::span(buffer->words_).first(buffer->filled_.load(std::memory_order_acquire)),
                 buffer->thread_);
  file_->restart();
  names_.restart();
  names_.send(*file_);
  merge_.write(*file_, now);
  file_->send();
}

// ---- Buffers ----

// Prepares the buffer of a thread that has its first event for this Tracer. Drops the events that the buffer
// still has for an earlier Tracer.
void TracerState::adopt(TraceBuffer& buffer) {
  buffer.base_ += buffer.filled_;
  buffer.filled_ = buffer.flushed_ = 0;
  buffer.open_.clear();
  buffer.latest_slice_ = 0;
  buffer.thread_ = {.process = static_cast<std::uint64_t>(::getpid()), .thread = id_of_thread()};
  buffer.header_ = EventHeader::Type::put(code(RecordType::Event)) |
                   EventHeader::Thread::put(names_.add_thread(buffer.thread_));
  std::array<char, 64> name{};
  ::pthread_getname_np(::pthread_self(), name.data(), name.size());
  name_thread(buffer, name.data());
  buffer.limit_ = TraceBuffer::kWords;
}

// The buffer's own thread calls this function, to make room in the buffer.
void TracerState::empty(TraceBuffer& buffer) {
  const std::size_t filled = buffer.filled_;
  if (ring_.is_used()) {
    ring_.add(
        {&buffer, buffer.thread_, buffer.base_, {buffer.words_.begin(), buffer.words_.begin() + filled}},
        buffer.last_time_.load(std::memory_order_relaxed));
    merge_.reserve(buffers_.size() + ring_.blocks().size());
  } else {
    write();
  }
  buffer.base_ += filled;
  buffer.filled_ = buffer.flushed_ = 0;
}

// Returns null if the thread is ending, because another thread may already use its buffer.
TraceBuffer* TracerState::buffer_for_thread() {
  static thread_local bool is_over = false;
  struct Holder {
    TraceBuffer* buffer = nullptr;
    ~Holder() {
      is_over = true;
      TraceBuffer::current_ = nullptr;
      if (buffer != nullptr) get().release(*buffer);
    }
  };
  if (is_over) return nullptr;
  static thread_local Holder holder;
  const std::lock_guard guard(lock);
  auto free = std::ranges::find_if(buffers_, [](const auto& buffer) { return !buffer->is_taken_; });
  if (free == buffers_.end()) {
    free = buffers_.insert(free, std::make_unique<TraceBuffer>());
    merge_.reserve(buffers_.size() + ring_.blocks().size());
  }
  (*free)->is_taken_ = true;
  return TraceBuffer::current_ = holder.buffer = free->get();
}

bool TracerState::make_room(TraceBuffer& buffer) noexcept {
  if (!is_on) return false;
  const std::lock_guard guard(lock);
  try_to([&] { buffer.is_closed() ? adopt(buffer) : empty(buffer); });
  return is_on;
}

void TracerState::end_late(TraceBuffer& buffer, std::uint64_t position, std::uint64_t time) noexcept {
  const std::lock_guard guard(lock);
  ring_.end(buffer, position, time);
  // The next flush writes the end to the file, after the ends of outer scopes.
  buffer.open_.end(position, time);
}

// A thread calls this function when it ends. Its open scopes end now.
void TracerState::release(TraceBuffer& buffer) noexcept {
  while (buffer.depth_ != 0) buffer.end_innermost();
  const std::lock_guard guard(lock);
  try_to([&] {
    if (!buffer.is_closed()) empty(buffer);
  });
  buffer.limit_ = 0;
  buffer.is_taken_ = false;
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

void TraceBuffer::end_in_file(std::uint64_t position, std::uint64_t time) noexcept {
  TracerState::get().end_late(*this, position, time);
}

void TraceBuffer::end_outer(std::uint64_t position) noexcept {
  const auto begun = std::span(begun_).first(depth_);
  if (std::ranges::find(begun, position, &Begun::position) == begun.end()) return;
  while (depth_ != 0 && begun_[depth_ - 1].position != position) end_innermost();
  end_innermost();
}

void TraceBuffer::end(const TraceEvent& event) noexcept {
  for (std::size_t i = depth_; i-- > 0;)
    if (begun_[i].names == event.names_) return end(begun_[i].position);
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

// Returns false if the lock is not free within about half a second. Another thread would release the lock
// earlier. The interrupted thread can't release it.
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

// The flush may need another lock, which the interrupted thread may hold. In this case, the flush would wait
// forever, but an alarm ends the program after 2 seconds.
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
                     TracerState::get().forget_in_child();
                     TracerState::get().lock.unlock();
                   });
}

}  // namespace

void TracerState::start(const std::string& path, const TracerOptions& options) {
  static const bool is_prepared = (prepare_once(), true);
  const std::lock_guard guard(lock);
  if (file_ || !is_prepared) throw std::logic_error("there is a Tracer already");
  StagedFile file(path);
  if (options.ring_bytes != 0 && !file.can_overwrite())
    throw std::system_error(std::make_error_code(std::errc::invalid_seek),
                            path + ": can't be overwritten, so a ring can't be used");
  error.clear();
  ring_ = EventRing(options.ring_bytes);
  names_.start(static_cast<std::uint64_t>(::getpid()),
               options.process_name.empty() ? text_of("/proc/self/comm") : std::string(options.process_name));
  names_.send(file);
  file.send();
  if (options.flush_period.count() > 0 && !ring_.is_used())
    flush_thread_ =
        std::make_unique<FlushThread>(lock, options.flush_period, [] { TracerState::get().flush(); });
  file_ = std::move(file);
  lost = 0;  // these events were lost while there was no Tracer
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
  try_to([&] { ring_.is_used() ? write_ring() : write(); });
}

void TracerState::stop() noexcept {
  std::unique_ptr<FlushThread> flush_thread;  // is destroyed after the lock is released
  const std::lock_guard guard(lock);
  flush();
  try_to([&] {
    for (const auto& buffer : buffers_) EventMerge::end_open(*file_, *buffer, latest_time());
    file_->send();
    file_->commit();
  });
  forget_all();
  flush_thread = std::move(flush_thread_);
}

void TracerState::forget_all() {
  is_on = false;
  for (const auto& buffer : buffers_) buffer->limit_ = 0;
  ring_ = EventRing();
  file_.reset();
}

// The child of a fork does not have the flush thread. Therefore, the object for this thread can be neither
// joined nor destroyed, and is kept.
void TracerState::forget_in_child() {
  if (flush_thread_) parents_flush_thread_ = flush_thread_.release();
  forget_all();
}

Tracer::Tracer(const std::string& path, const TracerOptions& options) {
  TracerState::get().start(path, options);
}

Tracer::~Tracer() { TracerState::get().stop(); }

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
  } catch (const std::exception&) {  // no memory, so the thread keeps its name
  }
}

std::string Tracer::error() const {
  const std::lock_guard guard(TracerState::get().lock);
  return TracerState::get().error;
}

std::uint64_t Tracer::lost() const noexcept { return TracerState::get().lost; }

}  // namespace fxt
