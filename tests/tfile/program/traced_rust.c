/* The debug information that rustc writes for a function and a variable. The tests do not need rustc. */
int rust_count = 3;
__asm__(
    ".text\n.globl rust_visit\n.type rust_visit,%function\nrust_visit: ret\n.Lrust_visit_end:\n"
    ".size rust_visit, .Lrust_visit_end - rust_visit\n"
    ".pushsection .debug_abbrev,\"\",%progbits\n.Lrust_abbrev:\n"
    ".uleb128 1,0x11,1, 0x13,0x0b, 0x11,1, 0x12,6, 0,0\n" /* compile unit: language, first and last address */
    ".uleb128 2,0x24,0, 3,8, 0x0b,0x0b, 0x3e,0x0b, 0,0\n" /* base type: name, size, encoding */
    ".uleb128 3,0x2e,0, 3,8, 0x11,1, 0x12,6, 0,0\n"       /* function: name, first and last address */
    ".uleb128 4,0x34,0, 3,8, 0x49,0x13, 2,0x18, 0,0\n"    /* variable: name, type, location */
    ".byte 0\n.popsection\n"
    ".pushsection .debug_info,\"\",%progbits\n"
    ".Lrust_begin: .long .Lrust_end - .Lrust_version\n.Lrust_version: .short 4\n.long .Lrust_abbrev\n.byte "
    "8\n"
    ".uleb128 1\n.byte 0x1c\n.quad rust_visit\n.long .Lrust_visit_end - rust_visit\n"
    ".Lrust_i32: .uleb128 2\n.asciz \"i32\"\n.byte 4,5\n"
    ".uleb128 3\n.asciz \"rust_visit\"\n.quad rust_visit\n.long .Lrust_visit_end - rust_visit\n"
    ".uleb128 4\n.asciz \"rust_count\"\n.long .Lrust_i32 - .Lrust_begin\n.byte 9,3\n.quad rust_count\n"
    ".byte 0\n.Lrust_end:\n.popsection\n");
