"""A server on loopback that speaks OpenAI's API as it is told to: by a function, or by passing on to a real one.

It wants a key where it has one, remembers what it was asked, and goes wrong in turn where it is given `faults`.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

import requests

Fault = Literal["429", "500", "cut", "wrong JSON", "no JSON", "no text"]
# The status with a JSON object, or with a text as it is, and perhaps further headers.
Said = tuple[Any, ...]


@dataclass
class Asked:
    path: str
    body: dict[str, Any]
    authorization: str | None
    at: float


@dataclass
class Endpoint:
    """What the server is told, and what it has seen. `most_at_once` is of completions."""

    answer: Callable[[str, dict[str, Any]], Said]
    key: str | None = None
    faults: list[Fault] = field(default_factory=list)
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    most_at_once: int = 0
    now: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def completions(self) -> list[Asked]:
        return [one for one in self.asked if one.body]


@contextmanager
def endpoint(answer: Callable[[str, dict[str, Any]], Said], **how: Any) -> Iterator[Endpoint]:
    told = Endpoint(answer, **how)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"told": told}))
    told.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def passing_on(url: str) -> Callable[[str, dict[str, Any]], Said]:
    """What the server at `url` answers."""

    def answer(path: str, body: dict[str, Any]) -> Said:
        reply = requests.request("POST" if body else "GET", url + path, json=body or None, timeout=60)
        return reply.status_code, reply.json()

    return answer


def words(path: str, body: dict[str, Any]) -> Said:
    """A text that says its seed, of a model that is listed."""
    if path == "/models":
        return 200, {"data": [{"id": "small", "root": "/models/small", "created": time.time_ns(), "owned_by": "us"}]}
    return 200, completion(f" Words of seed {body.get('seed')}.", chat=path == "/chat/completions")


def completion(text: str | None, reason: str = "stop", tokens: int = 5, *, chat: bool = False) -> dict[str, Any]:
    choice = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
    return {
        "model": "small-2026-10", "system_fingerprint": "fp_1",
        "choices": [{"index": 0, "finish_reason": reason, **choice}],
        "usage": {"prompt_tokens": 7, "completion_tokens": tokens},
    }  # fmt: skip


@dataclass
class Batches:
    """The batch interface of OpenAI's API before a function that answers single requests.

    A batch has ended at the second look at it, in the state `ends`; its answers are in reverse order. Requests whose
    custom ids are in `failing` stand in the file of errors; in a state other than completed, those in `missing` have
    no answer at all.
    """

    answer: Callable[[str, dict[str, Any]], Said]
    ends: str = "completed"
    failing: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __call__(self, path: str, body: dict[str, Any]) -> Said:
        kind, *rest = path.strip("/").split("/")
        if kind == "files" and body:
            lines = [line for line in body["uploaded"].splitlines() if line.startswith('{"custom_id"')]
            return 200, {"id": self._file(lines), "object": "file", "purpose": "batch", "filename": "requests.jsonl"}
        if kind == "files":
            return (200, self.files[rest[0]]) if rest[0] in self.files else (404, {"error": {"message": "no file"}})
        if kind == "batches" and body:
            batch = {"id": f"batch_{len(self.batches) + 1}", "object": "batch", "status": "validating", **body}
            self.batches[batch["id"]] = batch
            return 200, batch
        if kind == "batches":
            return self._looked_at(rest[0])
        return self.answer(path, body)

    def _looked_at(self, batch_id: str) -> Said:
        batch = self.batches.get(batch_id)
        if batch is None:
            return 404, {"error": {"message": f"No batch found with id '{batch_id}'."}}
        if batch["status"] == "validating":
            batch["status"] = "in_progress"
        elif batch["status"] == "in_progress":
            self._end(batch)
        return 200, batch

    def _end(self, batch: dict[str, Any]) -> None:
        batch["status"] = self.ends
        if self.ends == "failed":
            batch["errors"] = {"object": "list", "data": [{"code": "invalid", "message": "line 1 is invalid"}]}
            return
        answers, errors = list[str](), list[str]()
        for line in map(json.loads, reversed(self.files[batch["input_file_id"]].splitlines())):
            entry = {"id": f"req_{line['custom_id']}", "custom_id": line["custom_id"], "error": None}
            if line["custom_id"] in self.missing:
                expired = {"code": "batch_expired", "message": "This request could not be executed in time."}
                errors.append(json.dumps(entry | {"response": None, "error": expired}))
            elif line["custom_id"] in self.failing:
                said = {"error": {"message": "The server had an error", "type": "server_error"}}
                errors.append(json.dumps(entry | {"response": {"status_code": 500, "body": said}}))
            else:
                status, said, *_ = self.answer(line["url"].removeprefix("/v1"), line["body"])
                answers.append(json.dumps(entry | {"response": {"status_code": status, "body": said}}))
        batch["output_file_id"] = self._file(answers) if answers else None
        batch["error_file_id"] = self._file(errors) if errors else None

    def _file(self, lines: list[str]) -> str:
        name = f"file-{len(self.files) + 1}"
        self.files[name] = "\n".join(lines) + "\n"
        return name


class _Handler(BaseHTTPRequestHandler):
    told: Endpoint

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        uploaded = self.headers["Content-Type"].startswith("multipart/form-data")
        self._answer({"uploaded": content.decode()} if uploaded else json.loads(content))

    def _answer(self, body: dict[str, Any]) -> None:
        told, path = self.told, self.path.removeprefix("/v1")
        with told.lock:
            told.asked.append(Asked(path, body, self.headers.get("Authorization"), time.monotonic()))
            told.now += bool(body)
            told.most_at_once = max(told.most_at_once, told.now)
            fault = told.faults.pop(0) if told.faults and body else None
        try:
            if told.key and self.headers.get("Authorization") != f"Bearer {told.key}":
                given = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
                wrong = {"message": f"Incorrect API key provided: {given}.", "code": "invalid_api_key"}
                self._send(401, json.dumps({"error": wrong}))
            elif fault:
                self._go_wrong(fault)
            else:
                status, said, *headers = told.answer(path, body)
                self._send(status, said if isinstance(said, str) else json.dumps(said), *headers)
        finally:
            with told.lock:
                told.now -= bool(body)

    def _go_wrong(self, fault: Fault) -> None:
        if fault == "429":
            self._send(429, json.dumps({"error": {"message": "Rate limit reached"}}), {"Retry-After": "0.2"})
        elif fault == "500":
            self._send(500, "Internal Server Error", {"retry-after-ms": "20"})
        elif fault == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "4096")
            self.end_headers()
            self.wfile.write(b'{"choices": [{"text": "')
            self.close_connection = True
        elif fault == "wrong JSON":
            self._send(200, '{"choices": [{"text": ')
        elif fault == "no JSON":
            self._send(200, "<html>Bad gateway</html>")
        else:
            self._send(200, json.dumps({"choices": [{"finish_reason": "stop"}]}))

    def _send(self, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
        content = text.encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        with suppress(BrokenPipeError):  # the client has given up
            self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass
