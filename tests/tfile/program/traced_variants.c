/* The debug information that compilers of Rust, Ada, Fortran and D write for variables. The tests do not need
   these compilers. */
__asm__(
    ".comm rust_shape,16,8\n.comm ada_shape,16,8\n.comm ada_vector,16,8\n.comm d_mode,4,4\n"
    ".comm ada_tints,12,4\n.comm ada_packed,1,1\n.comm fortran_section,24,8\n"
    ".comm gauge_marks,4,4\n.comm gauge_next,8,8\n.comm gauge_state,4,4\n.comm gauge_joined,4,4\n.comm linked_place,4,4\n"
    ".comm gauge_wave,16,8\n.comm gauge_price,8,8\n.comm gauge_exact,16,16\n.comm gauge_huge,16,16\n"
    ".comm ada_level,4,4\n.comm fortran_wave,16,8\n.comm rust_word,16,8\n"
    ".comm fortran_name,6,1\n.comm fortran_text,4,1\n.comm fortran_length,8,8\n.comm fortran_shared,6,1\n"
    ".pushsection .text\n.globl fortran_run\n.type fortran_run,%function\nfortran_run: ret\n.Lfortran_run_end:\n"
    ".size fortran_run, .Lfortran_run_end - fortran_run\n.popsection\n");

/* An entry of .debug_abbrev: number, tag, whether it has children, attributes with their forms. */
#define ABBREV(...) ".uleb128 " #__VA_ARGS__ ",0,0\n"
#define NAME(text) ".asciz \"" text "\"\n"
#define VARIABLE(symbol, type) ".uleb128 9\n" NAME(symbol) ".long " type "\n.byte 9,3\n.quad " symbol "\n"
#define INSTANCE(of, symbol) ".uleb128 25\n.long " of "\n.byte 9,3\n.quad " symbol "\n"
#define UNIT(name, language)                               \
  ".L" name "_begin: .long .L" name "_end - .L" name       \
  "_version\n"                                             \
  ".L" name                                                \
  "_version: .short 4\n.long .Lvariants_abbrev\n.byte 8\n" \
  ".uleb128 1\n.byte " language "\n"

