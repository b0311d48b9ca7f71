#include "heat/picture.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <system_error>

#include "framework/report.hpp"

#if RAMIE_BENCH_PNG
#include <png.h>
#endif

namespace bench::heat {
namespace {

constexpr std::size_t frames = 20;

#if RAMIE_BENCH_PNG

using colour = std::array<std::uint8_t, 3>;

// Ten stops of matplotlib's `inferno` (CC0), made by S. van der Walt and N. Smith so that equal steps look equal: their
// lightness grows by about 11 from one to the next.
constexpr std::array<colour, 10> stops{{{0x00, 0x00, 0x04},
                                        {0x1b, 0x0c, 0x41},
                                        {0x4a, 0x0c, 0x6b},
                                        {0x78, 0x1c, 0x6d},
                                        {0xa5, 0x2c, 0x60},
                                        {0xcf, 0x44, 0x46},
                                        {0xed, 0x69, 0x25},
                                        {0xfb, 0x9b, 0x06},
                                        {0xf7, 0xd1, 0x3d},
                                        {0xfc, 0xff, 0xa4}}};
constexpr unsigned levels = 256;

std::array<std::uint8_t, std::size_t{3} * levels> colour_map() {
  std::array<std::uint8_t, std::size_t{3} * levels> map{};
  for (std::size_t level = 0; level < levels; ++level) {
    const std::size_t place = level * (stops.size() - 1);  // in units of 1 / 255 stop
    const std::size_t stop = std::min(place / (levels - 1), stops.size() - 2);
    const std::size_t beyond = place - stop * (levels - 1);
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t sum = stops[stop][c] * (levels - 1 - beyond) + stops[stop + 1][c] * beyond;
      map[3 * level + c] = static_cast<std::uint8_t>((sum + (levels - 1) / 2) / (levels - 1));
    }
  }
  return map;
}

std::vector<std::byte> png(const size& n, const grid& cells) {
  std::vector<std::uint8_t> pixels(cells.size());
  std::transform(cells.begin(), cells.end(), pixels.begin(), [](double temperature) {
    return static_cast<std::uint8_t>(std::clamp(temperature, 0.0, 1.0) * (levels - 1) + 0.5);
  });
  const auto map = colour_map();
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = static_cast<png_uint_32>(n.side);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = levels;
  png_alloc_size_t room = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<std::byte> bytes(room);
  if (png_image_write_to_memory(&image, bytes.data(), &room, 0, pixels.data(), 0, map.data()) == 0) {
    throw std::runtime_error(fmt::format("libpng made no picture: {}", image.message));
  }
  bytes.resize(room);
  return bytes;
}

#else

[[noreturn]] std::vector<std::byte> png(const size&, const grid&) {
  throw std::runtime_error(
      "this ramie was built without libpng and makes no pictures: apt-get install libpng-dev, then configure and build "
      "again");
}

#endif

void write(const std::string& file, const std::vector<std::byte>& bytes) {
  write_atomically(file, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace

std::vector<std::byte> picture(const size& n) { return png(n, expected(n)); }

void write_frames(const size& n, const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error && !std::filesystem::is_directory(directory)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw std::runtime_error(fmt::format("cannot make the folder {}: {}", directory, error.message()));
  const std::size_t every = std::max<std::size_t>(n.steps / frames, 1);
  grid now = initial(n);
  for (std::size_t step = 0;; ++step) {
    if (step % every == 0 || step == n.steps) {
      const std::string name = fmt::format("heat_{:04}.png", step);
      write((std::filesystem::path(directory) / name).string(), png(n, now));
    }
    if (step == n.steps) return;
    advance(n, now);
  }
}

}  // namespace bench::heat
