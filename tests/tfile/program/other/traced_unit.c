/* Another file with the name traced_unit.c. */

int of_same_name(int n) { return n + 1; }
