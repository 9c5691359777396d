// Several rows of the line table at one address, as in optimized code. No statement begins at a row with
// "is_stmt 0".
void rows(void) {
  __asm__ volatile(
      ".file 2 \"inlined.h\"\n"
      "row_22: .loc 1 20 0\n .loc 2 5 0\n .loc 1 22 0\n nop\n"
      "row_6: .loc 1 30 0\n .loc 2 6 0\n nop\n"
      "row_40: .loc 1 40 0\n .loc 2 7 0 is_stmt 0\n nop\n"
      "row_51: .loc 1 50 0 is_stmt 1\n .loc 1 51 0\n nop\n"
      "row_8: .loc 1 60 0 is_stmt 0\n .loc 2 8 0\n nop\n"
      "row_9: .loc 1 70 0 is_stmt 1\n .loc 1 71 0\n .loc 2 9 0\n nop\n"
      "row_80: .loc 1 80 0\n nop\n");
}
