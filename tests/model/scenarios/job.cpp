// Jobs: the worker that finds a job done, and the waiters that are told.
#include <model/scenarios/scenario.hpp>

#include <ramie/job/job_words.hpp>
#include <ramie/scheduler/park_word.hpp>

#include <array>
#include <optional>

namespace ramie::model {

using enum std::memory_order;

subject job_words_subject() {
  struct item {
    plain<item*> next = nullptr;
    detail::park_word<provider>* waits = nullptr;  // of one that waits; else it is a note
  };
  // A job and its children. Each writes what it has done, and the worker that finds the job done must see all of it.
  struct family {
    using count = job::detail::open_count<provider>;
    count::word word;
    job::detail::after_list<item, provider> after;
    std::array<plain<int>, 3> done;
    std::array<item, 2> notes;
    plain<int> notes_seen = 0;
    plain<int> completed = 0;

    family() { count(word).begin(); }

    void complete(int children, bool kept) {
      for (int i = 0; i <= children; ++i) require(done[static_cast<std::size_t>(i)] == 1, "done before a child is");
      int seen = 0;
      for (item* each = after.look(); each != nullptr; each = each->next) seen += each->waits == nullptr ? 1 : 0;
      notes_seen = seen;
      completed = completed + 1;
      if (!kept) return;
      for (item* each = after.finish(); each != nullptr;) {
        item& told = *each;
        each = told.next;
        if (told.waits != nullptr) told.waits->unpark();
      }
    }
    // `own` children that it has not added, of `children` in all.
    void function(std::uint32_t own, int children, bool kept) {
      done[0] = 1;
      if (own == 0 && count(word).has_nothing_left()) return complete(children, kept);
      if (count(word).add_up_to_zero(own - count::open)) complete(children, kept);
    }
    void child(std::size_t number, int children, bool kept) {
      done[number] = 1;
      if (count(word).add_up_to_zero(static_cast<std::uint32_t>(-1))) complete(children, kept);
    }
    void wait() {
      detail::park_word<provider> word_of_mine;
      {
        item mine;
        mine.waits = &word_of_mine;
        if (after.add(mine)) word_of_mine.park();
        mine.next = nullptr;  // the list lets go of it before it wakes it
      }
      require(completed == 1, "woken before it is done");
    }
  };
  return {"job/job_words.hpp",
          {{"a function that adds two children at its end",
            [] {
              family one;
              threads([&] { one.function(2, 2, false); }, [&] { one.child(1, 2, false); },
                      [&] { one.child(2, 2, false); });
              require(one.completed == 1, "not done");
            }},
           {"a child that was created before the job is run",
            [] {
              family one;
              family::count(one.word).add_children(1);
              threads([&] { one.function(0, 1, false); }, [&] { one.child(1, 1, false); });
              require(one.completed == 1, "not done");
            }},
           {"a child that adds another",
            [] {
              family one;
              family::count(one.word).add_children(1);
              atomic<int> born{0};
              threads([&] { one.function(0, 2, false); },
                      [&] {
                        family::count(one.word).add_children(1);
                        born.store(1, release);
                        one.child(1, 2, false);
                      },
                      [&] {
                        while (born.load(acquire) == 0) provider::pause();
                        one.child(2, 2, false);
                      });
              require(one.completed == 1, "not done");
            }},
           {"one that waits",
            [] {
              family one;
              threads([&] { one.function(1, 1, true); }, [&] { one.child(1, 1, true); }, [&] { one.wait(); });
            }},
           {"one that looks first",
            [] {
              family one;
              threads([&] { one.function(0, 0, true); },
                      [&] {
                        if (one.after.is_finished()) require(one.completed == 1, "finished before it is done");
                      });
            }},
           {"notes of two children", [] {
              family one;
              const auto child = [&](std::size_t number) {
                require(one.after.add(one.notes[number - 1]), "a note came after the end");
                one.child(number, 2, false);
              };
              threads([&] { one.function(2, 2, false); }, [&] { child(1); }, [&] { child(2); });
              require(one.completed == 1 && one.notes_seen == 2, "a note was lost");
            }}}};
}

}  // namespace ramie::model
