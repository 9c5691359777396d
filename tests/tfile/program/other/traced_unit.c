/* Another file of the same name. */

int of_same_name(int n) { return n + 1; }
