#include "view/web_server.h"

#include <utility>  // before Asio, which forgets it

#include <array>
#include <atomic>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include "view/token.h"

namespace cornet::app {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using Error = beast::error_code;

constexpr std::uint32_t kLongestHead = 8192;   // [bytes] of a request
constexpr std::chrono::seconds kPatience{30};  // with a client that says or takes nothing
constexpr std::chrono::seconds kFirstPatience{5};  // with one that has not shown the token
constexpr int kMostConnections = 64;
constexpr int kPortTries = 100;

// What all connections share; only the server's thread touches more than the counters.
struct Shared {
  WebSite& site;
  const std::string token;
  std::atomic<std::uint64_t> refused = 0, dropped = 0;
  std::atomic<int> clients = 0;
  int connections = 0;
};

http::response<http::string_body> makeResponse(const http::request<http::empty_body>& request,
                                               WebAnswer answer) {
  http::response<http::string_body> response(static_cast<http::status>(answer.status),
                                             request.version());
  response.set(http::field::content_type, answer.type);
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Referrer-Policy", "no-referrer");  // the token stays here
  response.keep_alive(request.keep_alive());
  response.body() = std::move(answer.body);
  response.prepare_payload();
  if (request.method() == http::verb::head) response.body().clear();
  return response;
}

// What a client sent, in place of a message: too long, or no frame of the protocol.
bool isMalformed(const Error& error) {
  return error == websocket::error::message_too_big ||
         error == websocket::condition::protocol_violation;
}

// A client of a live run.
class Socket : public std::enable_shared_from_this<Socket> {
 public:
  Socket(tcp::socket&& socket, Shared& shared, std::set<Socket*>& sockets)
      : stream_(std::move(socket)), shared_(shared), sockets_(sockets) {
    sockets_.insert(this);
    ++shared_.clients;
    ++shared_.connections;
  }
  ~Socket() {
    sockets_.erase(this);
    --shared_.clients;
    --shared_.connections;
  }

  void start(const http::request<http::empty_body>& request) {
    auto timeouts = websocket::stream_base::timeout::suggested(beast::role_type::server);
    stream_.set_option(timeouts);
    stream_.read_message_max(kLongestMessage);
    stream_.async_accept(request, [self = shared_from_this()](Error error) {
      if (error) return;
      self->is_open_ = true;
      self->read();
      self->sendNews();
    });
  }

  // Sends the newest message this client has not had; the others follow when it is through.
  void sendNews() {
    if (!is_open_ || sending_) return;
    for (int k = 0; k < kChannelCount; ++k) {
      const Posted posted = shared_.site.latest(static_cast<Channel>(k));
      if (posted.bytes == nullptr || posted.number == seen_[static_cast<std::size_t>(k)]) continue;
      seen_[static_cast<std::size_t>(k)] = posted.number;
      send(posted.bytes, static_cast<Channel>(k) == Channel::frame);
      return;
    }
  }

 private:
  void send(const std::shared_ptr<const std::string>& bytes, bool is_binary) {
    sending_ = bytes;
    stream_.binary(is_binary);
    stream_.async_write(asio::buffer(*bytes),
                        [self = shared_from_this()](Error error, std::size_t) {
                          self->sending_.reset();
                          if (!error) self->sendNews();
                        });
  }

  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](Error error, std::size_t) {
      if (isMalformed(error)) ++self->shared_.dropped;
      if (error) return self->close();
      const bool is_good =
          self->stream_.got_text() &&
          self->shared_.site.receive(beast::buffers_to_string(self->buffer_.data()));
      if (!is_good) ++self->shared_.dropped;
      self->buffer_.consume(self->buffer_.size());
      self->read();
    });
  }

  void close() {
    if (is_open_) shared_.site.leave();
    is_open_ = false;
    Error ignored;
    beast::get_lowest_layer(stream_).socket().shutdown(tcp::socket::shutdown_both, ignored);
  }

  websocket::stream<beast::tcp_stream> stream_;
  Shared& shared_;
  std::set<Socket*>& sockets_;
  beast::flat_buffer buffer_;
  std::array<std::uint64_t, kChannelCount> seen_ = {};
  std::shared_ptr<const std::string> sending_;
  bool is_open_ = false;
};

