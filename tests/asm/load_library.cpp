// Loads a shared object while another thread already runs, and calls its test_everything(). Arguments: the object, and
// a number for the call. The thread-local word of the object must then come out of what the dynamic linker keeps in
// reserve (the initial-exec model).
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <future>
#include <thread>

int main(int count, char** arguments) {
  std::promise<int (*)(long)> loaded;
  const long number = count > 2 ? std::atol(arguments[2]) : 1000;
  int of_older_thread = 1;
  std::thread older([&, function = loaded.get_future()]() mutable { of_older_thread = function.get()(number); });
  void* const object = count > 1 ? ::dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  auto* const function = object != nullptr ? ::dlsym(object, "test_everything") : nullptr;
  if (function == nullptr) {
    std::fprintf(stderr, "wrong: %s\n", count > 1 ? ::dlerror() : "no shared object named");
    std::_Exit(1);
  }
  const auto test_everything = reinterpret_cast<int (*)(long)>(function);
  loaded.set_value(test_everything);
  older.join();
  return of_older_thread + test_everything(number);
}
