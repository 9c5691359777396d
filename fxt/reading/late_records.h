// A late record comes after records with later times. Late records are kept, sorted by time, and decoded
// again with the strings, threads and tick rate that they had. Internal to the OrderedReader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/field.h"
#include "fxt/hash.h"
#include "fxt/reader.h"
#include "fxt/reading/tables.h"
#include "fxt/reading/temporary_file.h"
#include "fxt/value.h"

namespace fxt {

struct KeptHeader {
  using Words = Field<0, 11>;  // number of words; large records are never kept
  using Uses = Field<12, 18>;  // number of definitions that the record needs
  using Reset = Field<19>;     // the record refers to an index that was never registered
  using Lasts = Field<20>;     // a complete event with a length above 0
  using Reserved = Field<21, 31>;
  using Track = Field<32, 63>;  // for complete events: the number of the thread
};
static_assert(kTilesWord<KeptHeader::Words, KeptHeader::Uses, KeptHeader::Reset, KeptHeader::Lasts,
                         KeptHeader::Reserved, KeptHeader::Track>);

// A kept record. Its words are: header, time in ns, offset in the file, numbers of the provider and of the
// definitions (two in a word), words of the record.
class KeptRecord {
 public:
  KeptRecord() = default;
  explicit KeptRecord(std::span<const std::uint64_t> words) : words_(words) {}

  std::uint64_t ns() const { return words_[1]; }
  std::uint64_t offset() const { return words_[2]; }
  bool lasts() const { return KeptHeader::Lasts::get(words_[0]) != 0; }
  bool needs_reset() const { return KeptHeader::Reset::get(words_[0]) != 0; }
  std::uint32_t track() const { return static_cast<std::uint32_t>(KeptHeader::Track::get(words_[0])); }
  std::uint64_t end() const { return words_.back(); }  // end time in ticks, if KeptHeader::Lasts
  std::uint32_t provider() const { return number(0); }
  std::size_t uses() const { return static_cast<std::size_t>(KeptHeader::Uses::get(words_[0])); }
  std::uint32_t use(std::size_t i) const { return number(1 + i); }
  std::span<const std::uint64_t> record() const { return words_.subspan(kNumbers + number_words(words_[0])); }
  std::span<const std::uint64_t> words() const { return words_; }

  static std::size_t size_of(std::uint64_t header) {
    return kNumbers + number_words(header) + static_cast<std::size_t>(KeptHeader::Words::get(header));
  }

  using Low = Field<0, 31>;
  using High = Field<32, 63>;

 private:
  static constexpr std::size_t kNumbers = 3;  // index of the first word with numbers
  static std::size_t number_words(std::uint64_t header) {
    return static_cast<std::size_t>(KeptHeader::Uses::get(header)) / 2 + 1;
  }
  std::uint32_t number(std::size_t i) const {
    const std::uint64_t word = words_[kNumbers + i / 2];
    return static_cast<std::uint32_t>(i % 2 == 0 ? Low::get(word) : High::get(word));
  }

  std::span<const std::uint64_t> words_;
};

// Kept records, stably sorted by time: in memory up to a limit, then in sorted runs in a temporary file. A
// second thread sorts and writes a batch while the next batch is filled. Later, this thread merges the next
// block from the runs while a block is read.
class SortedRecords {
 public:
  explicit SortedRecords(std::size_t memory_bytes)
      : batch_words_(memory_bytes / kBatches / sizeof(std::uint64_t)) {}

  // Adds a kept record in two parts: the header words (`head`) and the words of the record itself. Throws if
  // the temporary file can't be written. The failed write may belong to a record that was added earlier.
  void add(std::span<const std::uint64_t> head, std::span<const std::uint64_t> record);
  // Must be called once, after the last add(). Throws like add().
  void finish();

  // The first of the remaining records; null at the end. Invalidates the records that were taken before.
  // Throws if the temporary file can't be read.
  const KeptRecord* front();
  // Takes the first record and other records with the same time, or only some of them if there are very many.
  std::span<KeptRecord> take_group();

 private:
  static constexpr std::size_t kBatches = 2;
  struct Place {
    std::uint64_t ns;
    std::size_t at;  // offset in the words of the batch
  };
  struct Batch {
    std::vector<std::uint64_t> words = {};
    std::vector<Place> places = {};

    void sort();
  };
  // A sequence of sorted records.
  struct Block {
    std::vector<std::uint64_t> words = {};
    std::vector<KeptRecord> records = {};
  };
  // A sorted run. The last run is in memory only. The other runs are in the file, and a part of each of them
  // is also in memory.
  struct Run {
    std::uint64_t next = 0, end = 0;  // begin and end of the run's unread bytes in the file
    std::vector<std::uint64_t> buffer = {};
    std::size_t at = 0, filled = 0;  // in words of the buffer
    std::size_t place = 0;           // for the run in memory: index of its next record in Batch::places
    bool is_in_memory = false;
    KeptRecord front = {};
  };
  // The time of a run's first remaining record. Runs are numbered in the order of the file.
  struct Front {
    std::uint64_t ns;
    std::size_t run;
    friend auto operator<=>(const Front&, const Front&) = default;
  };