__asm__(
    ".pushsection .debug_abbrev,\"\",%progbits\n"
    ".Lvariants_abbrev:\n" /* 0x03 name, 0x0b size, 0x13 language, 0x15 discriminant, 0x38 offset, 0x49 type
                            */
    ABBREV(1, 0x11, 1, 0x13, 0x0b)                         /* compile unit */
    ABBREV(2, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0x3e, 0x0b) /* base type: encoding */
    ABBREV(3, 0x13, 1, 0x03, 0x08, 0x0b, 0x0b)             /* structure */
    ABBREV(4, 0x33, 1, 0x15, 0x13)                         /* variant part */
    ABBREV(5, 0x0d, 0, 0x49, 0x13, 0x38, 0x0b)             /* member without a name */
    ABBREV(6, 0x19, 1, 0x16, 0x0b)                         /* variant: discriminant's value */
    ABBREV(7, 0x19, 1)                                     /* variant: all others */
    ABBREV(8, 0x0d, 0, 0x03, 0x08, 0x49, 0x13, 0x38, 0x0b) /* member */
    ABBREV(9, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x18) /* variable: location */
    ABBREV(10, 0x19, 1, 0x3d, 0x0a)                        /* variant: list of values */
    ABBREV(11, 0x13, 1, 0x03, 0x08)                        /* structure of any size */
    ABBREV(12, 0x12, 0, 0x0b, 0x0b)                        /* text */
    ABBREV(13, 0x12, 0, 0x19, 0x13)                        /* text: variable of its length */
    ABBREV(14, 0x01, 1, 0x49, 0x13)                        /* array */
    ABBREV(15, 0x21, 0, 0x22, 0x18, 0x2f, 0x18)            /* indices: first, last */
    ABBREV(16, 0x0f, 0, 0x49, 0x13)                        /* pointer */
    ABBREV(17, 0x1e, 1, 0x03, 0x08)                        /* module */
    ABBREV(18, 0x04, 1, 0x03, 0x08, 0x0b, 0x0b, 0x6d, 0x19) /* enumeration whose name qualifies */
    ABBREV(19, 0x28, 0, 0x03, 0x08, 0x1c, 0x0b)            /* enumerator */
    ABBREV(20, 0x2e, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x06) /* function: first and last address */
    ABBREV(21, 0x1a, 1, 0x03, 0x08)                        /* common block */
    ABBREV(22, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x3f, 0x19, 0x3c, 0x19) /* static member: external, declared */
    ABBREV(23, 0x34, 0, 0x47, 0x13, 0x02, 0x18)            /* variable: what it completes, location */
    ABBREV(24, 0x34, 0, 0x47, 0x13)                        /* the same without location */
    ABBREV(25, 0x34, 0, 0x31, 0x10, 0x02, 0x18)            /* variable: what it is an instance of, location */
    ABBREV(26, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x3f, 0x19) /* external variable */
    ABBREV(27, 0x04, 1, 0x03, 0x08, 0x0b, 0x0b)            /* enumeration */
    ABBREV(28, 0x21, 0, 0x49, 0x13, 0x2f, 0x0b)            /* indices: their type, last */
    ABBREV(29, 0x01, 1, 0x49, 0x13, 0x2e, 0x0b)            /* packed array: bits of an element */
    ABBREV(30, 0x01, 1, 0x49, 0x13, 0x50, 0x18)            /* array: where its elements are */
    ABBREV(31, 0x21, 0, 0x2f, 0x18, 0x51, 0x18)            /* indices: last, how far from each other */
    ABBREV(32, 0x04, 0, 0x03, 0x08, 0x3c, 0x19)            /* enumeration: declared */
    ABBREV(33, 0x04, 1, 0x47, 0x13, 0x0b, 0x0b)            /* enumeration: what it completes */
    ABBREV(34, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0x3e, 0x0b, 0x5b, 0x0d) /* base type: encoding, binary scale */
    ".byte 0\n.popsection\n");

