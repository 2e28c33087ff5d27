"""What schemathesis cannot know of this API by its schemas alone; read by Deploy/schemathesis.sh."""
import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    """An event a line: what is made for the text is sent as one line of JSON."""
    return json.dumps(value).encode()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Leaves out what only an earlier answer can give, and a key that makes the second request a repetition."""
    cursor = (case.query or {}).get("cursor")
    if isinstance(cursor, str) and len(cursor) <= 2048:
        del case.query["cursor"]
    # A poll may wait longer than schemathesis does for an answer.
    if str((case.query or {}).get("waitSeconds", "")).isdigit() and 0 < int(case.query["waitSeconds"]) <= 60:
        case.query["waitSeconds"] = 1
    if case.headers:
        case.headers.pop("Idempotency-Key", None)