// Requests that come through one connection.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket&& socket, Shared& shared, std::set<Socket*>& sockets)
      : stream_(std::move(socket)), shared_(shared), sockets_(sockets) {
    ++shared_.connections;
  }
  ~Connection() { --shared_.connections; }

  void read() {
    parser_.emplace();
    parser_->header_limit(kLongestHead);
    parser_->body_limit(0);
    stream_.expires_after(is_known_ ? kPatience : kFirstPatience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](Error error, std::size_t) {
                       if (!error) self->answer();
                     });
  }

 private:
  void answer() {
    const http::request<http::empty_body> request = parser_->release();
    const RequestTarget target = splitTarget({request.target().data(), request.target().size()});
    const bool is_known = isSameToken(target.token, shared_.token);
    is_known_ |= is_known;
    if (websocket::is_upgrade(request) && is_known && target.path == "/live" &&
        shared_.site.isLive()) {
      stream_.expires_never();
      std::make_shared<Socket>(stream_.release_socket(), shared_, sockets_)->start(request);
      return;
    }
    respond(request, makeAnswer(request, target, is_known));
  }

  WebAnswer makeAnswer(const http::request<http::empty_body>& request, const RequestTarget& target,
                       bool is_known) {
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return {405, "text/plain", "only GET is answered\n"};
    }
    if (!is_known && target.path != "/") {
      ++shared_.refused;
      return {403, "text/plain", "the token is missing or wrong\n"};
    }
    return shared_.site.get(target.path);
  }

  void respond(const http::request<http::empty_body>& request, WebAnswer answer) {
    response_ = makeResponse(request, std::move(answer));
    stream_.expires_after(kPatience);
    http::async_write(stream_, *response_, [self = shared_from_this()](Error error, std::size_t) {
      if (error) return;
      if (self->response_->keep_alive()) return self->read();
      Error ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  beast::tcp_stream stream_;
  bool is_known_ = false;  // by the token
  Shared& shared_;
  std::set<Socket*>& sockets_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
};

tcp::acceptor listenAt(asio::io_context& context, const ServerOptions& options) {
  Error error;
  const asio::ip::address address =
      asio::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, error);
  if (error)
    throw std::invalid_argument("--host " + options.host +
                                ": expected an address of this machine, as 127.0.0.1");
  const int first = options.port > 0 ? options.port : kFirstPort;
  const int tries = options.port > 0 ? 1 : kPortTries;
  for (int port = first; port < first + tries; ++port) {
    tcp::acceptor acceptor(context);
    const tcp::endpoint endpoint(address, static_cast<std::uint16_t>(port));
    acceptor.open(endpoint.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (!error) return acceptor;
    if (error != asio::error::address_in_use) break;
  }
  throw std::runtime_error("cannot serve at " + options.host + ", port " + std::to_string(first) +
                           (tries > 1 ? " to " + std::to_string(first + tries - 1) : "") + ": " +
                           error.message());
}

}  // namespace

struct WebServer::Work {
  Work(WebSite& site, const ServerOptions& the_options)
      : options(the_options),
        shared{site, the_options.token},
        acceptor(listenAt(context, the_options)) {}

  void accept() {
    acceptor.async_accept([this](Error error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error && shared.connections < kMostConnections) {
        std::make_shared<Connection>(std::move(socket), shared, sockets)->read();
      }
      accept();
    });
  }

  const ServerOptions options;
  Shared shared;
  std::set<Socket*> sockets;  // of clients of a live run
  asio::io_context context{1};
  tcp::acceptor acceptor;
  std::atomic<bool> has_news = false;
  std::thread thread;
};

WebServer::WebServer(WebSite& site, const ServerOptions& options)
    : work_(std::make_unique<Work>(site, options)) {
  work_->accept();
  work_->thread = std::thread([this] { work_->context.run(); });
}

WebServer::~WebServer() {
  work_->context.stop();
  work_->thread.join();
}

int WebServer::port() const { return work_->acceptor.local_endpoint().port(); }

std::string WebServer::address() const {
  const std::string& host = work_->options.host;
  const std::string shown = host.find(':') == host.npos ? host : "[" + host + "]";
  return "http://" + shown + ":" + std::to_string(port()) + "/?token=" + work_->options.token;
}

void WebServer::wake() {
  if (work_->has_news.exchange(true)) return;
  asio::post(work_->context, [this] {
    work_->has_news = false;
    for (Socket* socket : work_->sockets) socket->sendNews();
  });
}

ServerCounts WebServer::counts() const {
  return {work_->shared.refused, work_->shared.dropped, work_->shared.clients};
}

}  // namespace cornet::app
