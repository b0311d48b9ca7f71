// A pipeline, whose stages work on several items at once; and a graph of tasks that is built once and run twice.
#include <cctype>
#include <cstdio>
#include <optional>
#include <ramie/ramie.hpp>
#include <sstream>
#include <string>

int main() {
  ramie::run([] {
    std::istringstream input("plain blocking functions as fibers");
    ramie::pipeline(
        {.in_flight = 8},
        [&]() -> std::optional<std::string> {
          std::string word;
          if (!(input >> word)) return {};
          return word;
        },
        ramie::stage::parallel([](std::string word) {
          word[0] = static_cast<char>(std::toupper(word[0]));
          return word;
        }),
        ramie::stage::in_order([](const std::string& word) { std::printf("%s ", word.c_str()); }));
    std::printf("\n");

    int input_value = 3, square = 0, cube = 0;
    ramie::task_graph graph;
    auto [squares, cubes, prints] = graph.emplace([&] { square = input_value * input_value; },
                                                  [&] { cube = input_value * input_value * input_value; },
                                                  [&] { std::printf("%d %d\n", square, cube); });
    prints.succeed(squares, cubes);
    graph.run();
    input_value = 5;
    graph.run();
  });
}
