#include "fxt/reading/late_records.h"

#include <algorithm>
#include <variant>

#include <boost/endian/conversion.hpp>
#include <boost/sort/spreadsort/integer_sort.hpp>

#include "fxt/header_words.h"
#include "fxt/reading/reader_state.h"
#include "fxt/records.h"

namespace fxt {
namespace {

constexpr std::size_t kBytesPerWord = sizeof(std::uint64_t);
constexpr std::size_t kMaxKeptWords = std::size_t{1} << 13;
constexpr std::size_t kMaxBufferWords = std::size_t{1} << 17;
// The size at which a block of sorted records ends. Records with equal times stay together if possible.
constexpr std::size_t kBlockWords = std::size_t{1} << 16;
constexpr std::size_t kMaxBlockWords = std::size_t{1} << 20;

}  // namespace

// ---- SortedRecords ----

void SortedRecords::add(std::span<const std::uint64_t> head, std::span<const std::uint64_t> record) {
  Batch& batch = filling_;
  const std::size_t words = batch.words.size() + batch.places.size() * sizeof(Place) / kBytesPerWord;
  if (!batch.places.empty() && words + head.size() + record.size() > batch_words_) spill();
  batch.places.push_back({.ns = KeptRecord(head).ns(), .at = batch.words.size()});
  batch.words.insert(batch.words.end(), head.begin(), head.end());
  batch.words.insert(batch.words.end(), record.begin(), record.end());
}

void SortedRecords::Batch::sort() {
  if (std::ranges::is_sorted(places, {}, &Place::ns)) return;
  boost::sort::spreadsort::integer_sort(
      places.begin(), places.end(), [](const Place& place, unsigned bits) { return place.ns >> bits; },
      [](const Place& a, const Place& b) { return a.ns != b.ns ? a.ns < b.ns : a.at < b.at; });
}

void SortedRecords::start(std::function<void()> work) {
  work_ = std::async(std::launch::async | std::launch::deferred, std::move(work));
}

void SortedRecords::spill() {
  if (work_.valid()) work_.get();
  std::swap(filling_, writing_);
  start([this] { write(writing_); });
}

void SortedRecords::write(Batch& batch) {
  batch.sort();
  const std::uint64_t start = file_.size();
  std::vector<std::uint64_t> block;
  const auto append = [&] {
    file_.append(std::as_bytes(std::span(block)));
    block.clear();
  };
  for (const Place& place : batch.places) {
    const auto first = batch.words.begin() + static_cast<std::ptrdiff_t>(place.at);
    block.insert(block.end(), first, first + static_cast<std::ptrdiff_t>(KeptRecord::size_of(*first)));
    if (block.size() >= kMaxBufferWords) append();
  }
  append();
  spilled_.emplace_back(start, file_.size());
  batch.words.clear();
  batch.places.clear();
}

void SortedRecords::finish() {
  if (work_.valid()) work_.get();
  writing_ = {};
  filling_.sort();
  buffer_words_ = std::clamp(batch_words_ / (spilled_.size() + 1), kMaxKeptWords, kMaxBufferWords);
  for (const auto& [start, end] : spilled_) runs_.push_back({.next = start, .end = end});
  runs_.push_back({.is_in_memory = true});
  for (std::size_t run = 0; run < runs_.size(); ++run)
    if (advance(runs_[run])) order_.push_back({.ns = runs_[run].front.ns(), .run = run});
  std::ranges::make_heap(order_, std::greater());
  merge(block_);
  merge_on();
}

// Fills the block with the earliest records of all runs. After the block is full, only records with the same
// time as its last record are added.
void SortedRecords::merge(Block& block) {
  block.words.clear();
  block.records.clear();
  std::uint64_t ns = kTimeLimit;  // time of the latest record
  while (!order_.empty() && block.words.size() < kMaxBlockWords &&
         (block.words.size() < kBlockWords || order_.front().ns == ns)) {
    ns = order_.front().ns;
    std::ranges::pop_heap(order_, std::greater());
    Run& run = runs_[order_.back().run];
    const auto words = run.front.words();
    block.words.insert(block.words.end(), words.begin(), words.end());
    if (advance(run)) {
      order_.back().ns = run.front.ns();
      std::ranges::push_heap(order_, std::greater());
    } else {
      run.buffer = {};
      order_.pop_back();
    }
  }
  for (auto left = std::span(block.words); !left.empty();) {
    const std::size_t size = KeptRecord::size_of(left.front());
    block.records.emplace_back(left.first(size));
    left = left.subspan(size);
  }
}

void SortedRecords::merge_on() {
  if (!order_.empty()) start([this] { merge(next_block_); });
}

const KeptRecord* SortedRecords::front() {
  if (at_ == block_.records.size() && work_.valid()) {
    work_.get();
    std::swap(block_, next_block_);
    at_ = 0;
    merge_on();
  }
  return at_ < block_.records.size() ? &block_.records[at_] : nullptr;
}

std::span<KeptRecord> SortedRecords::take_group() {
  const std::span left = std::span(block_.records).subspan(at_);
  const auto end = std::ranges::find_if(
      left, [ns = left.front().ns()](std::uint64_t other) { return other != ns; }, &KeptRecord::ns);
  const auto group = left.first(static_cast<std::size_t>(end - left.begin()));
  at_ += group.size();
  return group;
}

bool SortedRecords::advance(Run& run) {
  if (run.is_in_memory) {
    if (run.place == filling_.places.size()) return false;
    const std::uint64_t* const first = filling_.words.data() + filling_.places[run.place++].at;
    run.front = KeptRecord({first, KeptRecord::size_of(*first)});
    return true;
  }
  if (!fill(run, 1)) return false;
  const std::size_t size = KeptRecord::size_of(run.buffer[run.at]);
  fill(run, size);
  run.front = KeptRecord(std::span(run.buffer).subspan(run.at, size));
  run.at += size;
  return true;
}

// Makes the next `words` words of the run available, if it has that many.
bool SortedRecords::fill(Run& run, std::size_t words) {
  if (run.filled - run.at >= words) return true;
  if (run.next == run.end) return false;
  run.buffer.resize(buffer_words_);
  std::copy(run.buffer.begin() + static_cast<std::ptrdiff_t>(run.at),
            run.buffer.begin() + static_cast<std::ptrdiff_t>(run.filled), run.buffer.begin());
  run.filled -= run.at;
  run.at = 0;
  const auto room = std::as_writable_bytes(std::span(run.buffer).subspan(run.filled));
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), run.end - run.next));
  file_.read(run.next, room.first(size));
  run.next += size;
  run.filled += size / kBytesPerWord;
  return true;
}

// ---- Definitions ----

DefinitionTable& Definitions::table_of(const Reader& reader) {
  if (latest_ == nullptr || latest_provider_ != reader.provider_id()) {
    latest_provider_ = reader.provider_id();
    latest_ = &tables_[latest_provider_];
  }
  return *latest_;
}

void Definitions::define(DefinitionTable& table, DefinitionPlace place,
                         std::span<const std::uint64_t> record) {
  std::uint32_t& number = table.entry(place);
  if (const auto known = used_.find(content_of(record)); known != used_.end()) {
    number = known->second;
    return;
  }
  if (number == 0 || all_[number - 1].is_used) {
    all_.emplace_back();
    places_.push_back(place);
    number = static_cast<std::uint32_t>(all_.size());
  }
  all_[number - 1].record.assign(record.begin(), record.end());
  places_[number - 1] = place;
}

void Definitions::mark_used(std::uint32_t& number) {
  Definition& definition = all_[number - 1];
  if (definition.is_used) return;
  const auto [known, is_new] = used_.try_emplace(content_of(definition.record), number);
  definition.is_used = is_new;
  number = known->second;
}

void Definitions::add(const Entry& entry, const Reader& reader) {
  if (std::holds_alternative<Event>(entry.record)) return;
  DefinitionTable& table = table_of(reader);
  if (const auto* const string = std::get_if<StringRecord>(&entry.record)) {
    if (string->index != 0) define(table, {DefinitionKind::String, string->index}, entry.words);
  } else if (const auto* const thread = std::get_if<ThreadRecord>(&entry.record)) {
    if (thread->index != 0) define(table, {DefinitionKind::Thread, thread->index}, entry.words);
  } else if (std::holds_alternative<Initialization>(entry.record)) {
    define(table, {DefinitionKind::Rate}, entry.words);
  } else if (std::holds_alternative<ProviderInfo>(entry.record)) {
    table = {};
    define(table, {DefinitionKind::Info}, entry.words);
  }
}

