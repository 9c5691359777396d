#include "converters/uftrace/records/record_index.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "converters/model/reading/input_error.h"

namespace convert::uftrace {
namespace {

constexpr std::uint64_t kIndexMagic = 0x3130'5844'4e49'5846;  // "FXINDX01"
constexpr std::uint64_t kMaxIndexBytes = std::uint64_t{256} << 20;
// No mark is made if the entries of the open calls have more bytes than this.
constexpr std::uint64_t kMaxOpenBytes = std::uint64_t{1} << 20;

std::uint64_t ns_of(const timespec& time) {
  constexpr std::uint64_t kSecondNs = 1'000'000'000;
  return static_cast<std::uint64_t>(time.tv_sec) * kSecondNs + static_cast<std::uint64_t>(time.tv_nsec);
}

FileIdentity identity_of_status(const struct stat& status) {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .modified_ns = ns_of(status.st_mtim),
          .changed_ns = ns_of(status.st_ctim)};
}

// Collects the marks of a thread, as the watcher of a CallWalk.
class IndexScan {
 public:
  IndexScan(const WalkedThread& thread, ThreadIndex& index, std::uint64_t step_bytes)
      : walk_(thread),
        index_(index),
        step_bytes_(step_bytes),
        next_offset_(thread.facts.part.begin + step_bytes) {}

  void run() {
    walk_.run(*this);
    if (!walk_.shift().is_none()) index_.marks.clear();
  }

  // ---- For CallWalk ----

  bool is_done() const { return is_over_; }
  static std::uint64_t plain_until_ns() { return kForever; }
  static bool may_skip(const CallRecord& /*call*/) { return true; }
  void skipped(const CallRecord& call, std::uint64_t offset) { add(call, offset, offset + kRecordSize); }
  void before_call(const RecordItem& item) {
    is_over_ |= !walk_.open().fits(item.call) || item.call.time_ns < last_ns_ || item.has_two_writers ||
                item.is_final_exit || (item.has_payload && item.layout == nullptr);
  }
  void after_call(const RecordItem& item) {
    is_over_ |= item.what != RecordItem::What::Call;
    if (!is_over_) add(item.call, item.begin, item.end);
  }
  void other_record(const RecordItem& /*item*/) { is_over_ = true; }

 private:
  void add(const CallRecord& call, std::uint64_t begin, std::uint64_t end) {
    if (call.is_entry()) walk_.open().calls().back().data = {.offset = begin, .bytes = end - begin};
    last_ns_ = call.time_ns;
    if (end >= next_offset_) mark(end);
  }
  void mark(std::uint64_t offset) {
    next_offset_ = offset + step_bytes_;
    IndexMark mark{.offset = offset, .time_ns = last_ns_};
    std::uint64_t open_bytes = 0;
    for (const auto& call : walk_.open().calls()) {
      mark.open.push_back(call.data);
      open_bytes += call.data.bytes;
    }
    if (open_bytes <= kMaxOpenBytes) index_.marks.push_back(std::move(mark));
  }

