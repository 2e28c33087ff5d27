"""A client of the Switchboard gateway for back-ends: events, the outbound feed, signatures of webhooks.

One file, Python 3.9 or later, nothing but the standard library. Errors are exceptions of the class that belongs to the problem's
code. What may be repeated is repeated, as the gateway asks for it: events have ids, so that repeating them is safe.
"""
import base64
import dataclasses
import hashlib
import hmac
import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request

POST_EVENTS = "POST /v1/brands/{brand}/events"
READ_OUTBOUND = "GET /v1/brands/{brand}/outbound/{subscription}"
ACKNOWLEDGE_OUTBOUND = "POST /v1/brands/{brand}/outbound/{subscription}/ack"


class SwitchboardError(Exception):
    """Every error of this client."""


class Unreachable(SwitchboardError):
    """No response: whether the gateway has handled the request is unknown. Repeating it is safe for events."""


class InvalidSignature(SwitchboardError):
    """The request is not a webhook of the gateway, or it is too old."""


class ApiError(SwitchboardError):
    """An error of the API (RFC 9457). Decide by `code`; `detail` is for people and may change."""

    def __init__(self, status, problem, retry_after=None):
        self.status = status
        self.code = problem.get("code", "")
        self.detail = problem.get("detail", "")
        self.reason = problem.get("reason")
        self.retryable = bool(problem.get("retryable", False))
        self.request_id = problem.get("requestId")
        self.errors = problem.get("errors", [])
        self.retry_after = retry_after
        members = "".join(f"; {error.get('pointer')} {error.get('detail')}" for error in self.errors)
        super().__init__(f"{self.status} {self.code}: {self.detail}{members}")


class InvalidRequest(ApiError):
    """The request cannot be read, or `errors` names members that are wrong."""


class Unauthorized(ApiError):
    """The credential is unknown, revoked, or of another brand; `code` and `reason` say more."""


class Forbidden(ApiError):
    """The credential lacks the scope that the route needs."""


class NotFound(ApiError):
    """It does not exist, or belongs to another brand."""


class Conflict(ApiError):
    """The state does not allow it; `detail` says why."""


class Gone(ApiError):
    """Its time is over."""


class PayloadTooLarge(ApiError):
    """The body has more bytes or events than the gateway takes."""


class RateLimited(ApiError):
    """Too many requests, after all attempts."""


class Overloaded(ApiError):
    """Nothing was stored, after all attempts."""


class UpstreamUnavailable(ApiError):
    """A system that the gateway called did not respond properly."""


class InternalError(ApiError):
    """A fault of the gateway; give `request_id` to its operator."""


_CLASSES = {
    "invalid_request": InvalidRequest, "unsupported_media_type": InvalidRequest, "method_not_allowed": InvalidRequest,
    "unauthorized": Unauthorized, "token_expired": Unauthorized, "token_invalid": Unauthorized, "forbidden": Forbidden,
    "not_found": NotFound, "conflict": Conflict, "gone": Gone, "payload_too_large": PayloadTooLarge,
    "rate_limited": RateLimited, "overloaded": Overloaded, "upstream_unavailable": UpstreamUnavailable, "internal": InternalError,
}


def error_of(status, problem, retry_after=None):
    """The exception for a problem; `ApiError` itself for a code that this client does not know."""
    return _CLASSES.get(problem.get("code"), ApiError)(status, problem, retry_after)


@dataclasses.dataclass(frozen=True)
class EventResult:
    """The result of an event: `status` is accepted, duplicate or rejected; a rejected one has `error`."""

    id: "str | None"
    status: str
    message_id: "str | None"
    conversation: "str | None"
    sequence: "int | None"
    unread: "int | None"
    deliveries: "int | None"
    warnings: "tuple[str, ...]"
    error: "ApiError | None"

    @classmethod
    def of(cls, item):
        problem = item.get("problem")
        return cls(
            item.get("id"), item["status"], item.get("messageId"), item.get("conversation"), item.get("sequence"),
            item.get("unread"), item.get("deliveries"), tuple(item.get("warnings", ())),
            error_of(problem.get("status", 0), problem) if problem else None,
        )


@dataclasses.dataclass(frozen=True)
class FeedPage:
    """Items of the feed; store `next_after` with what you made of them, and read on from there."""

    items: list
    next_after: int
    end: int
    gap: bool