bool Definitions::append_uses(const Record& record, const Reader& reader, std::vector<std::uint32_t>& uses) {
  DefinitionTable& table = table_of(reader);
  bool has_all = true;
  const auto use = [&](DefinitionPlace place) {
    if (table.find(place) == 0) return;
    std::uint32_t& number = table.entry(place);
    mark_used(number);
    uses.push_back(number);
  };
  const auto refer = [&](DefinitionKind kind, Storage storage, std::uint16_t index) {
    if (storage == Storage::Missing) has_all = false;
    if (storage == Storage::Table && index != 0) use({kind, index});
  };
  const auto string = [&](const String& text) { refer(DefinitionKind::String, text.storage, text.index); };
  const auto thread = [&](const Thread& one) { refer(DefinitionKind::Thread, one.storage, one.index); };
  use({DefinitionKind::Info});
  use({DefinitionKind::Rate});
  std::visit(
      [&](const auto& value) {
        if constexpr (requires { value.category.storage; }) string(value.category);
        if constexpr (requires { value.name.storage; }) string(value.name);
        if constexpr (requires { value.thread.storage; }) thread(value.thread);
        if constexpr (requires { value.outgoing.storage; }) {
          thread(value.outgoing);
          thread(value.incoming);
        }
        if constexpr (requires { value.arguments; })
          for (const Argument& argument : value.arguments) {
            string(argument.name);
            if (const auto* const text = std::get_if<String>(&argument.value)) string(*text);
          }
      },
      record);
  return has_all;
}

// ---- KeptRecordReader ----

KeptRecordReader::KeptRecordReader(const Definitions& definitions)
    : definitions_(&definitions), reader_(std::span<const std::byte>()) {}

const Entry& KeptRecordReader::read(const KeptRecord& kept, bool is_swapped) {
  is_swapped_ = is_swapped;
  enter(kept);
  for (std::size_t i = 0; i < kept.uses(); ++i) define(kept.use(i));
  decode(kept.record());
  Reader::State& state = *reader_.state_;
  state.entry.offset = kept.offset();
  state.entry.words = kept.record();
  state.entry.problems = state.decoder.problems();
  return state.entry;
}

// Selects the tables of the record's provider. In the file, the record may refer to an index that was not
// registered before. Then this function empties the tables, so that the index has no meaning.
void KeptRecordReader::enter(const KeptRecord& kept) {
  Providers& providers = reader_.state_->decoder.providers();
  if (current_ == nullptr || providers.current().id != kept.provider()) {
    providers.enter(kept.provider());
    current_ = &defined_[kept.provider()];
  }
  if (!kept.needs_reset()) return;
  providers.announce(kept.provider(), "");
  *current_ = {};
}

void KeptRecordReader::define(std::uint32_t number) {
  const DefinitionPlace place = definitions_->place_of(number);
  if (current_->find(place) == number) return;
  if (place.kind == DefinitionKind::Info) *current_ = {};
  current_->entry(place) = number;
  decode(definitions_->record_of(number));
}

void KeptRecordReader::decode(std::span<const std::uint64_t> words) {
  Reader::State& state = *reader_.state_;
  const std::uint64_t* bytes = words.data();
  if (is_swapped_) {
    swapped_.assign(words.begin(), words.end());
    for (std::uint64_t& word : swapped_) boost::endian::endian_reverse_inplace(word);
    bytes = swapped_.data();
  }
  state.words = {.words = words, .bytes = std::as_bytes(std::span(bytes, words.size())).data()};
  state.decoder.decode(state.words, state.entry.record);
}

}  // namespace fxt
