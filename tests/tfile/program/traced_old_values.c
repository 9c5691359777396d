/* A second unit of the program in traced_values.cpp. DWARF 2 does not have the type of an enumeration. */
enum __attribute__((packed)) lamp { RED = 0x80, GREEN = 0xa1 } lamp = RED;
