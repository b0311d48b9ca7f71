// expect: T must be nothrow move constructible and nothrow destructible. Send a std::unique_ptr<T>
#include <ramie/sync/channel.hpp>

#include <memory>

struct item {
  item(item&&);
};

void right() { ramie::channel<std::unique_ptr<item>> of(1); }

#ifdef RAMIE_MISUSE
void wrong() { ramie::channel<item> of(1); }
#endif
