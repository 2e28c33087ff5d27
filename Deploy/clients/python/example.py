#!/usr/bin/env python3
"""Posts events and reads the feed, or verifies a webhook.

    SWITCHBOARD_CREDENTIAL=sa_...:secret example.py http://127.0.0.1:8080 acme u-1
    SWITCHBOARD_WEBHOOK_SECRET=whsec_... example.py --webhook FILE     # headers, an empty line, the body
"""
import os
import sys
import uuid

import switchboard


def main(server, brand, consumer):
    account, _, secret = os.environ["SWITCHBOARD_CREDENTIAL"].partition(":")
    client = switchboard.Client(server, brand, account, secret)
    # The first read creates the subscription; items are stored from then on.
    after = client.read_feed("python", from_start=True).next_after

    conversation = f"c-{uuid.uuid4()}"
    event = {
        "id": f"evt-{uuid.uuid4()}", "type": "agent.message", "consumer": consumer, "conversation": conversation,
        "text": "Your order has shipped.",
    }
    first = client.post_event(event)
    print(f"event: {first.status}, sequence {first.sequence}, unread {first.unread}")
    again = client.post_event(event)
    print(f"the same event: {again.status}, {'same' if again.message_id == first.message_id else 'other'} message")
    try:
        client.post_event({"id": "evt-wrong", "type": "agent.message", "consumer": consumer})
    except switchboard.InvalidRequest as error:
        print(f"without a text: {error.status} {error.code}, {error.errors[0]['pointer']}")
    results = client.post_events([
        {"id": f"evt-{uuid.uuid4()}", "type": "conversation.resolved", "consumer": consumer, "conversation": conversation},
        {"id": "evt-wrong", "type": "agent.message", "consumer": consumer},
    ])
    print("batch: " + ", ".join(result.error.code if result.error else result.status for result in results))

    while True:
        page = client.read_feed("python", after=after, wait_seconds=5)
        if not page.items:
            sys.exit("the feed has no item of the conversation")
        for item in page.items:
            if item["type"] == "conversation.resolved" and item["data"]["conversation"] == conversation:
                print(f"feed: {item['type']} by {item['data']['by']}")
                client.acknowledge("python", item["position"])
                return
        after = page.next_after


def webhook(path):
    with open(path, "rb") as file:
        head, _, body = file.read().partition(b"\n\n")
    headers = dict(line.split(": ", 1) for line in head.decode().splitlines())
    batch = switchboard.verify_webhook(os.environ["SWITCHBOARD_WEBHOOK_SECRET"], headers, body)
    print(f"webhook: {batch['items'][0]['type']}")
    try:
        switchboard.verify_webhook(os.environ["SWITCHBOARD_WEBHOOK_SECRET"], headers, body + b" ")
    except switchboard.InvalidSignature:
        print("webhook with another body: refused")


if sys.argv[1] == "--webhook":
    webhook(sys.argv[2])
else:
    main(*sys.argv[1:])
