// Messages of clients: what is one, what is not, and that nothing else happens.
#include <random>

#include <gtest/gtest.h>

#include "view/client_message.h"
#include "view/live_site.h"
#include "view/web_server.h"

namespace cornet::app {
namespace {

using Type = ClientMessage::Type;

TEST(ClientMessage, WordsAreCommands) {
  EXPECT_EQ(parseClientMessage(R"({"type": "pause"})")->type, Type::pause);
  EXPECT_EQ(parseClientMessage(R"({"type": "resume"})")->type, Type::resume);
  EXPECT_EQ(parseClientMessage(R"({"type": "step"})")->type, Type::step);
  EXPECT_EQ(parseClientMessage(R"({"type": "restart"})")->type, Type::restart);
  EXPECT_EQ(parseClientMessage(R"({"type": "release"})")->type, Type::release);
}

TEST(ClientMessage, SetsAParameter) {
  const auto message = parseClientMessage(R"({"type": "set", "name": "mu", "value": 0.25})");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->name, "mu");
  EXPECT_EQ(message->value, 0.25);
}

TEST(ClientMessage, PullsABody) {
  const auto message = parseClientMessage(
      R"({"type": "pull", "body": 3, "point": [0, 1, 2], "target": [3, 4, 5.5]})");
  ASSERT_TRUE(message);
  EXPECT_EQ(message->body, 3);
  EXPECT_EQ(message->point, (std::array<double, 3>{0, 1, 2}));
  EXPECT_EQ(message->target, (std::array<double, 3>{3, 4, 5.5}));
}

TEST(ClientMessage, AnythingElseIsNone) {
  for (const char* text :
       {"", "pause", "[]", "null", "{}", R"({"type": 3})",
        R"({"type": "open", "path": "/etc/passwd"})", R"({"type": "set"})",
        R"({"type": "set", "name": "mu"})", R"({"type": "set", "name": 1, "value": 1})",
        R"({"type": "set", "name": "mu", "value": "1"})",
        R"({"type": "set", "name": "mu", "value": 1e999})",
        R"({"type": "pull", "body": -1, "point": [0, 0, 0], "target": [0, 0, 0]})",
        R"({"type": "pull", "body": 0.5, "point": [0, 0, 0], "target": [0, 0, 0]})",
        R"({"type": "pull", "body": 1e300, "point": [0, 0, 0], "target": [0, 0, 0]})",
        R"({"type": "pull", "body": 0, "point": [0, 0], "target": [0, 0, 0]})",
        R"({"type": "pull", "body": 0, "point": [0, 0, null], "target": [0, 0, 0]})",
        R"({"type": "pull", "body": 0, "point": [0, 0, 1e7], "target": [0, 0, 0]})",
        "{\"type\": \"pa\xff\"}"}) {
    EXPECT_FALSE(parseClientMessage(text)) << text;
  }
}

TEST(ClientMessage, DeeplyNestedTextIsNone) {
  EXPECT_FALSE(parseClientMessage(std::string(kLongestMessage, '[')));
}

// Valid messages with bytes changed, cut and doubled: each is a message or none, and every number
// in it is finite.
TEST(ClientMessage, SurvivesAHundredThousandMutations) {
  const std::vector<std::string> seeds = {
      R"({"type": "set", "name": "mu", "value": 0.25})",
      R"({"type": "pull", "body": 3, "point": [0, 1e-3, 2], "target": [3, -4, 5.5]})",
      R"({"type": "restart"})"};
  const std::string alphabet = "{}[]\":,.-+eE0123456789truefalsn\\u \t\n\x00\x7f\xff\xc3\xa4";
  std::mt19937 random(7);
  int accepted = 0;
  for (int k = 0; k < 100'000; ++k) {
    std::string text = seeds[random() % seeds.size()];
    for (auto changes = 1 + random() % 4; changes > 0 && !text.empty(); --changes) {
      const auto at = random() % text.size();
      switch (random() % 4) {
        case 0: text[at] = alphabet[random() % alphabet.size()]; break;
        case 1: text.erase(at, 1 + random() % 5); break;
        case 2: text.insert(at, 1, alphabet[random() % alphabet.size()]); break;
        default: text.insert(at, text.substr(random() % text.size(), random() % 20));
      }
    }
    const auto message = parseClientMessage(text);
    if (!message) continue;
    ++accepted;
    EXPECT_TRUE(std::isfinite(message->value)) << text;
    EXPECT_GE(message->body, 0) << text;
    for (const double x : message->target) EXPECT_LE(std::abs(x), 1e6) << text;
  }
  EXPECT_GT(accepted, 1000);  // the mutations are not all hopeless
}

TEST(LiveSite, KeepsOnlyTheNewestMessageOfAChannel) {
  LiveSite site;
  for (int k = 0; k < 1000; ++k) site.publish(Channel::frame, std::to_string(k));
  EXPECT_EQ(site.latest(Channel::frame).number, 1000u);
  EXPECT_EQ(*site.latest(Channel::frame).bytes, "999");
  EXPECT_EQ(site.latest(Channel::state).bytes, nullptr);
}

TEST(LiveSite, DropsCommandsThatNobodyTakes) {
  LiveSite site;
  int taken = 0;
  for (int k = 0; k < 10'000; ++k) taken += site.receive(R"({"type": "step"})");
  EXPECT_EQ(taken, static_cast<int>(LiveSite::kMostCommands));
  EXPECT_EQ(site.takeCommands().size(), LiveSite::kMostCommands);
  EXPECT_TRUE(site.takeCommands().empty());
  EXPECT_FALSE(site.receive("nonsense"));
}

TEST(LiveSite, KeepsOnlyTheLastPlaceOfAHandAndOfASlider) {
  LiveSite site;
  for (int k = 0; k < 1000; ++k) {
    EXPECT_TRUE(site.receive(
        R"({"type": "pull", "body": 0, "point": [0, 0, 0], "target": [0, 0, )" + std::to_string(k) + "]}"));
  }
  EXPECT_TRUE(site.receive(R"({"type": "release"})"));
  for (const char* name : {"mu", "mass"}) {
    for (int k = 0; k < 1000; ++k) {
      EXPECT_TRUE(site.receive(R"({"type": "set", "name": ")" + std::string(name) + R"(", "value": )" +
                               std::to_string(k) + "}"));
    }
  }
  const std::vector<ClientMessage> commands = site.takeCommands();
  ASSERT_EQ(commands.size(), 4u);
  EXPECT_EQ(commands[0].target[2], 999.0);
  EXPECT_EQ(commands[1].type, ClientMessage::Type::release);
  EXPECT_EQ(commands[2].name, "mu");
  EXPECT_EQ(commands[2].value, 999.0);
  EXPECT_EQ(commands[3].name, "mass");
}

TEST(LiveSite, GivesTheHeaderOutOfItsMessage) {
  LiveSite site;
  EXPECT_EQ(site.get("/data/header").status, 503);
  site.publish(Channel::header, R"({"type": "header", "header": {"version": 1}})");
  EXPECT_EQ(site.get("/data/header").body, R"({"version": 1})");
  EXPECT_EQ(site.get("/data/frames/0/1").status, 404);
}

}  // namespace
}  // namespace cornet::app
