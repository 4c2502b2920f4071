// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <chrono>
#include <deque>
#include <set>
#include <utility>
#include <variant>

#include "sinew/core/error.h"
#include "sinew/studio/gate.h"

namespace sinew::studio {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kMostUnsentBytes = std::size_t{256} << 20;
constexpr auto kRequestTime = std::chrono::seconds(30);
constexpr auto kUploadTime = std::chrono::minutes(10);

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

std::string_view view_of(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct Server::Impl {
  Impl(std::uint16_t port, ServerHooks given)
      : hooks(std::move(given)), acceptor(io), timer(io), gate(0, make_token()) {
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
    error_code problem;
    acceptor.open(endpoint.protocol(), problem);
    if (!problem) acceptor.set_option(asio::socket_base::reuse_address(true), problem);
    if (!problem) acceptor.bind(endpoint, problem);
    if (!problem) acceptor.listen(16, problem);
    if (problem)
      throw Error(fmt::format("The studio cannot listen on port {}: {}. Choose another with the option 'port'.", port,
                              problem.message()));
    gate = Gate(acceptor.local_endpoint().port(), gate.token());
  }

  class Socket;
  class Request;

  void accept();
  void watch(const Progress& progress);

  asio::io_context io{1};
  ServerHooks hooks;
  tcp::acceptor acceptor;
  asio::steady_timer timer;
  Gate gate;
  std::set<std::shared_ptr<Socket>> sockets;
};

/// One WebSocket. One write is in flight at any time; the others wait in a queue.
class Server::Impl::Socket : public Peer, public std::enable_shared_from_this<Socket> {
 public:
  Socket(Impl& server, tcp::socket socket) : server_(server), stream_(std::move(socket)) {}

  void start(const http::request<http::empty_body>& request) {
    stream_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    stream_.set_option(websocket::stream_base::decorator(
        [](websocket::response_type& response) { response.set(http::field::sec_websocket_protocol, "sinew"); }));
    stream_.read_message_max(kMaxMessageBytes);
    stream_.auto_fragment(false);
    stream_.write_buffer_bytes(1 << 18);
    stream_.async_accept(request, [self = shared_from_this()](error_code problem) {
      if (problem) return;
      self->server_.sockets.insert(self);
      self->server_.hooks.opened(self);
      self->read();
    });
  }

  void send(std::string text) override { post(Outgoing(std::move(text))); }
  void send(io::Bytes bytes) override { post(Outgoing(std::move(bytes))); }
  void close() override {
    asio::post(stream_.get_executor(), [self = shared_from_this()] { self->end(); });
  }

 private:
  using Outgoing = std::variant<std::string, io::Bytes>;

  static std::size_t size_of(const Outgoing& message) {
    return std::visit([](const auto& m) { return m.size(); }, message);
  }

  void post(Outgoing message) {
    asio::post(stream_.get_executor(),
               [self = shared_from_this(), message = std::move(message)]() mutable { self->push(std::move(message)); });
  }

  void push(Outgoing message) {
    if (ended_) return;
    unsent_ += size_of(message);
    queue_.push_back(std::move(message));
    if (unsent_ > kMostUnsentBytes) return end();  // The page does not read; it connects again when it does.
    if (queue_.size() == 1) write();
  }

  void write() {
    const Outgoing& message = queue_.front();
    stream_.text(message.index() == 0);
    const asio::const_buffer buffer =
        std::visit([](const auto& m) { return asio::const_buffer(m.data(), m.size()); }, message);
    stream_.async_write(buffer, [self = shared_from_this()](error_code problem, std::size_t) {
      if (problem) return self->end();
      self->unsent_ -= size_of(self->queue_.front());
      self->queue_.pop_front();
      if (!self->queue_.empty()) self->write();
    });
  }

  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](error_code problem, std::size_t) {
      if (problem) return self->end();
      std::string text = beast::buffers_to_string(self->buffer_.data());
      self->buffer_.consume(self->buffer_.size());
      if (self->stream_.got_text()) self->server_.hooks.received(self, std::move(text));
      else self->server_.hooks.received(self, std::string());  // No message of the page is binary.
      if (!self->ended_) self->read();
    });
  }

  void end() {
    if (std::exchange(ended_, true)) return;
    error_code ignored;
    beast::get_lowest_layer(stream_).socket().close(ignored);
    const auto self = shared_from_this();
    server_.sockets.erase(self);
    server_.hooks.closed(self);
  }

  Impl& server_;
  websocket::stream<beast::tcp_stream> stream_;
  beast::flat_buffer buffer_;
  std::deque<Outgoing> queue_;
  std::size_t unsent_ = 0;
  bool ended_ = false;
};

/// One HTTP connection: one request, one answer.
class Server::Impl::Request : public std::enable_shared_from_this<Request> {
 public:
  Request(Impl& server, tcp::socket socket) : server_(server), stream_(std::move(socket)) {}

  void start() {
    head_.emplace();
    head_->header_limit(kMaxHeaderBytes);
    head_->body_limit(kMaxUploadBytes);
    stream_.expires_after(kRequestTime);
    http::async_read_header(stream_, buffer_, *head_, [self = shared_from_this()](error_code problem, std::size_t) {
      if (problem == http::error::header_limit) self->answer(431);
      else if (problem == http::error::body_limit) self->answer(413);
      else if (!problem) self->judge();
    });
  }