  CallWalk<IndexedEntry> walk_;
  ThreadIndex& index_;
  std::uint64_t step_bytes_, next_offset_;
  std::uint64_t last_ns_ = 0;
  bool is_over_ = false;
};

std::uint64_t index_checksum(std::span<const std::uint64_t> words) {
  constexpr std::uint64_t kFnvBasis = 0xcbf2'9ce4'8422'2325, kFnvPrime = 0x100'0000'01b3;
  std::uint64_t sum = kFnvBasis;
  for (const std::uint64_t word : words) {
    sum = (sum ^ word) * kFnvPrime;
    sum ^= sum >> 32;
  }
  return sum;
}

// Reads the words of an index. After the last word, next() returns 0, and is_damaged() becomes true.
class IndexWords {
 public:
  explicit IndexWords(std::span<const std::uint64_t> words) : words_(words) {}
  std::uint64_t next() {
    if (words_.empty()) {
      is_damaged_ = true;
      return 0;
    }
    const std::uint64_t word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  // Reads the number of threads, marks or entries that follow. Each of them has at least one word. Therefore,
  // if this number is greater than the number of remaining words, the index is damaged.
  std::size_t count() {
    const std::uint64_t count = next();
    is_damaged_ |= count > words_.size();
    return is_damaged_ ? 0 : static_cast<std::size_t>(count);
  }
  FileIdentity identity() {
    FileIdentity identity;
    for (std::uint64_t* const word :
         {&identity.device, &identity.inode, &identity.size, &identity.modified_ns, &identity.changed_ns})
      *word = next();
    return identity;
  }
  bool is_damaged() const { return is_damaged_; }
  bool is_at_end() const { return words_.empty(); }

 private:
  std::span<const std::uint64_t> words_;
  bool is_damaged_ = false;
};

}  // namespace

FileIdentity identity_of(const fxt::FilePlace& place) {
  const auto opened = place.open();
  struct stat status {};
  if (!opened.descriptor.is_open() || ::fstat(opened.descriptor.number(), &status) != 0) return {};
  return identity_of_status(status);
}

FileIdentity identity_of_directory(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? identity_of_status(status) : FileIdentity{};
}

const IndexMark* ThreadIndex::before(std::uint64_t time_ns) const {
  const auto after = std::ranges::lower_bound(marks, time_ns, {}, &IndexMark::time_ns);
  return after == marks.begin() ? nullptr : &*std::prev(after);
}

std::optional<std::vector<std::byte>> records_of(const IndexMark& mark, const InputFile& file,
                                                 const ThreadFacts& facts) {
  std::vector<std::byte> records;
  std::uint64_t earliest_offset = facts.part.begin, last_ns = 0;
  for (const IndexedEntry& entry : mark.open) {
    const bool is_inside = entry.offset >= earliest_offset && entry.offset <= mark.offset &&
                           entry.bytes >= kRecordSize && entry.bytes <= mark.offset - entry.offset;
    if (!is_inside || records.size() + entry.bytes > kMaxOpenBytes) return std::nullopt;
    earliest_offset = entry.offset + entry.bytes;
    const std::size_t at = records.size();
    records.resize(at + entry.bytes);
    const auto read = file.read_available(entry.offset, std::span(records).subspan(at));
    if (read.size() != entry.bytes) return std::nullopt;
    const Record record = load_record(read.data(), facts.order);
    const auto depth = static_cast<std::uint64_t>(&entry - mark.open.data());
    if (!record.has_magic() || record.type() != RecordType::Entry || record.time_ns < last_ns ||
        record.time_ns > mark.time_ns || record.depth() != depth % kDepthModulus ||
        record.has_payload() != (entry.bytes != kRecordSize))
      return std::nullopt;
    last_ns = record.time_ns;
  }
  return records;
}

ThreadIndex index_of(const WalkedThread& thread, std::uint64_t step_bytes) {
  ThreadIndex index{.tid = number_of(thread.task.tid),
                    .file = identity_of(thread.place),
                    .part_begin = thread.facts.part.begin};
  // Some threads have no marks. For example, if a thread was forked inside calls, its file lacks the entries
  // of these calls.
  if (!thread.inherited.empty() || thread.facts.has_estimated_exits || thread.facts.is_growing) return index;
  IndexScan(thread, index, step_bytes).run();
  return index;
}

const ThreadIndex* RecordIndex::find(std::uint64_t tid) const {
  const auto found = std::ranges::find(threads, tid, &ThreadIndex::tid);
  return found == threads.end() ? nullptr : &*found;
}

std::vector<std::byte> RecordIndex::bytes() const {
  std::vector<std::uint64_t> words{kIndexMagic, step_bytes};
  const auto add = [&words](const FileIdentity& file) {
    words.insert(words.end(), {file.device, file.inode, file.size, file.modified_ns, file.changed_ns});
  };
  add(info);
  words.push_back(threads.size());
  for (const ThreadIndex& thread : threads) {
    words.push_back(thread.tid);
    add(thread.file);
    words.insert(words.end(), {thread.part_begin, thread.marks.size()});
    for (const IndexMark& mark : thread.marks) {
      words.insert(words.end(), {mark.offset, mark.time_ns, mark.open.size()});
      for (const IndexedEntry& entry : mark.open) words.insert(words.end(), {entry.offset, entry.bytes});
    }
  }
  words.push_back(index_checksum(words));
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

std::optional<RecordIndex> RecordIndex::parse(std::span<const std::byte> bytes) {
  if (bytes.size() % sizeof(std::uint64_t) != 0 || bytes.size() < 3 * sizeof(std::uint64_t))
    return std::nullopt;
  std::vector<std::uint64_t> all(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  const auto content = std::span<const std::uint64_t>(all).first(all.size() - 1);
  if (index_checksum(content) != all.back()) return std::nullopt;
  IndexWords words(content);
  if (words.next() != kIndexMagic) return std::nullopt;
  RecordIndex index{.step_bytes = words.next(), .info = words.identity()};
  index.threads.resize(words.count());
  for (ThreadIndex& thread : index.threads) {
    thread.tid = words.next();
    thread.file = words.identity();
    thread.part_begin = words.next();
    thread.marks.resize(words.count());
    for (IndexMark& mark : thread.marks) {
      mark.offset = words.next();
      mark.time_ns = words.next();
      mark.open.resize(words.count());
      for (IndexedEntry& entry : mark.open) entry = {.offset = words.next(), .bytes = words.next()};
    }
    if (!std::ranges::is_sorted(thread.marks, {}, &IndexMark::time_ns)) return std::nullopt;
    if (words.is_damaged()) return std::nullopt;
  }
  return words.is_damaged() || !words.is_at_end() ? std::nullopt : std::optional(std::move(index));
}

std::string index_name_of(const FileIdentity& directory) {
  return fmt::format("{:x}-{:x}.index", directory.device, directory.inode);
}

std::optional<RecordIndex> read_index(const std::filesystem::path& file, Notes& notes) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  std::string problem = "is damaged";
  try {
    const InputFile input{fxt::FilePlace(file)};
    std::vector<std::byte> bytes(input.size() <= kMaxIndexBytes ? input.size() : 0);
    if (auto index = RecordIndex::parse(input.read(0, bytes))) return index;
  } catch (const InputError& failure) {
    problem = failure.what();
  }
  notes.add(kIndexIgnored, Location::file(file.native()), problem);
  return std::nullopt;
}

void write_index(const RecordIndex& index, const std::filesystem::path& file, Notes& notes) {
  const std::vector<std::byte> bytes = index.bytes();
  std::filesystem::path part = file;
  part += fmt::format(".{}", ::getpid());
  std::ofstream output(part, std::ios::binary | std::ios::trunc);
  output.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  output.close();
  std::error_code error;
  if (output) std::filesystem::rename(part, file, error);
  if (output && !error) return;
  const std::string reason = error ? error.message() : std::strerror(errno);
  std::filesystem::remove(part, error);
  notes.add(kIndexIgnored, Location::file(file.native()), fmt::format("can't be written: {}", reason));
}

}  // namespace convert::uftrace
