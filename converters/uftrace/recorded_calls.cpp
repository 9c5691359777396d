// Finds the calls that were open in a recording when another recorder, such as GDB, collected hits in the
// same process.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "converters/model/reading/input_error.h"
#include "converters/uftrace/recording_import.h"
#include "converters/uftrace/records/call_walk.h"
#include "converters/uftrace/symbols/task_symbols.h"
#include "fxt/hash.h"

namespace convert::uftrace {
namespace {

// Finds the position of each hit in the calls of a thread, in one pass over the records. `windows` has the
// range of time in which each hit may have happened, sorted by start. The pass ends after the last window.
class MarkScan {
 public:
  MarkScan(const WalkedThread& thread, Symbolizer& symbolizer, std::span<const MarkWindow> windows)
      : windows_(windows), walk_(thread), symbols_(symbolizer, thread.task), positions_(windows.size()) {}

  std::vector<MarkPosition> run() {
    walk_.run(*this);
    // Calls without an exit end at the last record.
    if (has_begun_) look(walk_.seen_ns() + 1);
    return std::move(positions_);
  }

  // ---- For CallWalk ----

  bool is_done() const { return next_ == windows_.size() && active_.empty(); }
  std::uint64_t plain_until_ns() const {
    if (!has_begun_ || !active_.empty()) return 0;
    return next_ == windows_.size() ? kForever : windows_[next_].first_ns + 1;
  }
  static bool may_skip(const CallRecord&) { return true; }
  static void skipped(const CallRecord&, std::uint64_t) {}
  void before_call(const RecordItem& item) {
    const std::uint64_t time_ns = std::max(item.call.time_ns, walk_.seen_ns());
    look(time_ns);
    if (item.call.type == RecordType::Entry)
      for (const std::size_t i : active_) look_ahead(windows_[i], item.call.address, time_ns, positions_[i]);
    std::erase_if(active_, [&](std::size_t i) { return windows_[i].last_ns < time_ns; });
    has_begun_ = true;
  }
  static void after_call(const RecordItem&) {}

 private:
  // The function of a call, and the base address of the function's module.
  struct Function {
    const SymbolTable* table = nullptr;
    const Symbol* symbol = nullptr;
    std::uint64_t base = 0;

    bool holds(std::uint64_t address) const {
      return symbol != nullptr && address >= base && table->find_function(address - base) == symbol;
    }
  };

  // Looks for the hits in the calls that are open from the latest record to `time_ns`. Only hits whose window
  // begins before `time_ns` are searched. No call is open before the first record.
  void look(std::uint64_t time_ns) {
    for (; next_ < windows_.size() && windows_[next_].first_ns < time_ns; ++next_) active_.push_back(next_);
    if (!has_begun_) return;
    for (const std::size_t i : active_) look(windows_[i], positions_[i]);
  }

  void look(const MarkWindow& window, MarkPosition& position) {
    if (position.in == MarkPosition::In::InnermostCall) return;
    const std::uint64_t latest_ns = walk_.seen_ns();
    const std::uint64_t time_ns = std::max(window.first_ns, latest_ns);
    if (window.last_ns < latest_ns) return;
    const auto open = walk_.open().calls();
    const auto call = std::find_if(open.rbegin(), open.rend(), [&](const CallWalk<>::Call& around) {
      return function_at(around.address, time_ns).holds(window.address);
    });
    if (call == open.rend()) return;
    const bool is_innermost = call == open.rbegin();
    if (!is_innermost && position.in == MarkPosition::In::OpenCall) return;
    position = {.in = is_innermost ? MarkPosition::In::InnermostCall : MarkPosition::In::OpenCall,
                .since_ns = time_ns - latest_ns};
  }

  // A hit in the first instructions of a function is earlier than the entry of the call. Such a hit belongs
  // to the next entry.
  void look_ahead(const MarkWindow& window, std::uint64_t entered, std::uint64_t time_ns,
                  MarkPosition& position) {
    if (position.in == MarkPosition::In::InnermostCall || window.address > entered) return;
    if (function_at(entered, time_ns).holds(window.address))
      position = {.in = MarkPosition::In::InnermostCall, .since_ns = time_ns - window.first_ns};
  }

  const Function& function_at(std::uint64_t address, std::uint64_t time_ns) {
    if (symbols_.move_to(time_ns)) functions_.clear();
    const auto [found, is_new] = functions_.try_emplace(address);
    if (is_new) {
      const SymbolAt at = symbols_.at(address);
      if (at.image != nullptr)
        found->second = {.table = at.image->symbols, .symbol = at.symbol, .base = at.image->base};
    }
    return found->second;
  }

  std::span<const MarkWindow> windows_;
  CallWalk<> walk_;
  TaskSymbols symbols_;
  std::vector<MarkPosition> positions_;
  std::size_t next_ = 0;             // the first window that has not begun
  std::vector<std::size_t> active_;  // windows that have begun and not ended
  bool has_begun_ = false;
  // The functions for the current symbols. The key is the address in the record of a call.
  fxt::SeededMap<std::uint64_t, Function> functions_;
};

class RecordedCalls : public CallHistory {
 public:
  RecordedCalls(RecordingImport& recording, std::vector<ThreadOfLane> threads)
      : recording_(recording), threads_(std::move(threads)) {}

  std::vector<const Lane*> lanes() const override {
    std::vector<const Lane*> lanes;
    for (const ThreadOfLane& thread : threads_) lanes.push_back(thread.lane);
    return lanes;
  }
  bool records_ends() const override { return !recording_.has_estimated_exits(); }
  // If a file can't be read, returns nothing, because the source of the thread reports the problem.
  std::vector<MarkPosition> positions(const Lane& lane, std::span<const MarkWindow> windows) override {
    const auto thread = std::ranges::find(threads_, &lane, &ThreadOfLane::lane);
    try {
      return MarkScan(thread->plan->walked(), recording_.symbolizer, windows).run();
    } catch (const InputError&) {
      return {};
    }
  }

 private:
  RecordingImport& recording_;
  std::vector<ThreadOfLane> threads_;
};

}  // namespace

std::unique_ptr<CallHistory> make_call_history(RecordingImport& recording,
                                               std::vector<ThreadOfLane> threads) {
  return std::make_unique<RecordedCalls>(recording, std::move(threads));
}

}  // namespace convert::uftrace