class Client:
    """A service account's calls within one brand. Threads may share it."""

    def __init__(self, server, brand, account, secret, *, attempts=6, timeout=30.0):
        self._server = server.rstrip("/")
        self._brand = brand
        self._authorization = "Basic " + base64.b64encode(f"{account}:{secret}".encode()).decode()
        self._attempts = attempts
        self._timeout = timeout

    def post_event(self, event):
        """Posts one event, a dict with an `id` of yours, and returns its result when it is on disk.

        Raises the error of an event that is not valid. Scope: events:write.
        """
        return EventResult.of(self._call(POST_EVENTS, event)["results"][0])

    def post_events(self, events):
        """Posts at most 10,000 events, and returns a result for each, in their order.

        Events that the gateway had no room for are repeated alone. One that stays rejected raises nothing: see its `error`.
        """
        results = [None] * len(events)
        waiting = list(range(len(events)))
        for attempt in range(self._attempts):
            found = self._call(POST_EVENTS, [events[place] for place in waiting])["results"] if waiting else []
            for place, item in zip(waiting, found):
                results[place] = EventResult.of(item)
            waiting = [place for place in waiting if results[place].error is not None and results[place].error.retryable]
            if not waiting or attempt + 1 == self._attempts:
                break
            time.sleep(self._delay(attempt, None))
        return results

    def read_feed(self, subscription, *, after=None, limit=200, wait_seconds=0, types=None, from_start=False):
        """Reads items after a position, or after the subscription's mark; waits for the first one. Scope: events:read."""
        query = {"limit": limit, "waitSeconds": wait_seconds}
        if after is not None:
            query["after"] = after
        if types:
            query["types"] = ",".join(types)
        if from_start:
            query["from"] = "start"
        page = self._call(READ_OUTBOUND, query=query, subscription=subscription, timeout=self._timeout + wait_seconds)
        return FeedPage(page["items"], page["nextAfter"], page["end"], page.get("gap", False))

    def acknowledge(self, subscription, up_to):
        """Moves the subscription's mark: items up to it need not be stored any more. Scope: events:read."""
        self._call(ACKNOWLEDGE_OUTBOUND, {"upTo": up_to}, subscription=subscription)

    def _call(self, route, body=None, *, query=None, timeout=None, **names):
        method, path = route.split(" ")
        for name, value in {"brand": self._brand, **names}.items():
            path = path.replace("{" + name + "}", urllib.parse.quote(value, safe=""))
        url = self._server + path + ("?" + urllib.parse.urlencode(query) if query else "")
        data = None if body is None else json.dumps(body).encode()
        for attempt in range(self._attempts):
            request = urllib.request.Request(url, data, method=method)
            # Not sent to where a redirect leads.
            request.add_unredirected_header("Authorization", self._authorization)
            request.add_header("Accept", "application/json")
            if data is not None:
                request.add_header("Content-Type", "application/json")
            try:
                with urllib.request.urlopen(request, timeout=timeout or self._timeout) as response:
                    return json.load(response)
            except urllib.error.HTTPError as response:
                error = self._error(response)
                is_retryable = error.retryable
            except (OSError, http.client.HTTPException, ValueError) as cause:
                error = Unreachable(f"{url}: {cause}")
                is_retryable = True
            if not is_retryable or attempt + 1 == self._attempts:
                raise error
            time.sleep(self._delay(attempt, getattr(error, "retry_after", None)))
        raise AssertionError("attempts must be at least 1")

    @staticmethod
    def _error(response):
        text, problem = b"", None
        try:
            text = response.read()
            problem = json.loads(text)
        except (OSError, http.client.HTTPException, ValueError):
            pass
        after = response.headers.get("Retry-After", "")
        if not isinstance(problem, dict) or "code" not in problem:
            # Of a proxy in between.
            problem = {"detail": text[:200].decode(errors="replace"), "retryable": response.code in (429, 502, 503, 504)}
        return error_of(response.code, problem, int(after) if after.isascii() and after.isdigit() and len(after) < 10 else None)

    @staticmethod
    def _delay(attempt, retry_after):
        # 0.25, 0.5, 1, 2, 4 s and so on, at most 30 s, or as long as the gateway says; spread, so that callers do not come at once.
        return (min(30.0, 0.25 * 2**attempt) if retry_after is None else float(retry_after)) * random.uniform(1.0, 1.25)


def verify_webhook(secrets, headers, body, *, tolerance_seconds=300, now=None):
    """Checks the signature of a webhook (Standard Webhooks), and returns the batch as a dict.

    `secrets` is one secret, `whsec_` and base64, or several while one is replaced; `headers` is a mapping whose names are
    compared without case; `body` is the bytes as they came. Process each `webhook-id` once. Raises InvalidSignature.
    """
    found = {name.lower(): value for name, value in headers.items()}
    batch, timestamp = found.get("webhook-id", ""), found.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12) or not batch:
        raise InvalidSignature("webhook-id or webhook-timestamp is missing")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_seconds:
        raise InvalidSignature("webhook-timestamp is too far away")
    given = [part[3:].encode() for part in found.get("webhook-signature", "").split(" ") if part.startswith("v1,")]
    signed = f"{batch}.{timestamp}.".encode() + body
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(one, expected) for one in given):
            return json.loads(body)
    raise InvalidSignature("no signature fits")
