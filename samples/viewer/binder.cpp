// SPDX-License-Identifier: MIT
#include "samples/viewer/binder.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace pelt::viewer {

struct Binder::State {
  mutable std::mutex mutex;
  mutable std::condition_variable_any changed;
  std::deque<Request> waiting;
  std::vector<Finished> finished;
  std::optional<Progress> current;  // Progress::waiting is set when it is asked for
  std::jthread thread;              // last: it uses what is above, and is joined first

  bool idle() const { return !current && waiting.empty(); }

  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    while (changed.wait(lock, stop, [&] { return !waiting.empty(); })) {
      if (stop.stop_requested()) return;
      const Request request = std::move(waiting.front());
      waiting.pop_front();
      current = Progress{request.key, "", 0, 0};
      lock.unlock();
      Finished done = bind_one(request);
      lock.lock();
      finished.push_back(std::move(done));
      current.reset();
      changed.notify_all();
    }
  }

  Finished bind_one(const Request& request) {
    BindOptions options;
    options.progress = [this](double fraction, const std::string& what) {
      const std::lock_guard lock(mutex);
      current->fraction = fraction;
      current->what = what;
    };
    const auto start = std::chrono::steady_clock::now();
    // Out of memory, with rigs that ask for much: the thread is not left by an exception.
    Result<Bound> bound = fail(ErrorCode::kUnsupported, "");
    try {
      bound = bind(*request.model, request.rig, options);
    } catch (const std::exception& thrown) {
      bound = fail(ErrorCode::kUnsupported, std::string("the rig cannot be bound: ") + thrown.what());
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    return {request.key, request.revision, taken.count(), std::move(bound)};
  }
};

Binder::Binder() : state_(std::make_unique<State>()) {
  state_->thread = std::jthread([state = state_.get()](const std::stop_token& stop) { state->run(stop); });
}

Binder::~Binder() = default;

void Binder::request(Request request) {
  {
    const std::lock_guard lock(state_->mutex);
    std::deque<Request>& waiting = state_->waiting;
    const auto same =
        std::find_if(waiting.begin(), waiting.end(), [&](const Request& r) { return r.key == request.key; });
    if (same != waiting.end()) {
      *same = std::move(request);
    } else {
      waiting.push_back(std::move(request));
    }
  }
  state_->changed.notify_all();
}

std::optional<Binder::Progress> Binder::progress() const {
  const std::lock_guard lock(state_->mutex);
  if (state_->idle()) return std::nullopt;
  if (!state_->current) return Progress{state_->waiting.front().key, "", 0, state_->waiting.size() - 1};
  Progress progress = *state_->current;
  progress.waiting = state_->waiting.size();
  return progress;
}

std::vector<Binder::Finished> Binder::take_finished() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->finished, {});
}

void Binder::wait() const {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->idle(); });
}

}  // namespace pelt::viewer
