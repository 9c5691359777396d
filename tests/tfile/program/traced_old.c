/* A unit beside traced_program.cpp that is described in DWARF 2. */
struct panel {
  int id;
  unsigned lamps : 3;
  int heat : 5;
  unsigned code : 9;
} panel = {7, 5, -3, 300};