  void spill();
  void write(Batch& batch);
  void merge(Block& block);
  void merge_on();
  bool advance(Run& run);
  bool fill(Run& run, std::size_t words);
  // Starts `work` in another thread; work_.get() waits for it. If no thread can be started, get() does the
  // work.
  void start(std::function<void()> work);

  std::size_t batch_words_;
  Batch filling_, writing_;
  TemporaryFile file_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spilled_;  // begin and end of each run in the file
  std::size_t buffer_words_ = 0;
  std::vector<Run> runs_;
  std::vector<Front> order_;  // a heap of the runs with remaining records; the earliest is in front
  Block block_, next_block_;
  std::size_t at_ = 0;      // index in the records of block_
  std::future<void> work_;  // the destructor waits for this work before other members are destroyed
};

// The place of a definition in the tables of a provider: the kind, and the index in its table.
enum class DefinitionKind : std::uint8_t { Info, Rate, String, Thread };
struct DefinitionPlace {
  DefinitionKind kind = DefinitionKind::String;
  std::uint16_t index = 1;
};

// The definition that is valid at each place in the tables of one provider. Definitions have numbers from 1.
class DefinitionTable {
 public:
  // Returns 0 if the place has no definition.
  std::uint32_t find(DefinitionPlace place) const {
    if (place.kind == DefinitionKind::Info) return info_;
    if (place.kind == DefinitionKind::Rate) return rate_;
    const std::uint32_t* const number = indexed(place.kind).find(place.index);
    return number == nullptr ? 0 : *number;
  }
  std::uint32_t& entry(DefinitionPlace place) {
    if (place.kind == DefinitionKind::Info) return info_;
    if (place.kind == DefinitionKind::Rate) return rate_;
    bool is_new = false;
    return (place.kind == DefinitionKind::String ? strings_ : threads_).entry(place.index, is_new);
  }

 private:
  const IndexTable<std::uint32_t>& indexed(DefinitionKind kind) const {
    return kind == DefinitionKind::String ? strings_ : threads_;
  }

  std::uint32_t info_ = 0, rate_ = 0;
  IndexTable<std::uint32_t> strings_, threads_;
};

// The definitions with which kept records are decoded again: strings and threads by index, tick rates, and
// providers.
class Definitions {
 public:
  // Must be called with each record of the file, in the order of the file.
  void add(const Entry& entry, const Reader& reader);
  // Appends the definitions that the record needs. Returns false if the record refers to an index that was
  // never registered.
  bool append_uses(const Record& record, const Reader& reader, std::vector<std::uint32_t>& uses);

  // The record that made definition `number`, and the place in the tables that this record defines.
  std::span<const std::uint64_t> record_of(std::uint32_t number) const { return all_[number - 1].record; }
  DefinitionPlace place_of(std::uint32_t number) const { return places_[number - 1]; }

 private:
  struct Definition {
    std::vector<std::uint64_t> record = {};
    bool is_used = false;
  };

  static std::string_view content_of(std::span<const std::uint64_t> record) {
    return {reinterpret_cast<const char*>(record.data()), record.size_bytes()};
  }
  void define(DefinitionTable& table, DefinitionPlace place, std::span<const std::uint64_t> record);
  void mark_used(std::uint32_t& number);
  DefinitionTable& table_of(const Reader& reader);

  // An entry that no kept record uses is overwritten by the next definition at its place.
  std::vector<Definition> all_;
  std::vector<DefinitionPlace> places_;
  // The key is the content of the record, so that repeated definitions are stored only once.
  SeededMap<std::string_view, std::uint32_t> used_;
  std::map<std::uint32_t, DefinitionTable> tables_;  // by provider
  DefinitionTable* latest_ = nullptr;
  std::uint32_t latest_provider_ = 0;
};

// Decodes kept records in any order, each with the definitions that it needs.
class FXT_INTERNAL KeptRecordReader {
 public:
  explicit KeptRecordReader(const Definitions& definitions);

  // The result is valid until the next call. `is_swapped` is Reader::other_byte_order() of the file.
  const Entry& read(const KeptRecord& kept, bool is_swapped);
  const Reader& reader() const { return reader_; }

 private:
  void enter(const KeptRecord& kept);
  void define(std::uint32_t number);
  void decode(std::span<const std::uint64_t> words);

  const Definitions* definitions_;
  Reader reader_;
  std::map<std::uint32_t, DefinitionTable> defined_;  // by provider: the current definitions of its tables
  DefinitionTable* current_ = nullptr;
  bool is_swapped_ = false;
  std::vector<std::uint64_t> swapped_;  // the words of a record in the byte order of the file
};

}  // namespace fxt
