// At most so many requests a second, and a few at once after a pause: a bucket of permits that a fiber refills.
#include <chrono>
#include <cstdio>
#include <ramie/ramie.hpp>

using namespace std::chrono_literals;

namespace {

class rate_limiter {
 public:
  rate_limiter(ramie::scope& of, std::chrono::steady_clock::duration interval, int burst)
      : m_permits(burst), m_taken(0) {
    of.spawn([this, interval] {
      for (;;) {
        m_taken.acquire();  // a permit that is missing
        ramie::sleep_for(interval);
        m_permits.release();
      }  // until the scope is cancelled: then a wait throws
    });
  }
  void acquire() {
    m_permits.acquire();
    m_taken.release();
  }

 private:
  ramie::counting_semaphore<> m_permits;
  ramie::counting_semaphore<> m_taken;
};

}  // namespace

int main() {
  ramie::run([] {
    ramie::with_scope([](ramie::scope& all) {
      rate_limiter limit(all, 2ms, 5);
      const auto begin = std::chrono::steady_clock::now();
      for (int request = 0; request < 20; ++request) limit.acquire();
      const auto took = std::chrono::steady_clock::now() - begin;
      std::printf("20 requests, 5 at once, took %s\n", took >= 30ms ? "their time" : "too little");
      all.request_stop();
    });
  });
}
