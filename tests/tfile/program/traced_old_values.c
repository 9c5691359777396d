/* A unit beside traced_values.cpp that is described in DWARF 2, which tells no type of an enumeration. */
enum __attribute__((packed)) lamp { RED = 0x80, GREEN = 0xa1 } lamp = RED;
