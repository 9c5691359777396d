#include "converters/model/merging/workers.h"

#include <utility>

namespace convert {

Workers::Workers(std::size_t jobs) {
  for (std::size_t worker = 1; worker < jobs; ++worker)
    threads_.emplace_back([this, worker] { run(worker); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    next_ = count_;
  }
  begun_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::start(std::size_t count, Task task) {
  {
    const std::lock_guard lock(mutex_);
    task_ = std::move(task);
    next_ = 0;
    count_ = count;
    failed_ = count;
    failure_ = nullptr;
  }
  if (count == 1)
    begun_.notify_one();
  else if (count != 0)
    begun_.notify_all();
}

void Workers::finish() {
  std::unique_lock lock(mutex_);
  work(lock, 0);
  done_.wait(lock, [this] { return running_ == 0; });
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Workers::run(std::size_t worker) {
  std::unique_lock lock(mutex_);
  for (;;) {
    begun_.wait(lock, [this] { return is_over_ || next_ < count_; });
    if (is_over_) return;
    work(lock, worker);
  }
}

void Workers::work(std::unique_lock<std::mutex>& lock, std::size_t worker) {
  while (next_ < count_) {
    const std::size_t task = next_++;
    ++running_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      task_(task, worker);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure != nullptr && task < failed_) {
      failure_ = std::move(failure);
      failed_ = task;
    }
    if (--running_ == 0 && next_ == count_) done_.notify_all();
  }
}

}  // namespace convert
