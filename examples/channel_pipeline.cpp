// Three stages connected by channels. Each stage closes its output by ending: its sender is the last one.
#include <cctype>
#include <cstdio>
#include <ramie/ramie.hpp>
#include <string>
#include <utility>

int main() {
  ramie::run([] {
    auto [words_in, words] = ramie::make_channel<std::string>(4);
    auto [upper_in, upper] = ramie::make_channel<std::string>(4);

    ramie::with_scope([&](ramie::scope& stages) {
      stages.spawn([to = std::move(words_in)] {
        for (const char* word : {"plain", "blocking", "code"}) {
          if (to.send(word) != ramie::channel_status::done) return;  // nobody wants them any more
        }
      });
      stages.spawn([from = std::move(words), to = std::move(upper_in)] {
        for (std::string& word : from) {
          for (char& letter : word) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
          if (to.send(std::move(word)) != ramie::channel_status::done) return;
        }
      });
      for (const std::string& word : upper) std::printf("%s\n", word.c_str());
    });
  });
}
