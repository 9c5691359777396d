// Lets a range of time near the end of a long record file be converted without reading everything before it.
// The index of a recording has marks, some MiB apart: an offset in a record file, and the entries of the
// calls that are open there. A file that begins with these entries, and continues at the offset, gives the
// same calls after the mark.
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

// The entry of an open call in the record file, with its payload.
struct IndexedEntry {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const IndexedEntry&, const IndexedEntry&) = default;
};

struct IndexMark {
  std::uint64_t offset = 0;             // of a record
  std::uint64_t time_ns = 0;            // of the latest record before it
  std::vector<IndexedEntry> open = {};  // outermost first
};

// Identifies the content of a file, without reading it.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0, size = 0, modified_ns = 0, changed_ns = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
// Returns zeros if the file can't be opened.
FileIdentity identity_of(const fxt::FilePlace& place);
FileIdentity identity_of_directory(const std::filesystem::path& path);

// The marks of one thread.
struct ThreadIndex {
  std::uint64_t tid = 0;
  FileIdentity file = {};
  std::uint64_t part_begin = 0;  // see FilePart
  std::vector<IndexMark> marks = {};

  // The last mark before which all records are earlier than this time; null if there is none.
  const IndexMark* before(std::uint64_t time_ns) const;
};

// The records of the mark's entries, one after the other. Returns nothing if they are not the entries of
// nested calls, because the index is then wrong.
std::optional<std::vector<std::byte>> records_of(const IndexMark& mark, const InputFile& file,
                                                 const ThreadFacts& facts);

// Reads the records of a thread, and makes marks this many bytes apart. There are no marks after the first
// record that is not a call, or that does not match the open calls.
ThreadIndex index_of(const WalkedThread& thread, std::uint64_t step_bytes);

class RecordIndex {
 public:
  // The distance between two marks. The records between a mark and the requested range are read.
  static constexpr std::uint64_t kStepBytes = std::uint64_t{16} << 20;

  std::uint64_t step_bytes = kStepBytes;
  FileIdentity info = {};  // of the file `info`, on which the sizes of payloads depend
  std::vector<ThreadIndex> threads = {};

  const ThreadIndex* find(std::uint64_t tid) const;

  // The index as bytes, with a checksum.
  std::vector<std::byte> bytes() const;
  // Returns nothing if the bytes are damaged.
  static std::optional<RecordIndex> parse(std::span<const std::byte> bytes);
};

// The name of the file of a recording's index in a folder of indexes.
std::string index_name_of(const FileIdentity& directory);
// Returns nothing if the folder has no usable index; notes damage.
std::optional<RecordIndex> read_index(const std::filesystem::path& file, Notes& notes);
// Replaces the file. Notes a failure.
void write_index(const RecordIndex& index, const std::filesystem::path& file, Notes& notes);

}  // namespace convert::uftrace
