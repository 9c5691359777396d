// Three threads carry stones; recorded by uftrace and GDB at the same time. Starts to work when the file `go`
// appears, so that GDB can attach before.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

volatile int total;

__attribute__((noinline)) int weigh(int carrier, int stone) {
  total += carrier * stone;
  return total;
}

__attribute__((noinline)) int carry(int carrier, int round) {
  const long tid = gettid();
  int sum = 0;
  for (int i = 0; i < 2; ++i) sum += weigh(carrier, round + i);
  usleep(500);
  return sum + (tid == 0);
}

static void* worker(void* number) {
  const int carrier = (int)(long)number;
  int sum = 0;
  for (int round = 1; round <= 2; ++round) sum += carry(carrier, round);
  return (void*)(long)sum;
}

int main(void) {
  pthread_t threads[3];
  printf("%d\n", getpid());
  fflush(stdout);
  for (int i = 0; i < 600 && access("go", F_OK) != 0; ++i) usleep(100000);
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, worker, (void*)(i + 1));
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  printf("total %d\n", total);
  return 0;
}
