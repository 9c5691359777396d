/* A second unit of the program in traced_program.cpp, with debug information in DWARF 2. */
struct panel {
  int id;
  unsigned lamps : 3;
  int heat : 5;
  unsigned code : 9;
} panel = {7, 5, -3, 300};

/* More enumerators than are read. The last one is negative. */
#define FOUR(e) e##0, e##1, e##2, e##3
#define SIXTEEN(e) FOUR(e##0), FOUR(e##1), FOUR(e##2), FOUR(e##3)
#define OF_64(e) SIXTEEN(e##0), SIXTEEN(e##1), SIXTEEN(e##2), SIXTEEN(e##3)
#define OF_256(e) OF_64(e##0), OF_64(e##1), OF_64(e##2), OF_64(e##3)
#define OF_1024(e) OF_256(e##0), OF_256(e##1), OF_256(e##2), OF_256(e##3)
enum large { OF_1024(A), OF_1024(B), OF_1024(C), OF_1024(D), BELOW = -1 } large = BELOW;
