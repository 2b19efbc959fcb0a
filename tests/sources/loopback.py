"""An HTTP server on 127.0.0.1 that plays prepared answers, in pieces, and may break off, wait or refuse."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True)
class Answer:
    """What the server sends: ``pieces`` as HTTP chunks, or again as chunks of ``step`` bytes each.

    A server that drops closes the connection in place of the last chunk, as one does that is killed. With a ``gate``
    the last ``held`` chunks are sent once it is set.
    """

    pieces: tuple[bytes, ...]
    content_type: str = "text/event-stream"
    status: int = 200
    step: int | None = None
    drop: bool = False
    held: int = 0
    gate: threading.Event | None = None

    def chunks(self) -> Iterator[bytes]:
        chunks = self.pieces
        if self.step is not None:
            whole = b"".join(self.pieces)
            chunks = tuple(whole[at : at + self.step] for at in range(0, len(whole), self.step))
        for index, chunk in enumerate(chunks):
            if self.gate is not None and index == len(chunks) - self.held:
                self.gate.wait(60)
            yield chunk


class Loopback(ThreadingHTTPServer):
    """The server; ``answer`` is what it says to every request, ``asked`` the body of the last one.

    ``play`` prepares an answer for each of the next requests, whose bodies are then in ``heard``.
    """

    daemon_threads = True
    answer: Answer
    asked: bytes

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.heard: list[bytes] = []
        self._next = deque[Answer]()

    def play(self, *answers: Answer) -> None:
        self.heard.clear()
        self._next = deque(answers)

    def take(self, body: bytes) -> Answer:
        """The answer to a request."""
        self.asked = body
        self.heard.append(body)
        return self._next.popleft() if self._next else self.answer

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report an error, but not that a client went away before it had read everything."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *args: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        assert isinstance(self.server, Loopback)
        answer = self.server.take(self.rfile.read(int(self.headers.get("content-length", 0))))
        self.close_connection = True
        self.send_response(answer.status)
        self.send_header("content-type", answer.content_type)
        self.send_header("transfer-encoding", "chunked")
        self.send_header("connection", "close")
        self.end_headers()
        for chunk in answer.chunks():
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        if not answer.drop:
            self.wfile.write(b"0\r\n\r\n")

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Say nothing."""
