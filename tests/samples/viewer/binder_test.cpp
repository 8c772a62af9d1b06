// SPDX-License-Identifier: MIT
#include "samples/viewer/binder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace pelt::viewer {
namespace {

using testing::ElementsAre;

TEST(Binder, WorksInTheBackground) {
  Binder binder;
  EXPECT_FALSE(binder.progress());
  binder.wait();
  binder.finish();
  std::thread::id worked_on, done_on;
  binder.request("a", "working", [&](const Binder::Tell&) -> Binder::Done {
    worked_on = std::this_thread::get_id();
    return [&] { done_on = std::this_thread::get_id(); };
  });
  binder.wait();
  EXPECT_FALSE(binder.progress());
  EXPECT_EQ(done_on, std::thread::id());
  binder.finish();
  EXPECT_EQ(done_on, std::this_thread::get_id());
  EXPECT_NE(worked_on, std::this_thread::get_id());
  done_on = {};
  binder.finish();
  EXPECT_EQ(done_on, std::thread::id());  // once
}

// Holds the binder's thread until let_go(), so that later requests wait.
class Held {
 public:
  explicit Held(Binder& binder, const std::string& key = "held") {
    binder.request(key, "holding", [this](const Binder::Tell& tell) -> Binder::Done {
      go_on_ = tell(0.25, "halfway");
      begun_ = true;
      begun_.notify_all();
      free_.wait(false);
      go_on_ = tell(0.5, "further");
      return [this] { done_ = true; };
    });
    begun_.wait(false);
  }
  void let_go() {
    free_ = true;
    free_.notify_all();
  }
  bool went_on() const { return go_on_; }
  bool done() const { return done_; }

 private:
  std::atomic<bool> begun_ = false;
  std::atomic<bool> free_ = false;
  std::atomic<bool> go_on_ = false;
  bool done_ = false;
};

TEST(Binder, OfThoseThatWaitTheNewestOfAKeyIsDone) {
  Binder binder;
  Held held(binder);
  std::vector<int> done;
  for (int i = 1; i <= 50; ++i) {
    for (const char* key : {"a", "b"}) {
      binder.request(key, "counting",
                     [&done, i](const Binder::Tell&) -> Binder::Done { return [&done, i] { done.push_back(i); }; });
    }
  }
  const std::optional<Binder::Progress> progress = binder.progress();
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->key, "held");
  EXPECT_EQ(progress->title, "holding");
  EXPECT_EQ(progress->what, "halfway");
  EXPECT_EQ(progress->fraction, 0.25);
  EXPECT_EQ(progress->waiting, 2u);
  held.let_go();
  binder.wait();
  binder.finish();
  EXPECT_TRUE(held.done());
  EXPECT_THAT(done, ElementsAre(50, 50));
}

TEST(Binder, GivesUpOneKey) {
  Binder binder;
  Held held(binder);
  bool other = false;
  binder.request("a", "", [](const Binder::Tell&) -> Binder::Done {
    ADD_FAILURE() << "it was given up while it waited";
    return {};
  });
  binder.request("b", "", [&](const Binder::Tell&) -> Binder::Done { return [&] { other = true; }; });
  binder.cancel("a");
  binder.cancel("held");
  held.let_go();
  binder.wait();
  binder.finish();
  EXPECT_FALSE(held.went_on());
  EXPECT_FALSE(held.done());
  EXPECT_TRUE(other);
}

TEST(Binder, GivesUpWhatHasEnded) {
  Binder binder;
  binder.request("a", "", [](const Binder::Tell&) -> Binder::Done { return [] { ADD_FAILURE(); }; });
  binder.wait();
  binder.cancel();
  binder.finish();
  // Later requests are not dropped.
  Held held(binder);
  held.let_go();
  binder.wait();
  binder.finish();
  EXPECT_TRUE(held.went_on());
  EXPECT_TRUE(held.done());
}

// A newer request of the same key makes the running work worthless, one of another key does not.
TEST(Binder, GivesUpTheRunningWorkForANewerOne) {
  Binder binder;
  Held held(binder);
  EXPECT_FALSE(binder.is_given_up());
  binder.request("other", "", [](const Binder::Tell&) -> Binder::Done { return {}; });
  binder.give_up_outdated();
  EXPECT_FALSE(binder.is_given_up());
  bool newer = false;
  binder.request("held", "", [&](const Binder::Tell& tell) -> Binder::Done {
    newer = tell(0.5, "");
    return {};
  });
  EXPECT_FALSE(binder.is_given_up());
  binder.give_up_outdated();
  EXPECT_TRUE(binder.is_given_up());
  held.let_go();
  binder.wait();
  binder.finish();
  EXPECT_FALSE(held.went_on());
  EXPECT_FALSE(held.done());
  EXPECT_TRUE(newer);
}

TEST(Binder, EndsWhileWorkRuns) {
  std::atomic<bool> told = false;
  {
    Binder binder;
    binder.request("a", "", [&](const Binder::Tell& tell) -> Binder::Done {
      while (tell(0.5, "")) {
        told = true;
        told.notify_all();
        std::this_thread::yield();
      }
      return {};
    });
    told.wait(false);
  }
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace pelt::viewer
