"""Each source must include the headers of the names that it uses from the standard library and from fmt.

Compilers find only some missing headers, because headers include each other, differently in each version. A unity build shares
the headers among eight sources. A .cpp file relies on the includes of its own header, and does not repeat them.
"""

import re
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]

# For each header, the names that it declares. A name may be in the lists of several headers. A name also
# covers its members: `string` covers `string::npos`.
NAMES = {
    "algorithm": "all_of any_of clamp copy copy_n equal fill fill_n find find_if find_if_not for_each inplace_merge "
                 "lexicographical_compare lower_bound max min mismatch move remove remove_if reverse rotate search shuffle "
                 "stable_partition stable_sort unique upper_bound ranges::adjacent_find ranges::all_of ranges::any_of "
                 "ranges::binary_search ranges::copy ranges::equal_range "
                 "ranges::copy_if ranges::count ranges::count_if ranges::equal ranges::fill ranges::find ranges::find_first_of "
                 "ranges::find_if ranges::find_if_not ranges::includes ranges::inplace_merge ranges::is_sorted ranges::is_sorted_until "
                 "ranges::lower_bound ranges::make_heap ranges::max_element ranges::min_element ranges::minmax ranges::mismatch "
                 "ranges::move ranges::none_of ranges::partition_point ranges::pop_heap ranges::push_heap ranges::replace ranges::shuffle "
                 "ranges::reverse ranges::sort ranges::stable_sort ranges::transform ranges::upper_bound",
    "array": "array get to_array",
    "atomic": "atomic atomic_ref memory_order_acquire memory_order_relaxed memory_order_release",
    "bit": "bit_cast bit_ceil bit_floor bit_width endian has_single_bit popcount rotr",
    "cctype": "isalpha isxdigit toupper",
    "charconv": "from_chars to_chars",
    "chrono": "chrono",
    "cmath": "abs cos fmod isfinite isnan isnormal ldexp llround lround pow signbit sin",
    "concepts": "convertible_to floating_point integral invocable same_as signed_integral unsigned_integral",
    "condition_variable": "condition_variable",
    "csetjmp": "jmp_buf longjmp",
    "csignal": "raise signal",
    "cstddef": "byte nullptr_t ptrdiff_t size_t to_integer",
    "cstdint": "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintmax_t uintptr_t",
    "cstdio": "FILE fclose ferror fflush fopen fprintf fputs fread fwrite printf remove rename sscanf",
    "cstdlib": "abort abs atexit atoi exit free getenv strtod strtoull",
    "cstring": "memcmp memcpy memmove strcmp strerror strlen",
    "deque": "deque erase erase_if",
    "exception": "current_exception exception exception_ptr rethrow_exception set_terminate",
    "filesystem": "filesystem",
    "forward_list": "forward_list",
    "fstream": "fstream ifstream ofstream ios ios_base streamsize",
    "functional": "equal_to function greater greater_equal hash identity less less_equal plus",
    "future": "async future launch",
    "initializer_list": "initializer_list",
    "ios": "hex ios ios_base streamsize",
    "iosfwd": "basic_ostream istream ostream",
    "iostream": "cerr cout",
    "istream": "istream ios ios_base streamsize",
    "iterator": "back_inserter default_sentinel_t distance istreambuf_iterator make_reverse_iterator next prev ranges::distance ranges::next "
                "reverse_iterator ssize",
    "limits": "numeric_limits",
    "list": "list",
    "locale": "locale",
    "map": "map multimap erase_if",
    "memory": "allocator construct_at destroy_at make_shared make_unique make_unique_for_overwrite shared_ptr unique_ptr",
    "memory_resource": "pmr",
    "mutex": "lock_guard mutex unique_lock",
    "new": "bad_alloc set_new_handler",
    "numeric": "accumulate iota partial_sum transform_reduce",
    "optional": "nullopt nullopt_t optional",
    "ostream": "basic_ostream ostream ios ios_base streamsize",
    "random": "mt19937 mt19937_64",
    "regex": "regex regex_replace",
    "set": "multiset set erase_if",
    "span": "as_bytes as_writable_bytes span",
    "sstream": "istringstream ostringstream",
    "stdexcept": "invalid_argument logic_error runtime_error",
    "string": "basic_string char_traits getline stod stoi stoul stoull string string_literals to_string u16string erase erase_if",
    "string_view": "char_traits string_view string_view_literals u16string_view",
    "system_error": "errc error_code generic_category make_error_code system_error",
    "thread": "jthread this_thread thread",
    "tuple": "get tie tuple",
    "type_traits": "integral_constant is_arithmetic_v is_constructible_v is_convertible_v is_enum_v is_null_pointer_v "
                   "is_pointer_v is_same_v is_trivially_copyable_v underlying_type_t "
                   "remove_const_t remove_cvref_t remove_reference_t",
    "unordered_map": "unordered_map erase_if",
    "unordered_set": "unordered_set erase_if",
    "utility": "cmp_greater cmp_less declval exchange forward get in_place_type in_place_type_t in_range move pair swap",
    "variant": "get get_if holds_alternative monostate variant variant_size_v visit",
    "vector": "vector erase erase_if",
}
FMT_NAMES = {
    "fmt/format.h": "format format_int format_string format_to memory_buffer print to_string",
    "fmt/ranges.h": "join",
}
MACROS = {
    "cassert": "assert",
    "cerrno": "errno EBADF EBUSY EILSEQ EINTR EINVAL EISDIR ENOENT ENOTDIR ENXIO EPERM EPIPE",
    "csetjmp": "setjmp",
    "csignal": "SIGABRT SIGALRM SIGBUS SIGFPE SIGHUP SIGILL SIGINT SIGKILL SIGPIPE SIGSEGV SIGTERM SIGXFSZ",
    "cstdarg": "va_arg va_end va_list va_start",
    "cstddef": "offsetof",
    "cstdint": "INT32_MAX",
    "cstdio": "EOF stderr stdin stdout",
    "cstdlib": "EXIT_FAILURE EXIT_SUCCESS",
}