__asm__(".pushsection .debug_info,\"\",%progbits\n" UNIT("rust", "0x1c")
        ".Lrust_u8: .uleb128 2\n" NAME("u8") ".byte 1,7\n"
        ".Lrust_f64: .uleb128 2\n" NAME("f64") ".byte 8,4\n"
        ".Lrust_point: .uleb128 3\n" NAME("Point") ".byte 16\n.byte 0\n"
        ".Lrust_circle: .uleb128 3\n" NAME("Circle") ".byte 16\n"
        ".uleb128 8\n" NAME("radius") ".long .Lrust_f64 - .Lrust_begin\n.byte 8\n.byte 0\n"
        ".Lrust_shape_type: .uleb128 3\n" NAME("Shape") ".byte 16\n"
        ".uleb128 4\n.long .Lrust_which - .Lrust_begin\n"
        ".Lrust_which: .uleb128 5\n.long .Lrust_u8 - .Lrust_begin\n.byte 0\n"
        ".uleb128 6\n.byte 3\n.uleb128 8\n" NAME("Point") ".long .Lrust_point - .Lrust_begin\n.byte 0\n.byte 0\n"
        ".uleb128 7\n.uleb128 8\n" NAME("Circle") ".long .Lrust_circle - .Lrust_begin\n.byte 0\n.byte 0\n"
        ".byte 0\n.byte 0\n" /* variant part, structure */
        VARIABLE("rust_shape", ".Lrust_shape_type - .Lrust_begin")
        ".Lrust_characters: .uleb128 16\n.long .Lrust_u8 - .Lrust_begin\n"
        ".Lrust_u64: .uleb128 2\n" NAME("usize") ".byte 8,7\n"
        ".Lrust_str: .uleb128 3\n" NAME("&str") ".byte 16\n"
        ".uleb128 8\n" NAME("data_ptr") ".long .Lrust_characters - .Lrust_begin\n.byte 0\n"
        ".uleb128 8\n" NAME("length") ".long .Lrust_u64 - .Lrust_begin\n.byte 8\n.byte 0\n"
        VARIABLE("rust_word", ".Lrust_str - .Lrust_begin")
        ".byte 0\n.Lrust_end:\n" UNIT("ada", "0x0d")
        ".Lada_integer: .uleb128 2\n" NAME("integer") ".byte 4,5\n"
        ".Lada_character: .uleb128 2\n" NAME("character") ".byte 1,8\n"
        ".Lada_shape_type: .uleb128 11\n" NAME("shape")
        ".Lada_kind: .uleb128 8\n" NAME("kind") ".long .Lada_integer - .Lada_begin\n.byte 0\n"
        ".uleb128 4\n.long .Lada_kind - .Lada_begin\n"
        ".uleb128 10\n.byte 5,0,0x7f,1,2,4\n.uleb128 8\n" NAME("side") ".long .Lada_integer - .Lada_begin\n.byte 4\n.byte 0\n"
        ".uleb128 6\n.byte 5\n.uleb128 8\n" NAME("a") ".long .Lada_integer - .Lada_begin\n.byte 4\n"
        ".uleb128 8\n" NAME("b") ".long .Lada_integer - .Lada_begin\n.byte 8\n.byte 0\n"
        ".byte 0\n.byte 0\n"
        /* the first and the last index are at the address after the address of the elements */
        ".Lada_elements: .uleb128 14\n.long .Lada_integer - .Lada_begin\n"
        ".uleb128 15\n.byte 6,0x97,0x23,8,0x06,0x94,4\n.byte 8,0x97,0x23,8,0x06,0x23,4,0x94,4\n.byte 0\n"
        ".Lada_pointer: .uleb128 16\n.long .Lada_elements - .Lada_begin\n"
        ".Lada_vector_type: .uleb128 3\n" NAME("vector") ".byte 16\n"
        ".uleb128 8\n" NAME("P_ARRAY") ".long .Lada_pointer - .Lada_begin\n.byte 0\n"
        ".uleb128 8\n" NAME("P_BOUNDS") ".long .Lada_pointer - .Lada_begin\n.byte 8\n.byte 0\n"
        VARIABLE("ada_shape", ".Lada_shape_type - .Lada_begin")
        VARIABLE("ada_vector", ".Lada_vector_type - .Lada_begin")
        ".Lada_tint: .uleb128 27\n" NAME("tint") ".byte 1\n"
        ".uleb128 19\n" NAME("red") ".byte 1\n.uleb128 19\n" NAME("green") ".byte 5\n"
        ".uleb128 19\n" NAME("blue") ".byte 9\n.byte 0\n"
        ".Lada_tints: .uleb128 14\n.long .Lada_integer - .Lada_begin\n"
        ".uleb128 28\n.long .Lada_tint - .Lada_begin\n.byte 9\n.byte 0\n"
        ".Lada_packed: .uleb128 29\n.long .Lada_character - .Lada_begin\n.byte 1\n"
        ".uleb128 28\n.long .Lada_tint - .Lada_begin\n.byte 9\n.byte 0\n"
        VARIABLE("ada_tints", ".Lada_tints - .Lada_begin") VARIABLE("ada_packed", ".Lada_packed - .Lada_begin")
        ".Lada_fixed: .uleb128 34\n" NAME("fixed") ".byte 4,13,-4\n" VARIABLE("ada_level", ".Lada_fixed - .Lada_begin")
        ".byte 0\n.Lada_end:\n" UNIT("fortran", "0x08")
        ".Lfortran_integer: .uleb128 2\n" NAME("integer(kind=8)") ".byte 8,5\n"
        ".Lfortran_six: .uleb128 12\n.byte 6\n"
        ".Lfortran_many: .uleb128 13\n.long .Lfortran_length_die - .Lfortran_begin\n"
        VARIABLE("fortran_name", ".Lfortran_six - .Lfortran_begin")
        VARIABLE("fortran_text", ".Lfortran_many - .Lfortran_begin")
        ".Lfortran_section: .uleb128 30\n.long .Lfortran_integer - .Lfortran_begin\n.byte 2,0x97,0x06\n"
        ".uleb128 31\n.byte 4,0x97,0x23,8,0x06\n.byte 4,0x97,0x23,16,0x06\n.byte 0\n"
        VARIABLE("fortran_section", ".Lfortran_section - .Lfortran_begin")
        ".Lfortran_complex: .uleb128 2\n" NAME("complex(kind=8)") ".byte 16,3\n"
        VARIABLE("fortran_wave", ".Lfortran_complex - .Lfortran_begin")
        ".Lfortran_length_die: " VARIABLE("fortran_length", ".Lfortran_integer - .Lfortran_begin")
        ".uleb128 20\n" NAME("fortran_run") ".quad fortran_run\n.long .Lfortran_run_end - fortran_run\n"
        ".uleb128 21\n" NAME("shared") VARIABLE("fortran_shared", ".Lfortran_six - .Lfortran_begin")
        ".byte 0\n.byte 0\n" /* common block, function */
        ".byte 0\n.Lfortran_end:\n" UNIT("d", "0x13") ".uleb128 17\n" NAME("prog")
        ".Ld_mode: .uleb128 18\n" NAME("Mode") ".byte 4\n"
        ".uleb128 19\n" NAME("off") ".byte 0\n.uleb128 19\n" NAME("on") ".byte 1\n.byte 0\n.byte 0\n"
        VARIABLE("d_mode", ".Ld_mode - .Ld_begin") ".byte 0\n.Ld_end:\n"
        UNIT("joined", "0x04") INSTANCE(".Lcxx_linked", "linked_place") INSTANCE(".Lcxx_joined", "gauge_joined")
        ".byte 0\n.Ljoined_end:\n" UNIT("cxx", "0x04") ".Lcxx_int: .uleb128 2\n" NAME("int") ".byte 4,5\n"
        ".uleb128 23\n.long .Lcxx_marks - .Lcxx_begin\n.byte 9,3\n.quad gauge_marks\n"
        ".uleb128 3\n" NAME("Gauge") ".byte 1\n"
        ".Lcxx_marks: .uleb128 22\n" NAME("marks") ".long .Lcxx_int - .Lcxx_begin\n"
        ".Lcxx_joined_member: .uleb128 22\n" NAME("joined") ".long .Lcxx_int - .Lcxx_begin\n"
        ".Lcxx_state_declared: .uleb128 32\n" NAME("State") ".byte 0\n"
        ".Lcxx_state: .uleb128 33\n.long .Lcxx_state_declared - .Lcxx_begin\n.byte 4\n"
        ".uleb128 19\n" NAME("OPEN") ".byte 1\n.byte 0\n" VARIABLE("gauge_state", ".Lcxx_state - .Lcxx_begin")
        ".Lcxx_joined: .uleb128 24\n.long .Lcxx_joined_member - .Lcxx_begin\n"
        ".Lcxx_linked: .uleb128 26\n" NAME("linked") ".long .Lcxx_int - .Lcxx_begin\n"
        ".Lcxx_address: .uleb128 2\n" NAME("__resume_fn") ".byte 8,1\n"
        VARIABLE("gauge_next", ".Lcxx_address - .Lcxx_begin")
        ".Lcxx_complex: .uleb128 2\n" NAME("complex double") ".byte 16,3\n"
        ".Lcxx_decimal: .uleb128 2\n" NAME("_Decimal64") ".byte 8,15\n"
        ".Lcxx_long: .uleb128 2\n" NAME("long double") ".byte 16,4\n"
        ".Lcxx_huge: .uleb128 2\n" NAME("__int128") ".byte 16,5\n"
        VARIABLE("gauge_wave", ".Lcxx_complex - .Lcxx_begin") VARIABLE("gauge_price", ".Lcxx_decimal - .Lcxx_begin")
        VARIABLE("gauge_exact", ".Lcxx_long - .Lcxx_begin") VARIABLE("gauge_huge", ".Lcxx_huge - .Lcxx_begin")
        ".byte 0\n.Lcxx_end:\n.popsection\n");
