#include "converters/uftrace/records/fork_scan.h"

#include <array>
#include <string_view>

#include "converters/uftrace/records/open_calls.h"
#include "converters/uftrace/records/record_cursor.h"
#include "converters/uftrace/symbols/task_symbols.h"
#include "fxt/support/budget.h"

namespace convert::uftrace {
namespace {

constexpr std::array<std::string_view, 8> kForks{"fork",  "vfork",       "__fork",  "__vfork",
                                                 "_Fork", "__libc_fork", "forkpty", "daemon"};
constexpr std::array<std::string_view, 9> kOthers{"clone",       "__clone",       "clone3",
                                                  "posix_spawn", "posix_spawnp",  "system",
                                                  "popen",       "__libc_system", "_IO_popen"};
constexpr std::array<std::string_view, 3> kThreadStarts{"pthread_create", "__pthread_create", "thrd_create"};
// In this function, std::thread of libstdc++ calls pthread_create. The call of pthread_create itself may not
// be recorded.
constexpr std::string_view kStdThread = "_ZNSt6thread15_M_start_thread";

// Limits the number of stored addresses. For each fork and each start of a child, the addresses of all open
// calls are stored.
constexpr fxt::Limit kStacks{"calls that are open at the forks of a thread", 2'048, 512};

// The part of the file in which read_head() searches for a record.
constexpr std::uint64_t kHeadBytes = std::uint64_t{1} << 20;

ForkKind kind_of(std::string_view symbol) {
  symbol = symbol.substr(0, symbol.find('@'));  // removes the version
  if (std::ranges::find(kForks, symbol) != kForks.end()) return ForkKind::Process;
  if (std::ranges::find(kThreadStarts, symbol) != kThreadStarts.end() || symbol.starts_with(kStdThread))
    return ForkKind::Thread;
  return std::ranges::find(kOthers, symbol) != kOthers.end() ? ForkKind::Other : ForkKind::None;
}

// Finds the functions that fork. They have a known name, or their exit is the first record of a child.
class ForkFunctions {
 public:
  ForkFunctions(const WalkedThread& thread, Symbolizer& symbolizer, const std::set<CallKey>& first_exits,
                ForkKinds& kinds)
      : symbols_(symbolizer, thread.task), first_exits_(first_exits), kinds_of_(kinds) {}

  void move_to(std::uint64_t time_ns) {
    if (symbols_.move_to(time_ns)) kinds_ = &kinds_of_.of(symbols_.epoch());
  }
  // Until this time, no exec and no new library changes which function is at an address.
  std::uint64_t until_ns() const { return symbols_.until_ns(); }

  ForkKind kind_at(const CallRecord& call) {
    const Symbol* const symbol = symbols_.until_ns() != 0 ? symbols_.at(call.address).symbol : nullptr;
    ForkKind kind = symbol != nullptr ? kind_of(symbol->name) : ForkKind::None;
    if (kind != ForkKind::None) return kind;
    const auto left_first = first_exits_.lower_bound({call.address, 0});
    if (left_first == first_exits_.end() || left_first->first != call.address) {
      if (kinds_ != nullptr) kinds_->put(call.address, kind);
    } else if (first_exits_.contains({call.address, call.depth})) {
      kind = ForkKind::Process;
    }
    return kind;
  }
  // True if kind_at() has found that the function never forks.
  bool is_known_plain(std::uint64_t address) const {
    return kinds_ != nullptr && kinds_->find(address) != nullptr;
  }

 private:
  TaskSymbols symbols_;
  const std::set<CallKey>& first_exits_;
  ForkKinds& kinds_of_;
  AddressCache<ForkKind>* kinds_ = nullptr;  // kinds for the current symbols; null before the first move_to()
};

class ForkScan {
  struct CallData {
    std::optional<std::uint64_t> entry_offset = {};
    // True for a call without an entry. Its address is taken from its exit later, and is then added to the
    // stacks of all results that were found inside the call. `calls` and `snapshots` are the numbers of
    // results that had already been found when the call was inferred.
    bool is_nameless = false;
    std::size_t calls = 0, snapshots = 0;
  };
  using Walk = CallWalk<CallData>;

 public:
  ForkScan(const WalkedThread& thread, Symbolizer& symbolizer, std::span<const std::uint64_t> times_ns,
           const std::set<CallKey>& first_exits, ForkKinds& kinds)
      : times_ns_(times_ns),
        stacks_(kStacks, thread.place.status().size_bytes),
        walk_(thread),
        functions_(thread, symbolizer, first_exits, kinds) {
    for (Walk::Call& call : walk_.open().calls())
      if (call.address == 0) inferred(call);
  }

  ForkScanResult run() {
    walk_.run(*this);
    if (!has_all_snapshots()) add_snapshots(~std::uint64_t{0}, late_ ? late_->before : here());
    return std::move(found_);
  }

  // ---- For CallWalk ----

  bool is_done() const { return has_all_snapshots() && !needs_names(); }
  std::uint64_t plain_until_ns() const { return plain_until_ns_; }
  bool may_skip(const CallRecord& call) const {
    return !call.is_entry() || (!fork_depth_ && functions_.is_known_plain(call.address));
  }
  void skipped(const CallRecord& call, std::uint64_t offset) {
    if (call.is_entry()) walk_.open().calls().back().data.entry_offset = offset;
  }
  void before_call(const RecordItem& item) {
    pass_time(item.call.time_ns);
    move_to(item.call.time_ns);
    if (!item.call.is_entry()) learn_name(item.call);
    // A forking call begins no later than the next record. If its recorded time is later, it is wrong.
    if (is_in_new_fork_)
      found_.calls.back().begin_ns = std::min(found_.calls.back().begin_ns, item.call.time_ns);
  }
  // If a call began before the first record, its address becomes known only from its exit.
  void inferred(Walk::Call& call) {
    call.data = {.is_nameless = true, .calls = found_.calls.size(), .snapshots = found_.snapshots.size()};
  }
  void after_call(const RecordItem& item) {
    is_in_new_fork_ = false;
    if (fork_depth_ && item.call.depth <= *fork_depth_) fork_depth_.reset();
    if (!item.call.is_entry()) return;
    walk_.open().calls().back().data.entry_offset = item.begin;
    const ForkKind kind = functions_.kind_at(item.call);
    if (kind != ForkKind::None) fork(item, kind);
  }

 private:
  // If a forking call is inside another forking call, both are one fork. For example, the program may have
  // its own function `fork`, which calls libc's fork.
  void fork(const RecordItem& item, ForkKind kind) {
    if (!fork_depth_) {
      found_.calls.push_back(
          {.begin_ns = item.what == RecordItem::What::Call ? item.call.time_ns : walk_.seen_ns(),
           .entry_offset = item.begin,
           .depth = item.call.depth});
      fork_depth_ = item.call.depth;
      is_in_new_fork_ = true;
    }
    found_.calls.back().stack = stack();
    found_.calls.back().kind = std::max(found_.calls.back().kind, kind);
  }

  // Selects the symbols at `time_ns`, and finds the time until which plain records may be skipped.
  void move_to(std::uint64_t time_ns) {
    functions_.move_to(time_ns);
    plain_until_ns_ = late_ ? 0 : functions_.until_ns();
    if (!has_all_snapshots())
      plain_until_ns_ = std::min(plain_until_ns_, times_ns_[found_.snapshots.size()] + 1);
  }

  bool has_all_snapshots() const { return found_.snapshots.size() == times_ns_.size(); }
  bool needs_names() const {
    return std::ranges::any_of(walk_.open().calls(), [&](const Walk::Call& call) {
      return call.data.is_nameless &&
             (found_.calls.size() > call.data.calls || found_.snapshots.size() > call.data.snapshots);
    });
  }
  void learn_name(const CallRecord& exit) {
    const auto open = walk_.open().calls();
    if (exit.depth >= open.size() || !open[exit.depth].data.is_nameless) return;
    const CallData& nameless = open[exit.depth].data;
    const auto name = [&](std::vector<std::uint64_t>& stack) {
      if (exit.depth < stack.size() && stack[exit.depth] == 0) stack[exit.depth] = exit.address;
    };
    for (std::size_t i = nameless.calls; i < found_.calls.size(); ++i) name(found_.calls[i].stack);
    for (std::size_t i = nameless.snapshots; i < found_.snapshots.size(); ++i)
      name(found_.snapshots[i].stack);
  }

  // Adds a snapshot only after two records with later times, because the time of one record may be damaged.
  void pass_time(std::uint64_t time_ns) {
    if (late_) add_snapshots(std::min(late_->time_ns, time_ns), late_->before);
    late_.reset();
    if (!has_all_snapshots() && times_ns_[found_.snapshots.size()] < time_ns) late_ = {time_ns, here()};
  }

  void add_snapshots(std::uint64_t time_ns, const StackSnapshot& snapshot) {
    while (!has_all_snapshots() && times_ns_[found_.snapshots.size()] < time_ns)
      found_.snapshots.push_back(has_room_for(snapshot.stack.size()) ? snapshot : StackSnapshot{});
  }

  bool has_room_for(std::size_t calls) {
    if (stacks_.take(calls)) return true;
    found_.left_out = stacks_.exceeded();
    return false;
  }
  // Returns the addresses of the open calls. Empty if the limit for stored addresses is reached.
  std::vector<std::uint64_t> stack() {
    return has_room_for(walk_.open().depth()) ? walk_.open().addresses() : std::vector<std::uint64_t>{};
  }
  StackSnapshot here() {
    StackSnapshot snapshot{.stack = stack()};
    if (!snapshot.stack.empty()) snapshot.entry_offset = walk_.open().calls().back().data.entry_offset;
    return snapshot;
  }

  std::span<const std::uint64_t> times_ns_;
  fxt::Budget stacks_;
  Walk walk_;
  ForkFunctions functions_;

  ForkScanResult found_;
  std::uint64_t plain_until_ns_ = 0;
  std::optional<std::size_t> fork_depth_;
  bool is_in_new_fork_ = false;  // true if the latest record is the entry of the open forking call
  struct Late {
    std::uint64_t time_ns;
    StackSnapshot before;
  };
  std::optional<Late> late_;
};

}  // namespace

ForkScanResult scan_forks(const WalkedThread& thread, Symbolizer& symbolizer,
                          std::span<const std::uint64_t> times_ns, const std::set<CallKey>& first_exits,
                          ForkKinds& kinds) {
  return ForkScan(thread, symbolizer, times_ns, first_exits, kinds).run();
}

RecordHead read_head(const fxt::FilePlace& place, const ThreadFacts& facts) {
  const InputFile file(place);
  const ScannedCalls<> nothing_open;
  RecordCursor cursor(file, facts, nothing_open);
  std::array<std::byte, RecordCursor::kMinBlock> block;
  RecordHead head;
  const auto is_never_plain = [](const auto&, std::uint64_t) { return std::size_t{0}; };
  while (!head.first_ns && !cursor.is_done() && cursor.offset() - facts.part.begin < kHeadBytes) {
    cursor.read(block);
    while (const auto item = cursor.next({.plain_until_ns = 0}, is_never_plain)) {
      const bool is_call = item->what == RecordItem::What::Call;
      if (!head.first_ns && (is_call || item->what == RecordItem::What::Event))
        head.first_ns = item->call.time_ns;
      if (!is_call) continue;
      head.first_call = item->call;
      head.first_call_offset = item->begin;
      break;
    }
  }
  return head;
}

}  // namespace convert::uftrace
