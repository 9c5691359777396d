// Two threads put jobs into a queue and take them out; a GDB tracepoint sample.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int waiting;
const char* last_job = "none";

__attribute__((noinline)) int put(const char* name, int size) {
  pthread_mutex_lock(&lock);
  waiting += size;
  last_job = name;
  pthread_mutex_unlock(&lock);
  return size;
}

__attribute__((noinline)) int take(int size) {
  pthread_mutex_lock(&lock);
  const int left = waiting -= size;
  pthread_mutex_unlock(&lock);
  return left;
}

static void* taker(void* unused) {
  for (int i = 1; i <= 3; ++i) take(i);
  return unused;
}

int main(void) {
  static const char* const kNames[] = {"sort", "merge", "print"};
  for (int i = 0; i < 3; ++i) put(kNames[i], i + 1);
  pthread_t thread;
  pthread_create(&thread, 0, taker, 0);
  pthread_join(thread, 0);
  printf("%d waiting\n", waiting);
  return 0;
}
