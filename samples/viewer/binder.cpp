// SPDX-License-Identifier: MIT
#include "samples/viewer/binder.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace pelt::viewer {
namespace {

struct Request {
  std::string key;
  std::string title;
  Binder::Work work;
};

struct Finished {
  std::string key;
  Binder::Done done;
};

}  // namespace

struct Binder::State {
  mutable std::mutex mutex;
  mutable std::condition_variable_any changed;
  std::deque<Request> waiting;
  std::vector<Finished> finished;
  std::optional<Progress> current;     // progress() sets Progress::waiting
  std::atomic<bool> given_up = false;  // the running work is no longer wanted; set under the mutex
  std::jthread thread;                 // last: it uses the members above, and is joined first

  bool idle() const { return !current && waiting.empty(); }

  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    while (changed.wait(lock, stop, [&] { return !waiting.empty(); })) {
      if (stop.stop_requested()) return;
      const Request request = std::move(waiting.front());
      waiting.pop_front();
      current = Progress{request.key, request.title, "", 0, 0};
      given_up = false;
      lock.unlock();
      Done done = request.work([&](double fraction, const std::string& what) {
        const std::lock_guard guard(mutex);
        current->fraction = fraction;
        current->what = what;
        return !given_up;
      });
      lock.lock();
      if (done && !given_up) {
        finished.push_back({request.key, std::move(done)});
      } else {
        // Destroy the result before wait() returns; it may be large, so do not hold the lock meanwhile.
        lock.unlock();
        done = nullptr;
        lock.lock();
      }
      current.reset();
      changed.notify_all();
    }
  }
};

Binder::Binder() : state_(std::make_unique<State>()) {
  state_->thread = std::jthread([state = state_.get()](const std::stop_token& stop) { state->run(stop); });
}

Binder::~Binder() {
  cancel();
  state_->thread.request_stop();
  state_->thread.join();  // while its work may still ask is_given_up()
}

void Binder::request(const std::string& key, const std::string& title, Work work) {
  {
    const std::lock_guard lock(state_->mutex);
    std::deque<Request>& waiting = state_->waiting;
    const auto same = std::find_if(waiting.begin(), waiting.end(), [&](const Request& r) { return r.key == key; });
    if (same != waiting.end()) {
      same->work = std::move(work);
      same->title = title;
    } else {
      waiting.push_back({key, title, std::move(work)});
    }
  }
  state_->changed.notify_all();
}

std::optional<Binder::Progress> Binder::progress() const {
  const std::lock_guard lock(state_->mutex);
  if (state_->idle()) return std::nullopt;
  if (!state_->current) {
    const Request& next = state_->waiting.front();
    return Progress{next.key, next.title, "", 0, state_->waiting.size() - 1};
  }
  Progress progress = *state_->current;
  progress.waiting = state_->waiting.size();
  return progress;
}

void Binder::finish() {
  std::vector<Finished> finished;
  {
    const std::lock_guard lock(state_->mutex);
    finished.swap(state_->finished);
  }
  for (const Finished& one : finished) one.done();
}

void Binder::wait() const {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->idle(); });
}

void Binder::cancel(const std::string& key) {
  const std::lock_guard lock(state_->mutex);
  std::erase_if(state_->waiting, [&](const Request& request) { return request.key == key; });
  std::erase_if(state_->finished, [&](const Finished& one) { return one.key == key; });
  if (state_->current && state_->current->key == key) state_->given_up = true;
  state_->changed.notify_all();
}

void Binder::cancel() {
  const std::lock_guard lock(state_->mutex);
  state_->waiting.clear();
  state_->finished.clear();
  state_->given_up = state_->current.has_value();
  state_->changed.notify_all();
}

void Binder::give_up_outdated() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->current) return;
  const std::string& key = state_->current->key;
  if (std::ranges::find(state_->waiting, key, &Request::key) != state_->waiting.end()) state_->given_up = true;
}

bool Binder::is_given_up() const { return state_->given_up; }

}  // namespace pelt::viewer
