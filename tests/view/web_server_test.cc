// The server through a raw socket: token, bounds, malformed messages.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "view/live_site.h"
#include "view/token.h"
#include "view/web_server.h"

namespace cornet::app {
namespace {

constexpr const char* kToken = "0123456789abcdef";

class RawSocket {
 public:
  explicit RawSocket(int port) : handle_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{5, 0};
    ::setsockopt(handle_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    EXPECT_EQ(::connect(handle_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  ~RawSocket() { ::close(handle_); }
  void send(const std::string& bytes) {
    (void)!::send(handle_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  /// What comes until the other side closes, or the text `end` was read.
  std::string read(const std::string& end = "") {
    std::string all;
    char part[4096];
    while (end.empty() || all.find(end) == all.npos) {
      const auto count = ::recv(handle_, part, sizeof(part), 0);
      if (count <= 0) break;
      all.append(part, static_cast<std::size_t>(count));
    }
    return all;
  }

 private:
  int handle_;
};

std::string ask(const WebServer& server, const std::string& target,
                const std::string& verb = "GET") {
  RawSocket socket(server.port());
  socket.send(verb + " " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string answer = socket.read();
  return answer.substr(0, answer.find('\r'));
}

// A text message as a client sends it: masked, here with zeros.
std::string masked(const std::string& text, unsigned char kind = 0x81) {
  std::string frame(1, static_cast<char>(kind));
  if (text.size() < 126) {
    frame += static_cast<char>(0x80 | text.size());
  } else {
    frame += static_cast<char>(0x80 | 126);
    frame += static_cast<char>(text.size() >> 8);
    frame += static_cast<char>(text.size() & 255);
  }
  return frame + std::string(4, '\0') + text;
}

void upgrade(RawSocket& socket, const std::string& token) {
  socket.send("GET /live?token=" + token +
              " HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
}

template <class Condition>
bool eventually(const Condition& condition) {
  for (int k = 0; k < 500; ++k) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class WebServerTest : public testing::Test {
 protected:
  WebServerTest() {
    site.setNews([this] { server.wake(); });
  }
  LiveSite site;
  WebServer server{site, {.token = kToken}};
};

TEST_F(WebServerTest, AnswersOnlyWithTheToken) {
  site.publish(Channel::header, R"({"type": "header", "header": {}})");
  const std::string right = std::string("?token=") + kToken;
  EXPECT_EQ(ask(server, "/data/header" + right), "HTTP/1.1 200 OK");
  for (const char* target :
       {"/data/header", "/data/header?token=", "/data/header?token=0123456789abcdee",
        "/data/header?token=0123456789abcdef0", "/live", "/etc/passwd", "/../../etc/passwd"}) {
    EXPECT_EQ(ask(server, target), "HTTP/1.1 403 Forbidden") << target;
  }
  EXPECT_EQ(server.counts().refused, 7u);
}

TEST_F(WebServerTest, KnowsNoFiles) {
  for (const char* path :
       {"/etc/passwd", "/../../etc/passwd", "/data/../header", "/%2e%2e/x", "//", "/viewer"}) {
    EXPECT_EQ(ask(server, std::string(path) + "?token=" + kToken), "HTTP/1.1 404 Not Found")
        << path;
  }
  EXPECT_EQ(ask(server, std::string("/data/header?token=") + kToken, "PUT"),
            "HTTP/1.1 405 Method Not Allowed");
}

TEST_F(WebServerTest, RefusesASocketWithoutTheToken) {
  RawSocket socket(server.port());
  upgrade(socket, "wrong");
  EXPECT_NE(socket.read("\r\n\r\n").find("403"), std::string::npos);
  EXPECT_EQ(server.counts().clients, 0);
}

TEST_F(WebServerTest, CutsRequestsThatAreTooLong) {
  RawSocket socket(server.port());
  socket.send("GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\n\r\n");
  EXPECT_EQ(socket.read(), "");
}

TEST_F(WebServerTest, TakesCommandsAndCountsWhatIsNone) {
  RawSocket socket(server.port());
  upgrade(socket, kToken);
  EXPECT_NE(socket.read("\r\n\r\n").find("101"), std::string::npos);
  socket.send(masked(R"({"type": "pause"})") + masked("nonsense") + masked("binary", 0x82) +
              masked(R"({"type": "step"})"));
  std::vector<ClientMessage> commands;
  ASSERT_TRUE(eventually([&] {
    for (ClientMessage& command : site.takeCommands()) commands.push_back(command);
    return commands.size() == 2;
  }));
  EXPECT_EQ(commands[0].type, ClientMessage::Type::pause);
  EXPECT_EQ(commands[1].type, ClientMessage::Type::step);
  EXPECT_TRUE(eventually([&] { return server.counts().dropped == 2; }));
}

TEST_F(WebServerTest, EndsAClientWhoseMessageIsTooLong) {
  RawSocket socket(server.port());
  upgrade(socket, kToken);
  socket.read("\r\n\r\n");
  socket.send(masked(std::string(kLongestMessage + 1, ' ')));
  EXPECT_TRUE(
      eventually([&] { return server.counts().dropped == 1 && server.counts().clients == 0; }));
}

TEST_F(WebServerTest, EndsAndCountsAClientThatBreaksTheProtocol) {
  const std::string unmasked = std::string("\x81\x02", 2) + "hi";
  const std::string no_text = masked("\xff\xfe");
  const std::string reserved = masked("{}", 0xf1), unknown = masked("{}", 0x83);
  std::uint64_t dropped = 0;
  for (const std::string& frame : {unmasked, no_text, reserved, unknown}) {
    {
      RawSocket socket(server.port());
      upgrade(socket, kToken);
      socket.read("\r\n\r\n");
      socket.send(frame);
      socket.read();  // until the server ends it
    }
    ++dropped;
    EXPECT_TRUE(eventually(
        [&] { return server.counts().dropped == dropped && server.counts().clients == 0; }));
  }
  {
    RawSocket leaves(server.port());
    upgrade(leaves, kToken);
    leaves.read("\r\n\r\n");
  }
  EXPECT_TRUE(eventually([&] { return server.counts().clients == 0; }));
  EXPECT_EQ(server.counts().dropped, dropped);
}

TEST_F(WebServerTest, ASlowClientGetsTheNewestAndHoldsNobodyUp) {
  RawSocket socket(server.port());
  upgrade(socket, kToken);
  socket.read("\r\n\r\n");
  const auto begin = std::chrono::steady_clock::now();
  const std::string big(1 << 20, 'x');
  for (int k = 0; k < 200; ++k) site.publish(Channel::frame, big);  // nobody reads them
  site.publish(Channel::frame, "the newest");
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(spent.count(), 2.0);
  const std::string read = socket.read("the newest");
  EXPECT_NE(read.find("the newest"), std::string::npos);
  EXPECT_LT(read.size(), 50u << 20);  // most were never sent
}

TEST_F(WebServerTest, SurvivesNoise) {
  std::mt19937 random(3);
  for (int k = 0; k < 200; ++k) {
    RawSocket socket(server.port());
    if (k % 2 == 0) upgrade(socket, kToken);
    std::string noise(random() % 300, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    socket.send(noise);
  }
  EXPECT_EQ(ask(server, "/data/none?token=" + std::string(kToken)), "HTTP/1.1 404 Not Found");
}

TEST(WebServer, TakesTheNextFreePort) {
  LiveSite site;
  const WebServer first(site, {.token = kToken}), second(site, {.token = kToken});
  EXPECT_NE(first.port(), second.port());
  EXPECT_NE(second.address().find("http://127.0.0.1:" + std::to_string(second.port()) + "/?token="),
            std::string::npos);
}

TEST(WebServer, RefusesAPortThatIsTakenAndAHostThatIsNone) {
  LiveSite site;
  const WebServer first(site, {.token = kToken});
  EXPECT_THROW(WebServer(site, {.port = first.port(), .token = kToken}), std::runtime_error);
  EXPECT_THROW(WebServer(site, {.host = "not a host", .token = kToken}), std::invalid_argument);
}

TEST(Token, IsLongAndAnotherEveryTime) {
  EXPECT_EQ(makeToken().size(), 32u);
  EXPECT_NE(makeToken(), makeToken());
  EXPECT_TRUE(isSameToken("ab", "ab"));
  EXPECT_FALSE(isSameToken("ab", "ac"));
  EXPECT_FALSE(isSameToken("abc", "ab"));
  EXPECT_FALSE(isSameToken("", ""));
}

TEST(Token, StandsInTheTargetOfARequest) {
  EXPECT_EQ(splitTarget("/a/b?token=xy").token, "xy");
  EXPECT_EQ(splitTarget("/a/b?x=1&token=xy&y").token, "xy");
  EXPECT_EQ(splitTarget("/a/b?x=1&token=xy&y").path, "/a/b");
  EXPECT_EQ(splitTarget("/a/b?nottoken=xy").token, "");
  EXPECT_EQ(splitTarget("").path, "");
  EXPECT_EQ(splitTarget("/?").token, "");
}

}  // namespace
}  // namespace cornet::app
