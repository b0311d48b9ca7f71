// The pictures of `ramie bench heat --image`. Built without libpng, the sentence that says so.
#include "heat/picture.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace bench::heat {
namespace {

const size small{.side = 128, .steps = 40};

class HeatPicture : public testing::Test {
 protected:
  void SetUp() override {
    try {
      m_picture = picture(small);
    } catch (const std::runtime_error& problem) {
      EXPECT_NE(std::string(problem.what()).find("apt-get install libpng-dev"), std::string::npos) << problem.what();
      GTEST_SKIP() << problem.what();
    }
  }
  void TearDown() override { std::filesystem::remove_all(m_folder); }

  std::vector<std::byte> m_picture;
  const std::string m_folder = testing::TempDir() + "ramie_heat_picture_" + std::to_string(getpid());
};

/// The big-endian number at `place`.
std::uint32_t number(const std::vector<std::byte>& bytes, std::size_t place) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8U | std::to_integer<std::uint32_t>(bytes.at(place + i));
  return value;
}

TEST_F(HeatPicture, IsAPngOfTheGridsSize) {
  constexpr std::array<unsigned char, 8> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  ASSERT_GT(m_picture.size(), 100U);
  EXPECT_EQ(std::memcmp(m_picture.data(), signature.data(), signature.size()), 0);
  EXPECT_EQ(std::memcmp(&m_picture[12], "IHDR", 4), 0);
  EXPECT_EQ(number(m_picture, 16), small.side);
  EXPECT_EQ(number(m_picture, 20), small.side);
  EXPECT_EQ(std::memcmp(&m_picture[m_picture.size() - 8], "IEND", 4), 0);
}

TEST_F(HeatPicture, FramesLieInANewFolder_TheLastIsThePicture) {
  write_frames(small, m_folder + "/a/b");
  std::size_t files = 0;
  for (const auto& each : std::filesystem::directory_iterator(m_folder + "/a/b")) {
    EXPECT_EQ(each.path().extension(), ".png");
    ++files;
  }
  EXPECT_EQ(files, 21U);
  EXPECT_TRUE(std::filesystem::exists(m_folder + "/a/b/heat_0000.png"));
  std::ifstream in(m_folder + "/a/b/heat_0040.png", std::ios::binary);
  const std::string last((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  ASSERT_EQ(last.size(), m_picture.size());
  EXPECT_EQ(std::memcmp(last.data(), m_picture.data(), last.size()), 0);
}

TEST_F(HeatPicture, FolderThatCannotBe_IsNamed) {
  std::ofstream(m_folder) << "a file";
  for (const std::string& bad : {m_folder, m_folder + "/below"}) {
    try {
      write_frames(small, bad);
      FAIL() << bad;
    } catch (const std::runtime_error& problem) {
      EXPECT_NE(std::string(problem.what()).find(bad), std::string::npos) << problem.what();
    }
  }
}

}  // namespace
}  // namespace bench::heat
