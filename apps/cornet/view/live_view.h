#pragma once

#include "command_line.h"
#include "view/live_session.h"
#include "view/web_server.h"

namespace cornet::app {

/// Where a page is served.
struct ViewRequest {
  std::string host = "127.0.0.1";
  int port = 0;
  bool open = false;  // in the browser of this machine
};

std::vector<Option> addViewFlags(Verb verb, ViewRequest& request);

/// Serves a site, says on the terminal where, and what was dropped when it ends.
class ViewServer {
 public:
  ViewServer(WebSite& site, const ViewRequest& request);
  ~ViewServer();
  WebServer& server() { return server_; }

 private:
  WebServer server_;
};

/// A live run and its page.
class LiveView {
 public:
  /// Throws as LiveSession and WebServer.
  LiveView(LiveSession::SceneReader read, const std::string& command, const ViewRequest& request,
           LiveOptions options);
  LiveSession& session() { return session_; }

 private:
  LiveSite site_;
  LiveSession session_;
  ViewServer server_;
};

}  // namespace cornet::app
