// An index makes it possible to convert a range of time without reading the records before it. It has marks
// in the record files, some MiB apart. A mark consists of an offset, and of the places of the entries of
// those calls that are open at this offset. Reading these entries, and then the records from the offset on,
// gives the same calls as reading all records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converters/model/notes.h"
#include "converters/model/reading/input_file.h"
#include "converters/uftrace/records/call_walk.h"

namespace convert::uftrace {

inline constexpr NoteKind kIndexIgnored{
    "index-ignored", "indexes that are not used, because they are damaged or can't be written", true};

// The place of an open call's entry in the record file, including the payload.
struct IndexedEntry {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const IndexedEntry&, const IndexedEntry&) = default;
};

struct IndexMark {
  std::uint64_t offset = 0;
  std::uint64_t time_ns = 0;            // time of the latest record before the mark
  std::vector<IndexedEntry> open = {};  // outermost first
};

// Shows whether a file has changed, without reading its content.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0, size = 0, modified_ns = 0, changed_ns = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
// Returns zeros if the file can't be opened.
FileIdentity identity_of(const fxt::FilePlace& place);
FileIdentity identity_of_directory(const std::filesystem::path& path);

struct ThreadIndex {
  std::uint64_t tid = 0;
  FileIdentity file = {};
  std::uint64_t part_begin = 0;  // see FilePart
  std::vector<IndexMark> marks = {};

  // Returns the last mark before which all records are earlier than this time. Null if there is none.
  const IndexMark* before(std::uint64_t time_ns) const;
};

// Returns the bytes of the entries of a mark, one after the other. Nothing if these are not the entries of
// nested calls, because then the index is wrong.
std::optional<std::vector<std::byte>> records_of(const IndexMark& mark, const InputFile& file,
                                                 const ThreadFacts& facts);

// Reads the records of a thread, and makes marks `step_bytes` apart. Makes no marks after the first unusual
// record, such as an event, or a call that does not match the open calls.
ThreadIndex index_of(const WalkedThread& thread, std::uint64_t step_bytes);

class RecordIndex {
 public:
  // The usual distance of marks in bytes. To convert a range, up to about this many bytes before the range
  // are read.
  static constexpr std::uint64_t kStepBytes = std::uint64_t{16} << 20;

  std::uint64_t step_bytes = kStepBytes;
  // Identity of the file `info`. Its argument specs decide the sizes of payloads.
  FileIdentity info = {};
  std::vector<ThreadIndex> threads = {};

  const ThreadIndex* find(std::uint64_t tid) const;

  // Returns the index as bytes, with a checksum.
  std::vector<std::byte> bytes() const;
  // Returns the index, or nothing if the bytes are damaged.
  static std::optional<RecordIndex> parse(std::span<const std::byte> bytes);
};

// Returns the name of the index file of a recording. `directory` is the identity of the recording's
// directory.
std::string index_name_of(const FileIdentity& directory);
// Returns the index in the file, or nothing if it can't be used. Adds a note about damage.
std::optional<RecordIndex> read_index(const std::filesystem::path& file, Notes& notes);
// Writes the index to the file, and replaces an older one. Adds a note if this fails.
void write_index(const RecordIndex& index, const std::filesystem::path& file, Notes& notes);

}  // namespace convert::uftrace
