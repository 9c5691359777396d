#include "converters/uftrace/records/mark_scan.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>

#include "converters/uftrace/records/call_walk.h"
#include "converters/uftrace/symbols/task_symbols.h"

namespace convert::uftrace {
namespace {

class MarkScan {
 public:
  MarkScan(const std::string& path, const ThreadFacts& facts, const Task& task, Symbolizer& symbolizer,
           PayloadDecoder* payloads, std::vector<std::uint64_t> inherited,
           std::span<const MarkWindow> windows)
      : windows_(windows),
        walk_(path, facts, payloads, std::move(inherited)),
        symbols_(symbolizer, task),
        places_(windows.size()) {}

  std::vector<MarkPosition> run() {
    walk_.run(*this);
    // Calls that are still open end with the last record.
    if (has_begun_) look(walk_.seen_ns() + 1);
    return std::move(places_);
  }

  // ---- As CallWalk asks ----

  bool is_over() const { return next_ == windows_.size() && active_.empty(); }
  std::uint64_t plain_until_ns() const {
    if (!has_begun_ || !active_.empty()) return 0;
    return next_ == windows_.size() ? RecordCursor::Limits::kNever : windows_[next_].first_ns + 1;
  }
  static bool may_pass(const CallRecord&) { return true; }
  static void passed(const CallRecord&, std::uint64_t) {}
  void see(const RecordItem& item) {
    const std::uint64_t time_ns = std::max(item.call.time_ns, walk_.seen_ns());
    look(time_ns);
    std::erase_if(active_, [&](std::size_t i) { return windows_[i].last_ns < time_ns; });
    has_begun_ = true;
  }
  static void taken(const RecordItem&) {}

 private:
  // The function of a call, and where its table's offsets count from.
  struct Function {
    const SymbolTable* table = nullptr;
    const Symbol* symbol = nullptr;
    std::uint64_t base = 0;

    bool holds(std::uint64_t address) const {
      return symbol != nullptr && address >= base && table->find_function(address - base) == symbol;
    }
  };

  // The calls that are open now are so from the latest record until `time_ns`. Before the first one there are
  // none.
  void look(std::uint64_t time_ns) {
    for (; next_ < windows_.size() && windows_[next_].first_ns < time_ns; ++next_) active_.push_back(next_);
    if (!has_begun_) return;
    for (const std::size_t i : active_) look(windows_[i], places_[i]);
  }

  void look(const MarkWindow& window, MarkPosition& place) {
    if (place.in == MarkPosition::In::InnermostCall) return;
    const std::uint64_t latest_ns = walk_.seen_ns();
    const std::uint64_t time_ns = std::max(window.first_ns, latest_ns);
    if (window.last_ns < latest_ns) return;
    const auto& open = walk_.open().addresses();
    const auto call = std::find_if(open.rbegin(), open.rend(), [&](std::uint64_t address) {
      return function_at(address, time_ns).holds(window.address);
    });
    if (call == open.rend()) return;
    const bool is_innermost = call == open.rbegin();
    if (!is_innermost && place.in == MarkPosition::In::OpenCall) return;
    place = {.in = is_innermost ? MarkPosition::In::InnermostCall : MarkPosition::In::OpenCall,
             .since_ns = time_ns - latest_ns};
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
  CallWalk walk_;
  TaskSymbols symbols_;
  std::vector<MarkPosition> places_;
  std::size_t next_ = 0;                                   // the first window that has not begun
  std::vector<std::size_t> active_;                        // that have, and are not over
  bool has_begun_ = false;                                 // there was a record
  std::unordered_map<std::uint64_t, Function> functions_;  // by address of a call, by these symbols
};

}  // namespace

std::vector<MarkPosition> scan_marks(const std::string& path, const ThreadFacts& facts, const Task& task,
                                     Symbolizer& symbolizer, PayloadDecoder* payloads,
                                     std::vector<std::uint64_t> inherited,
                                     std::span<const MarkWindow> windows) {
  return MarkScan(path, facts, task, symbolizer, payloads, std::move(inherited), windows).run();
}

}  // namespace convert::uftrace