# Comments, texts and characters, which contain no code.
NO_CODE = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])+'""", re.S)


def headers_of(table, namespace):
    """The headers that declare each name of a table, with its namespace."""
    headers = {}
    for header, names in table.items():
        for name in names.split():
            headers.setdefault(namespace + name, set()).add(header)
    return headers


HEADERS = headers_of(NAMES, "std::") | headers_of(FMT_NAMES, "fmt::") | headers_of(MACROS, "")


def includes_of(text):
    return set(re.findall(r'^ *# *include [<"](.+?)[>"]', text, re.M))


def names_in(text):
    """The names of the table in a source, and the names of std and fmt that the table lacks."""
    code = NO_CODE.sub(" ", text)
    known, unknown = set(), set()
    for name in re.findall(r"(?<![\w:])(?:std|fmt)(?:::\w+)+", code):
        listed = next((part for part in ("::".join(name.split("::")[:count]) for count in (3, 2)) if part in HEADERS), None)
        known.add(listed) if listed else unknown.add(name)
    known |= HEADERS.keys() & set(re.findall(r"(?<![\w:>.])[A-Za-z]\w+", code))
    return known, unknown


def missing_in(text, own_header=""):
    """The names that a source uses without their headers, as lines such as `std::min: <algorithm>`."""
    included = includes_of(text) | includes_of(own_header)
    known, unknown = names_in(text)
    return sorted(f"{name}: <{'> or <'.join(sorted(HEADERS[name]))}>" for name in known if not HEADERS[name] & included) + \
        sorted(f"{name}: its header is not in the table of tests/includes_test.py" for name in unknown)


def own_header_of(path, text):
    """The source's own header, such as lane.h for lane.cpp and lane_test.cpp; empty if it includes none."""
    name = re.sub(r"_(test|fuzz|bench)$", "", path.stem) + ".h"
    found = next((other for other in re.findall(r'^#include "(.+)"', text, re.M) if Path(other).name == name), None)
    return (REPOSITORY / found).read_text(encoding="utf-8") if found and path.suffix == ".cpp" else ""


def problems():
    """The problems in all sources, as lines such as `fxt/a.cpp: std::min: <algorithm>`."""
    for folder in ("fxt", "converters", "tests"):
        for path in sorted((REPOSITORY / folder).rglob("*.*")):
            if path.suffix in {".h", ".cpp"}:
                text = path.read_text(encoding="utf-8")
                own_header = own_header_of(path, text)
                repeated = sorted(includes_of(text) & includes_of(own_header)) if folder != "tests" else []
                for line in missing_in(text, own_header) + [f"its own header includes <{header}>" for header in repeated]:
                    yield f"{path.relative_to(REPOSITORY)}: {line}"


class Includes(unittest.TestCase):
    def test_each_source_includes_what_it_uses(self):
        found = list(problems())
        self.assertEqual(found, [], "\n".join(found))

    def test_a_missing_include_is_found(self):
        source = "#include <vector>\nstd::vector<int> f() { return {std::min(1, 2), assert(true)}; }\n"
        self.assertEqual(missing_in(source), ["assert: <cassert>", "std::min: <algorithm>"])
        self.assertEqual(missing_in(source, own_header="#include <algorithm>\n#include <cassert>\n"), [])

    def test_fmt_join_needs_its_own_header(self):
        source = '#include <fmt/format.h>\nauto text = fmt::format("{}", fmt::join(bytes, " "));\n'
        self.assertEqual(missing_in(source), ["fmt::join: <fmt/ranges.h>"])

    def test_members_need_the_header_of_their_class(self):
        self.assertEqual(missing_in("auto n = std::string::npos;"), ["std::string: <string>"])
        self.assertEqual(missing_in("std::chrono::steady_clock::now();"), ["std::chrono: <chrono>"])
        self.assertEqual(missing_in("std::ranges::sort(a);"), ["std::ranges::sort: <algorithm>"])

    def test_one_of_several_headers_is_enough(self):
        for header in ("tuple", "variant"):
            self.assertEqual(missing_in(f"#include <{header}>\nstd::get<0>(it);"), [])

    def test_a_name_that_is_not_in_the_table_is_found(self):
        self.assertEqual(missing_in("std::ranges::novelty(1); fmt::novelty(2);"),
                         [f"{name}: its header is not in the table of tests/includes_test.py"
                          for name in ("fmt::novelty", "std::ranges::novelty")])

    def test_comments_and_texts_are_not_code(self):
        self.assertEqual(missing_in("""// std::min
            /* std::max
               assert */ "std::map \\" errno" 'a' R"x(std::set" )x" '"' '"' """), [])
        self.assertEqual(missing_in("f(1'000, std::min(2'000, 3));"), ["std::min: <algorithm>"])


if __name__ == "__main__":
    unittest.main()
