#include "converters/uftrace/records/fork_scan.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "converters/model/event.h"
#include "converters/uftrace/records/record_file.h"
#include "converters/uftrace/records/records.h"
#include "converters/uftrace/records/resync.h"

namespace convert::uftrace {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;
constexpr std::size_t kLookahead = kMaxPayload + 4 * kRecordSize;

class ForkScan {
 public:
  ForkScan(const std::string& path, std::endian order, std::vector<std::uint64_t> inherited,
           const std::vector<ForkQuery>& queries, const std::function<bool(std::uint64_t)>& is_code)
      : file_(path, true), order_(order), queries_(queries), is_code_(is_code), open_(std::move(inherited)) {
    for (const ForkQuery& query : queries)
      if (query.first_exit) left_from_.try_emplace({query.first_exit->depth, query.first_exit->address});
  }

  std::vector<ForkAnswer> run() {
    std::vector<std::byte> block(kBlock);
    std::uint64_t offset = 0;
    while (!is_done() && offset < file_.size()) {
      const auto bytes = file_.read(offset, block);
      const std::size_t taken = walk(bytes, offset, offset + bytes.size() == file_.size());
      if (taken == 0) break;
      offset += taken;
    }
    while (!is_done()) answer();
    return std::move(answers_);
  }

 private:
  bool is_done() const { return answers_.size() == queries_.size(); }

  std::size_t walk(std::span<const std::byte> bytes, std::uint64_t offset, bool at_end) {
    std::size_t at = 0;
    while (bytes.size() - at >= (at_end ? kRecordSize : kLookahead) && !is_done()) {
      const auto rest = bytes.subspan(at);
      const Record record = load_record(rest.data(), order_);
      std::size_t size = kRecordSize;
      if (!record.has_magic()) {
        size = find_behind_damage(rest, order_, expectation()).value_or(rest.size() & ~std::size_t{7});
        if (size == 0) break;
      } else if (record.type() == RecordType::Entry || record.type() == RecordType::Exit) {
        take(record, offset + at);
        if (record.has_payload())
          size += find_behind_payload(rest.subspan(kRecordSize), order_, at_end, expectation()).value_or(0);
      } else if (record.has_payload()) {
        size += find_behind_payload(rest.subspan(kRecordSize), order_, at_end, expectation()).value_or(0);
      }
      at += size;
    }
    return at;
  }

  void take(const Record& record, std::uint64_t offset) {
    time_ns_ = record.time_ns;
    while (!is_done() && record.time_ns > queries_[answers_.size()].fork_ns) answer();
    const std::size_t depth = record.depth();
    open_.resize(record.type() == RecordType::Entry ? depth : depth + 1);
    if (record.type() == RecordType::Exit) {
      open_.pop_back();
      return;
    }
    open_.push_back(record.address());
    latest_entry_ = offset;
    latest_depth_ = depth;
    if (const auto forking = left_from_.find({depth, record.address()}); forking != left_from_.end())
      forking->second = {open_, time_ns_};
  }

  void answer() {
    static const LeftFrom kNever;
    const auto& exit = queries_[answers_.size()].first_exit;
    const LeftFrom& left_from = exit ? left_from_.at({exit->depth, exit->address}) : kNever;
    answers_.push_back({.open_addresses = left_from.entered_ns == 0 ? open_ : left_from.open_addresses,
                        .left_from_ns = left_from.entered_ns,
                        .entry_offset = latest_entry_,
                        .entry_depth = latest_depth_});
  }

  Expectation expectation() const {
    return {.time_ns = time_ns_,
            .depth = open_.size(),
            .top_address = open_.empty() ? 0 : open_.back(),
            .is_code = is_code_};
  }

  RecordFile file_;
  std::endian order_;
  const std::vector<ForkQuery>& queries_;
  const std::function<bool(std::uint64_t)>& is_code_;
  std::vector<std::uint64_t> open_;
  // The open calls when the forking call was last entered; by its depth and address, which most forks share.
  struct LeftFrom {
    std::vector<std::uint64_t> open_addresses;
    std::uint64_t entered_ns = 0;
  };
  std::map<std::pair<std::size_t, std::uint64_t>, LeftFrom> left_from_;
  std::uint64_t time_ns_ = 0;
  std::optional<std::uint64_t> latest_entry_;
  std::size_t latest_depth_ = 0;
  std::vector<ForkAnswer> answers_;
};

}  // namespace

std::vector<ForkAnswer> scan_forks(const std::string& path, std::endian order,
                                   std::vector<std::uint64_t> inherited,
                                   const std::vector<ForkQuery>& queries,
                                   const std::function<bool(std::uint64_t address)>& is_code) {
  return ForkScan(path, order, std::move(inherited), queries, is_code).run();
}

bool shows_a_call(const std::string& path, std::endian order) {
  const RecordFile file(path, true);
  std::array<std::byte, kLookahead> head;
  const auto bytes = file.read(0, head);
  for (std::size_t at = 0; at + kRecordSize <= bytes.size(); at += sizeof(std::uint64_t)) {
    const Record record = load_record(bytes.data() + at, order);
    const bool is_call = record.type() == RecordType::Entry || record.type() == RecordType::Exit;
    if (record.has_magic() && is_call && record.time_ns != 0 && record.time_ns < kTimeLimitNs) return true;
  }
  return false;
}

std::optional<ForkQuery::FirstExit> first_exit_of(const std::string& path, std::endian order) {
  const RecordFile file(path, true);
  std::array<std::byte, kRecordSize> head;
  const auto bytes = file.read(0, head);
  if (bytes.size() < kRecordSize) return std::nullopt;
  const Record record = load_record(bytes.data(), order);
  if (!record.has_magic() || record.type() != RecordType::Exit) return std::nullopt;
  return ForkQuery::FirstExit{.depth = record.depth(), .address = record.address()};
}

}  // namespace convert::uftrace
