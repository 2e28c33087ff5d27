"""Calls a gateway over HTTP/2 with the client of another implementation (httpx): events, many streams at once, a packed batch, a stream of
deliveries that it ends early, and a messaging window beside them.

Arguments: the URL of the gateway, or of a proxy in front of it, and the brand. The admin token is in SWITCHBOARD_TOKEN. Prints a line
for each step, which the test compares.
"""

import asyncio
import gzip
import json
import os
import sys

import httpx

import gateway

url, brand = sys.argv[1:3]
base = f"/v1/brands/{brand}"


def event(number):
    return {
        "id": f"h-{number}",
        "type": "agent.message",
        "consumer": "u-1",
        "conversation": "c-9",
        "text": "hello",
    }


async def main():
    headers = {"Authorization": "Bearer " + os.environ["SWITCHBOARD_TOKEN"]}
    async with httpx.AsyncClient(base_url=url, http1=False, http2=True, headers=headers, timeout=120) as client:
        first = await client.get("/livez")
        print("served", first.http_version, first.status_code)
        posted = await asyncio.gather(*(client.post(base + "/events", json=event(number)) for number in range(100)))
        print("posted", sum(reply.status_code == 202 for reply in posted))

        lines = "\n".join(json.dumps(event(1000 + number)) for number in range(2000))
        packed = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
        batch = await client.post(base + "/events", content=gzip.compress(lines.encode()), headers=packed)
        print("packed", batch.status_code, len(batch.json().get("results", [])))

        async with client.stream("GET", base + "/deliveries/tail") as tail:
            text = await anext(tail.aiter_text())
            print("tail", tail.status_code, text.startswith("retry: 3000"))

        session = await client.post(base + "/consumers/u-1/sessions", json={})
        async with gateway.open_window(f"{url}{base}/window", session.json()["sessionToken"]) as window:
            print("window", (await gateway.hear(window))["type"])
        # Only this host itself may read it without the token.
        open_to_all = await client.get("/metrics", headers={"Authorization": ""})
        print("metrics", open_to_all.status_code)


asyncio.run(main())
