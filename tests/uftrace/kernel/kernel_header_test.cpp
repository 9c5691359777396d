// Tests reading kernel_header: the layout of pages and the formats of events, also from a damaged file.
#include "converters/uftrace/kernel/kernel_header.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converters/uftrace/recording/note_kinds.h"
#include "tests/uftrace/kernel/kernel_bytes.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;

struct Header {
  explicit Header(std::string_view text) {
    directory.file("kernel_header", text);
    header = read_kernel_header(list_directory(directory.path()), notes);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const EventFormat& format : header->formats)
      list.push_back(fmt::format("{}:{} {}", format.system, format.name, format.id));
    return list;
  }
  TextRecording directory;
  Notes notes;
  std::optional<KernelHeader> header;
};

TEST(KernelHeader, HasPagesAndFormats) {
  const Header read(header_text({.page_bytes = 65536, .long_bytes = 4, .order = std::endian::big}));
  EXPECT_EQ(read.header->pages.page_bytes, 65536);
  EXPECT_EQ(read.header->pages.long_bytes, 4);
  EXPECT_EQ(read.header->pages.order, std::endian::big);
  EXPECT_EQ(read.header->pages.data_offset(), 12);
  EXPECT_THAT(read.names(), ElementsAre("ftrace:funcgraph_entry 11", "ftrace:funcgraph_exit 10"));
  EXPECT_TRUE(read.notes.empty());
}

TEST(KernelHeader, AMissingFileGivesNoHeader) {
  Notes notes;
  EXPECT_FALSE(read_kernel_header(list_directory(TextRecording().path()), notes));
  EXPECT_TRUE(notes.empty());
}

// If a 32-bit recorder runs on a 64-bit kernel, the recorder writes a wrong size of `long`. The kernel's
// description of a page shows the right size.
TEST(KernelHeader, TheKernelsLongSizeReplacesTheRecorders) {
  const Header read(layout_text({.long_bytes = 4}) +
                    block("events/header_page", field("u64 timestamp", 0, 8) +
                                                    field("local_t commit", 8, 8, true) +
                                                    field("char data", 16, 4080, true)));
  EXPECT_EQ(read.header->pages.long_bytes, 8);
}

TEST(KernelHeader, DamageAffectsOnlyItsBlock) {
  std::string text = header_text();
  const auto at = text.find(": ", text.find("funcgraph_entry/format")) + 2;
  text.replace(at, 3, "999");
  const Header read("PAGE_SIZE: 100\nLONG_SIZE: 5\nENDIAN: XX\nnonsense\nTRACEFS: x\nTRACEFS: y: z\n" + text +
                    block("events/sched/none/format", "name: none\n") + "TRACEFS: events/cut: 9\nab");
  EXPECT_THAT(read.names(), ElementsAre("ftrace:funcgraph_entry 11", "ftrace:funcgraph_exit 10"));
  EXPECT_EQ(read.header->pages.page_bytes, 256);
  EXPECT_EQ(read.notes.count(kDamagedLine), 9);
}

TEST(KernelHeader, ReadsEveryPrefix) {
  const std::string text = header_text();
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_TRUE(Header(std::string_view(text).substr(0, size)).header);
}

TEST(EventFields, ParsesAllKindsOfDeclarations) {
  const auto fields = parse_fields(field("unsigned long func", 8, 8) + field("char comm[16]", 16, 16, true) +
                                   field("__data_loc char[] name", 32, 4) +
                                   field("__rel_loc u32[] list", 36, 4) + field("const char * text", 40, 8) +
                                   field("char *key", 48, 8) + "\tfield:;\toffset:1;\tsize:1;\n" +
                                   "\tfield:int old;\toffset:56;\tsize:4;\n\tfield:int half;\n");
  std::vector<std::string> lines;
  for (const EventField& f : fields)
    lines.push_back(fmt::format("{}|{} @{}+{}{}{} {}", f.type, f.name, f.offset, f.size,
                                f.is_signed ? " signed" : "", f.is_array ? " array" : "",
                                static_cast<int>(f.storage)));
  EXPECT_THAT(lines, ElementsAre("unsigned long|func @8+8 0", "char[16]|comm @16+16 signed array 0",
                                 "__data_loc char[]|name @32+4 array 1", "__rel_loc u32[]|list @36+4 array 2",
                                 "const char *|text @40+8 0", "char *|key @48+8 0", "int|old @56+4 0"));
}

TEST(GraphFormats, FindTheFieldsOfCalls) {
  const Header read(
      layout_text() +
      block("events/ftrace/fgraph_retaddr_entry/format",
            common_fields(17) + field("unsigned long func", 8, 8) + field("unsigned int depth", 16, 4) +
                field("unsigned long retaddr", 20, 8)) +
      block("events/ftrace/funcgraph_exit/format",
            common_fields(12) + field("unsigned long func", 8, 8) + field("unsigned long retval", 16, 8)) +
      block("events/sched/funcgraph_exit/format", common_fields(13) + field("unsigned long func", 8, 8)) +
      block("events/ftrace/funcgraph_entry/format", common_fields(14) + field("char func[8]", 8, 8)));
  const auto formats = graph_formats_of(*read.header);
  ASSERT_EQ(formats.size(), 2u) << "13 is of another system, 14 has no function";
  const GraphFormat &entry = formats[0], &exit = formats[1];
  EXPECT_EQ(entry.id, 17);
  EXPECT_TRUE(entry.is_entry);
  EXPECT_EQ(entry.value.offset, 20);
  EXPECT_EQ(exit.id, 12);
  EXPECT_FALSE(exit.depth.exists());
  EXPECT_EQ(exit.value.offset, 16);
}

}  // namespace
}  // namespace convert::uftrace
