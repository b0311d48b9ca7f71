// The block-based queues, with blocks so small that they change hands all the time.
#include <model/scenarios/work_queue_play.hpp>

#include <ramie/queue/bwos_fifo.hpp>
#include <ramie/queue/bwos_lifo.hpp>

namespace ramie::model {
namespace {

using queue::block_shape;
using queue::grant;

// The capacity that a play asks for is not what is tested: the shape is.
template <class Queue, std::size_t Blocks, std::size_t Entries, grant Granting>
class shaped : public Queue {
 public:
  explicit shaped(std::size_t /*capacity*/ = 0) : Queue(block_shape{Blocks, Entries, Granting}) {}
};

template <class Queue>
class block_play : public play<Queue> {
 public:
  explicit block_play(std::size_t capacity = 0) : play<Queue>(capacity) {}

  void pop_two() {
    this->pop();
    this->pop();
  }

  // Thieves do not get the items that the owner holds.
  void finish() {
    this->steal();
    for (std::size_t i = 0; i < 5; ++i) this->pop();
    play<Queue>::finish();
  }
};

using lifo_queue = queue::bwos_lifo<item*, provider>;
using fifo_queue = queue::bwos_fifo<item*, provider>;

template <class Queue, std::size_t Blocks, std::size_t Entries, grant Granting>
using play_of = block_play<shaped<Queue, Blocks, Entries, Granting>>;

// The scenarios of every shape: two items at most are there at a time.
template <class Play>
std::vector<scenario> of_two_items(const std::string& shape) {
  return {
      {shape + ": blocks change hands beside a thief",
       [] {
         Play of;
         of.push();
         of.push();
         threads(
             [&] {
               of.pop();
               of.push();
               of.pop();
             },
             [&] { of.steal(); });
         of.finish();
       }},
      {shape + ": take-over beside two thieves",
       [] {
         Play of;
         of.push();
         of.push();
         threads(
             [&] {
               of.pop();
               of.pop();
             },
             [&] { of.steal(); }, [&] { of.steal(); });
         of.finish();
       }},
      {shape + ": a batch beside take-over",
       [] {
         Play of;
         of.push();
         of.push();
         threads(
             [&] {
               of.pop();
               of.pop();
             },
             [&] { of.steal_batch(); });
         of.finish();
       }},
      {shape + ": thieves that ask beside pushes",
       [] {
         Play of;
         threads(
             [&] {
               of.push();
               of.push();
             },
             [&] {
               of.steal();
               of.steal();
             });
         of.finish();
       }},
      {shape + ": the ring goes round",
       [] {
         Play of;
         of.push();
         of.push();
         threads(
             [&] {
               of.pop_two();
               of.push();
             },
             [&] { of.steal(); });
         of.finish();
       }},
  };
}

// While items change hands, somebody else looks at the size. The item that is there all the time must not be missed.
template <class Queue>
std::vector<scenario> sizes_on_the_move() {
  return {
      {"a size while items are taken over",
       [] {
         play_of<Queue, 2, 2, grant::faithful> of;
         for (int i = 0; i < 3; ++i) of.push();
         threads([&] { of.pop_two(); }, [&] { require(of.queue().size() != 0, "size() has missed an item"); });
         of.finish();
       }},
      {"a size while items are granted by a pop",
       [] {
         play_of<Queue, 2, 2, grant::early> of;
         of.push();
         of.push();
         of.steal();  // asks
         threads([&] { of.pop(); }, [&] { require(of.queue().size() != 0, "size() has missed an item"); });
         of.finish();
       }},
      {"a size while items are granted by a push",
       [] {
         play_of<Queue, 2, 2, grant::early> of;
         of.push();
         of.steal();  // asks
         threads(
             [&] {
               of.push();
               of.pop();
             },
             [&] { require(of.queue().size() != 0, "size() has missed an item"); });
         of.finish();
       }},
      {"a size while blocks are left and taken over",
       [] {
         play_of<Queue, 4, 1, grant::faithful> of;
         of.push();
         threads(
             [&] {
               of.push();
               of.push();
               of.pop_two();
             },
             [&] { require(of.queue().size() != 0, "size() has missed an item"); });
         of.finish();
       }},
  };
}

template <class Queue>
scenario grant_of_more() {
  return {"more is granted beside a thief", [] {
            play_of<Queue, 2, 3, grant::early> of;
            of.push();
            of.steal();  // asks
            threads(
                [&] {
                  for (int i = 0; i < 3; ++i) of.push();
                },
                [&] {
                  of.steal_batch();
                  of.steal();
                });
            of.finish();
          }};
}

void add(std::vector<scenario>& to, std::vector<scenario> more) {
  for (scenario& each : more) to.push_back(std::move(each));
}

// The scenarios of every queue. A thief that finds nothing in an early queue looks at every word twice, so the largest
// programs are left to the faithful one, where it does not.
template <class Queue>
std::vector<scenario> common_of() {
  std::vector<scenario> all = common<play_of<Queue, 2, 2, grant::early>>();
  std::erase_if(all, [](const scenario& each) {
    return each.name.find("steal twice") != std::string::npos || each.name.find("used again") != std::string::npos ||
           each.name.starts_with("a size");
  });
  for (scenario& each : common<play_of<Queue, 2, 2, grant::faithful>>()) {
    each.name += ", faithful";
    all.push_back(std::move(each));
  }
  return all;
}

template <class Queue>
std::vector<scenario> scenarios_of() {
  std::vector<scenario> all = sizes_on_the_move<Queue>();
  add(all, before_sleep<shaped<Queue, 2, 3, grant::early>>());
  for (scenario& each : before_sleep<shaped<Queue, 2, 1, grant::faithful>>()) {
    each.name += ", faithful";
    all.push_back(std::move(each));
  }
  add(all, sizes<play_of<Queue, 2, 2, grant::early>>());
  add(all, of_two_items<play_of<Queue, 2, 1, grant::early>>("2 blocks of 1"));
  add(all, of_two_items<play_of<Queue, 2, 1, grant::faithful>>("2 blocks of 1, faithful"));
  add(all, of_two_items<play_of<Queue, 4, 1, grant::early>>("4 blocks of 1"));
  std::erase_if(all, [](const scenario& each) { return each.name == "4 blocks of 1: take-over beside two thieves"; });
  add(all, of_two_items<play_of<Queue, 2, 2, grant::early>>("2 blocks of 2"));
  add(all, of_two_items<play_of<Queue, 2, 3, grant::early>>("2 blocks of 3"));
  add(all, common_of<Queue>());
  return all;
}

}  // namespace

subject bwos_lifo_subject() {
  subject all{"queue/bwos_lifo.hpp", scenarios_of<lifo_queue>()};
  all.scenarios.push_back(grant_of_more<lifo_queue>());
  all.scenarios.push_back({"the same block again", [] {
                             play_of<lifo_queue, 4, 1, grant::early> of;
                             of.push();
                             of.steal();  // asks
                             threads(
                                 [&] {
                                   of.push();
                                   of.push();
                                   of.pop();
                                 },
                                 [&] {
                                   of.steal();
                                   of.steal();
                                 });
                             of.finish();
                           }});
  return all;
}
subject bwos_fifo_subject() {
  subject all{"queue/bwos_fifo.hpp", scenarios_of<fifo_queue>()};
  add(all.scenarios, {
                         {"a size while the next block is taken over",
                          [] {
                            play_of<fifo_queue, 2, 2, grant::faithful> of;
                            for (int i = 0; i < 4; ++i) of.push();
                            threads(
                                [&] {
                                  of.pop_two();
                                  of.pop();
                                },
                                [&] { require(of.queue().size() != 0, "size() has missed an item"); });
                            of.finish();
                          }},
                         {"a size while the newer half is given",
                          [] {
                            play_of<fifo_queue, 2, 3, grant::early> of;
                            for (int i = 0; i < 3; ++i) of.push();
                            of.steal();  // asks
                            threads([&] { of.pop_two(); },
                                    [&] { require(of.queue().size() != 0, "size() has missed an item"); });
                            of.finish();
                          }},
                         {"what is put behind a part that thieves have used up",
                          [] {
                            play_of<fifo_queue, 2, 5, grant::early> of;
                            for (int i = 0; i < 4; ++i) of.push();
                            of.steal();  // asks
                            of.pop();    // gives two of three
                            for (int i = 0; i < 3; ++i) of.steal();
                            threads(
                                [&] {
                                  of.push();
                                  of.pop_two();
                                },
                                [&] { of.steal(); });
                            of.finish();
                          }},
                         {"half of what is left before a part that thieves have used up",
                          [] {
                            play_of<fifo_queue, 2, 5, grant::early> of;
                            for (int i = 0; i < 5; ++i) of.push();
                            of.steal();  // asks
                            of.pop();    // gives two of four
                            for (int i = 0; i < 3; ++i) of.steal();
                            threads([&] { of.pop_two(); }, [&] { of.steal(); });
                            of.finish();
                          }},
                     });
  return all;
}

}  // namespace ramie::model