 private:
  void judge() {
    const auto& request = head_->get();
    GateRequest asked;
    asked.method = view_of(request.method_string());
    asked.target = view_of(request.target());
    asked.host = view_of(request[http::field::host]);
    asked.origin = view_of(request[http::field::origin]);
    asked.authorization = view_of(request[http::field::authorization]);
    asked.protocols = view_of(request[http::field::sec_websocket_protocol]);
    asked.upgrade = websocket::is_upgrade(request);
    const auto length = head_->content_length();
    asked.body_bytes = length ? *length : request.chunked() ? 1 : 0;
    const GateAnswer answer_of_gate = server_.gate.judge(asked);
    if (!answer_of_gate) return answer(answer_of_gate.status);
    switch (answer_of_gate.route) {
      case GateRoute::kPage:
        return answer_text(server_.hooks.page, "text/html; charset=utf-8");
      case GateRoute::kScript:
        return answer_text(server_.hooks.script, "text/javascript; charset=utf-8");
      case GateRoute::kStyle:
        return answer_text(server_.hooks.style, "text/css; charset=utf-8");
      case GateRoute::kBlob:
        return answer_blob(answer_of_gate.argument);
      case GateRoute::kUpload:
        return receive(answer_of_gate.argument);
      case GateRoute::kSocket:
        break;
    }
    if (server_.sockets.size() >= static_cast<std::size_t>(kMaxSockets)) return answer(503);
    stream_.expires_never();
    std::make_shared<Socket>(server_, stream_.release_socket())->start(request);
  }

  template <class Body>
  void set_fields(http::response<Body>& response, beast::string_view type) {
    response.set(http::field::content_type, type);
    response.set("Content-Security-Policy", kPolicy);
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Referrer-Policy", "no-referrer");
    response.set("Cross-Origin-Resource-Policy", "same-origin");
    response.set("Cross-Origin-Opener-Policy", "same-origin");
    response.set(http::field::cache_control, "no-store");
    response.keep_alive(false);
    response.prepare_payload();
  }

  template <class Response>
  void write(std::shared_ptr<Response> response) {
    http::async_write(stream_, *response, [self = shared_from_this(), response](error_code, std::size_t) {
      error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  void answer(int status, std::string text = {}) {
    auto response = std::make_shared<http::response<http::string_body>>(static_cast<http::status>(status), 11);
    response->body() = std::move(text);
    set_fields(*response, "text/plain; charset=utf-8");
    write(response);
  }

  void answer_text(std::string_view text, beast::string_view type) {
    auto response = std::make_shared<http::response<http::span_body<const char>>>(http::status::ok, 11);
    response->body() = {text.data(), text.size()};
    set_fields(*response, type);
    write(response);
  }

  void answer_blob(const std::string& id) {
    const std::optional<Blob> blob = server_.hooks.blob(std::stoull(id));
    if (!blob) return answer(404);
    kept_ = blob->bytes;
    auto response = std::make_shared<http::response<http::span_body<const char>>>(http::status::ok, 11);
    response->body() = {reinterpret_cast<const char*>(kept_->data()), kept_->size()};
    set_fields(*response, blob->type);
    write(response);
  }

  void receive(const std::string& name) {
    const std::filesystem::path path = server_.hooks.upload_path(name);
    if (path.empty()) return answer(409);
    body_ = std::make_unique<http::request_parser<http::file_body>>(std::move(*head_));
    body_->body_limit(kMaxUploadBytes);
    error_code problem;
    body_->get().body().open(path.c_str(), beast::file_mode::write, problem);
    if (problem) return answer(507);
    stream_.expires_after(kUploadTime);
    http::async_read(stream_, buffer_, *body_, [self = shared_from_this()](error_code failed, std::size_t) {
      self->body_->get().body().close();
      self->answer(failed ? 400 : 200);
    });
  }

  Impl& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{kMaxHeaderBytes + (64 << 10)};
  std::optional<http::request_parser<http::empty_body>> head_;
  std::unique_ptr<http::request_parser<http::file_body>> body_;
  std::shared_ptr<const io::Bytes> kept_;
};

void Server::Impl::accept() {
  acceptor.async_accept([this](error_code problem, tcp::socket socket) {
    if (!problem) {
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<Request>(*this, std::move(socket))->start();
    }
    if (problem != asio::error::operation_aborted) accept();
  });
}

void Server::Impl::watch(const Progress& progress) {
  timer.expires_after(std::chrono::milliseconds(100));
  timer.async_wait([this, progress](error_code) {
    if (progress.cancelled()) return io.stop();
    watch(progress);
  });
}

Server::Server(std::uint16_t port, ServerHooks hooks) : impl_(std::make_unique<Impl>(port, std::move(hooks))) {}

Server::~Server() = default;

std::uint16_t Server::port() const { return impl_->acceptor.local_endpoint().port(); }

const std::string& Server::token() const { return impl_->gate.token(); }

void Server::run(const Progress& progress) {
  impl_->accept();
  impl_->watch(progress);
  impl_->io.run();
}

}  // namespace sinew::studio
