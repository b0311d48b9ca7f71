// The way in from outside: any thread pushes, any thread takes.
#include <model/scenarios/scenario.hpp>

#include <ramie/queue/injector.hpp>

#include <array>

namespace ramie::model {
namespace {

struct node {
  plain<node*> next = nullptr;
  plain<int> content = 0;
  plain<bool> taken = false;
};

using injector = queue::injector<node, provider>;

struct play {
  injector queue;
  std::array<node, 4> nodes;

  void push(std::size_t i) {
    nodes[i].content = 1;
    queue.push(&nodes[i]);
  }
  void push_two(std::size_t first) {
    const std::array<node*, 2> two{&nodes[first], &nodes[first + 1]};
    for (node* const each : two) each->content = 1;
    queue.push(two);
  }
  void push_bundle(injector::bundle& bundle, std::size_t first) {
    for (std::size_t i = first; i < first + 2; ++i) {
      nodes[i].content = 1;
      bundle.items[i - first] = &nodes[i];
    }
    bundle.count = 2;
    queue.push(&bundle, &bundle);
  }
  std::size_t pop(std::size_t singles) {
    std::array<node*, queue::bundle_capacity> out{};
    const std::size_t count = queue.pop_batch(out, singles);
    for (std::size_t i = 0; i < count; ++i) {
      require(out[i]->content == 1, "an item was taken before what was written to it was seen");
      require(!out[i]->taken, "an item was taken twice");
      out[i]->taken = true;
    }
    return count;
  }
  void finish(std::size_t pushed) {
    while (pop(2) != 0) {
    }
    require(queue.size() == 0, "an empty injector says that it is not");
    for (std::size_t i = 0; i < pushed; ++i) require(nodes[i].taken, "an item was lost");
  }
};

}  // namespace

subject injector_subject() {
  return {"queue/injector.hpp",
          {{"two that push, one that takes",
            [] {
              play of;
              threads([&] { of.push(0); }, [&] { of.push(1); }, [&] { of.pop(1); });
              of.finish(2);
            }},
           {"one that pushes, two that take",
            [] {
              play of;
              of.push(0);
              threads([&] { of.push(1); }, [&] { of.pop(2); }, [&] { of.pop(1); });
              of.finish(2);
            }},
           {"two at once beside one, and one that takes",
            [] {
              play of;
              threads([&] { of.push_two(0); }, [&] { of.push(2); }, [&] { of.pop(1); });
              of.finish(3);
            }},
           {"a bundle that is gone when its items run",
            [] {
              play of;
              std::optional<injector::bundle> bundle(std::in_place);
              threads([&] { of.push_bundle(*bundle, 0); },
                      [&] {
                        if (of.pop(1) == 2) bundle.reset();
                      });
              if (bundle) of.finish(2);
            }},
           {"a bundle beside single items", [] {
              play of;
              injector::bundle bundle;
              threads([&] { of.push_bundle(bundle, 0); }, [&] { of.push(2); }, [&] { of.pop(1); });
              of.finish(3);
            }}}};
}

}  // namespace ramie::model
