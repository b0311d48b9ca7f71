// A request that is sent a second time when the first is slow. The answer that comes first cancels the other.
#include <chrono>
#include <cstdio>
#include <optional>
#include <ramie/ramie.hpp>
#include <string>

using namespace std::chrono_literals;

namespace {

// A replica. Any wait in it ends with `cancelled` when the scope around it is cancelled.
std::string ask(const char* replica, std::chrono::milliseconds takes) {
  ramie::sleep_for(takes);
  return std::string("answer of ") + replica;
}

std::string hedged() {
  std::optional<std::string> first;
  ramie::channel<std::string> answers(2);
  ramie::with_scope([&](ramie::scope& requests) {
    const auto request = [&](const char* replica, std::chrono::milliseconds takes) {
      requests.spawn([&answers, replica, takes] { static_cast<void>(answers.send(ask(replica, takes))); });
    };
    request("the slow one", 10s);
    ramie::select(ramie::on_receive(answers, first),  //
                  ramie::after(20ms, [&] { request("the fast one", 1ms); }));
    if (!first) first = answers.receive();
    requests.request_stop();  // the other one is not wanted any more, and ends before the scope does
  });
  return *first;
}

}  // namespace

int main() {
  ramie::run([] { std::printf("%s\n", hedged().c_str()); });
}
