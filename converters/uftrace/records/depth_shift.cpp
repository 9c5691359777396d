#include "converters/uftrace/records/depth_shift.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "converters/uftrace/records/records.h"

namespace convert::uftrace {
namespace {

// The stack of a thread if its exits lack `shift`, and how many of them were right.
class Trial {
 public:
  explicit Trial(std::size_t shift) : shift_(shift) {}

  void take(const Record& record) {
    const bool is_entry = record.type() == RecordType::Entry;
    const std::size_t depth = record.depth() + (is_entry ? 0 : shift_);
    if (!is_entry && !open_.empty() && open_.back().depth == depth &&
        open_.back().address == record.address())
      ++right_;
    while (!open_.empty() && open_.back().depth >= depth) open_.pop_back();
    if (is_entry) open_.push_back({depth, record.address()});
  }
  std::size_t right() const { return right_; }

 private:
  struct Call {
    std::size_t depth;
    std::uint64_t address;
  };
  std::size_t shift_;
  std::vector<Call> open_;
  std::size_t right_ = 0;
};

}  // namespace

DepthShift find_depth_shift(std::span<const std::byte> head, std::endian order) {
  Trial as_entered(0), as_callers(1);
  std::size_t lowest = kDepthModulus;
  for (; head.size() >= kRecordSize; head = head.subspan(kRecordSize)) {
    const Record record = load_record(head.data(), order);
    if ((record.word & kPlainMask) != kPlainPattern) break;  // the plugin writes nothing else
    as_entered.take(record);
    as_callers.take(record);
    if (record.type() == RecordType::Entry) lowest = std::min(lowest, record.depth());
  }
  if (as_callers.right() <= as_entered.right()) return {};
  return lowest == 0 ? DepthShift{.entry = 0, .exit = 1} : DepthShift{.entry = 1, .exit = 0};
}

}  // namespace convert::uftrace
