// An actor: state that one fiber alone touches, and messages for it. The answer comes back through a promise.
#include <cstdio>
#include <ramie/ramie.hpp>
#include <ramie/sync/future.hpp>
#include <string>
#include <utility>
#include <variant>

namespace {

struct deposit {
  long amount;
};
struct withdraw {
  long amount;
  ramie::promise<bool> done;
};
struct read_balance {
  ramie::promise<long> balance;
};
using message = std::variant<deposit, withdraw, read_balance>;

class account {
 public:
  explicit account(ramie::scope& of) {
    auto [to, from] = ramie::make_channel<message>(16);
    m_inbox = std::move(to);
    of.spawn([inbox = std::move(from)] {
      long balance = 0;
      for (message& next : inbox) {  // until the last sender is gone
        if (auto* in = std::get_if<deposit>(&next)) {
          balance += in->amount;
        } else if (auto* out = std::get_if<withdraw>(&next)) {
          const bool enough = out->amount <= balance;
          if (enough) balance -= out->amount;
          out->done.set_value(enough);
        } else {
          std::get<read_balance>(next).balance.set_value(balance);
        }
      }
    });
  }

  void put(long amount) { static_cast<void>(m_inbox.send(deposit{amount})); }
  bool take(long amount) {
    withdraw request{amount, {}};
    auto done = request.done.get_future();
    static_cast<void>(m_inbox.send(std::move(request)));
    return done.get();
  }
  long balance() {
    read_balance request;
    auto answer = request.balance.get_future();
    static_cast<void>(m_inbox.send(std::move(request)));
    return answer.get();
  }

 private:
  ramie::sender<message> m_inbox;
};

}  // namespace

int main() {
  ramie::run([] {
    ramie::with_scope([](ramie::scope& all) {
      account savings(all);
      ramie::with_scope([&](ramie::scope& customers) {
        for (int i = 0; i < 10; ++i) customers.spawn([&] { savings.put(10); });
      });
      const bool all_of_it = savings.take(100);
      const bool more = savings.take(1);
      std::printf("100 taken: %s, one more: %s, left: %ld\n", all_of_it ? "yes" : "no", more ? "yes" : "no",
                  savings.balance());
    });
  });
}
