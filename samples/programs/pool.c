// A pool of worker threads that takes jobs from a queue: threads with names, locks, recursion.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kWorkers = 3, kJobs = 40, kBlock = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int next_job, added_jobs, closed;
static uint32_t result;

static uint32_t checksum_leaf(const unsigned char* bytes, size_t size) {
  uint32_t sum = 1;
  for (size_t i = 0; i < size; ++i) sum = sum * 31 + bytes[i];
  return sum;
}

static uint32_t checksum(const unsigned char* bytes, size_t size) {
  if (size <= 512) return checksum_leaf(bytes, size);
  return checksum(bytes, size / 2) ^ checksum(bytes + size / 2, size - size / 2);
}

static unsigned char* make_block(int job) {
  unsigned char* block = malloc(kBlock);
  for (int i = 0; i < kBlock; ++i) block[i] = (unsigned char)(i * job);
  return block;
}

static uint32_t run_job(int job) {
  unsigned char* block = make_block(job);
  uint32_t sum = checksum(block, kBlock >> (job % 3));
  if (job % 10 == 0) usleep(200);  // this job waits for something
  free(block);
  return sum;
}

// The next job's number, or -1 when there will be no more.
static int take_job(void) {
  pthread_mutex_lock(&lock);
  while (next_job == added_jobs && !closed) pthread_cond_wait(&changed, &lock);
  int job = next_job < added_jobs ? next_job++ : -1;
  pthread_mutex_unlock(&lock);
  return job;
}

static void add_result(uint32_t sum) {
  pthread_mutex_lock(&lock);
  result ^= sum;
  pthread_mutex_unlock(&lock);
}

static void* worker(void* number) {
  char name[16];
  snprintf(name, sizeof name, "worker %d", (int)(intptr_t)number);
  pthread_setname_np(pthread_self(), name);
  for (int job; (job = take_job()) >= 0;) add_result(run_job(job));
  return NULL;
}

static void add_jobs(int count, int last) {
  pthread_mutex_lock(&lock);
  added_jobs += count;
  closed = last;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

int main(void) {
  pthread_t workers[kWorkers];
  for (intptr_t i = 0; i < kWorkers; ++i) pthread_create(&workers[i], NULL, worker, (void*)(i + 1));
  for (int batch = 0; batch < 4; ++batch) {
    add_jobs(kJobs / 4, batch == 3);
    usleep(300);
  }
  for (int i = 0; i < kWorkers; ++i) pthread_join(workers[i], NULL);
  printf("%u\n", result);
  return 0;
}
