#!/usr/bin/env bash
# Measures on this host what the Sizing page has no figure for: bytes of the database for a device and for a message with its delivery,
# and the gateway's CPU, memory and descriptors while it stores and sends them; and computes the page's table of hosts from that.
# Gateway and simulated FCM run on the loopback address.
#
#   --devices N     consumers with a device each, 5,000 by default
#   --messages N    messages, 50,000 by default
#   --json          prints one JSON object instead of tables
#
# Needs a release build (Deploy/release.sh switchboard push-simulator) and Python. Uses a temporary directory, ends after at most
# fifteen minutes, and ends only what it has started.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Deploy/packages.sh
. Deploy/packages.sh

devices=5000
messages=50000
json=""
usage="usage: Deploy/sizing.sh [--devices N] [--messages N] [--json]"
while [ $# -gt 0 ]; do
    case "$1" in
        --devices) devices=${2:?} && shift ;;
        --messages) messages=${2:?} && shift ;;
        --json) json=--json ;;
        *) fail "$usage" ;;
    esac
    shift
done
[[ $devices =~ ^[1-9][0-9]{0,5}$ && $messages =~ ^[1-9][0-9]{0,6}$ ]] || fail "$usage: up to 999,999 devices and 9,999,999 messages"

binaries=${SWITCHBOARD_BINARIES:-.build/release}
for program in switchboard push-simulator; do
    [ -x "$binaries/$program" ] || fail "$binaries/$program is not built: Deploy/release.sh switchboard push-simulator"
done

# shellcheck source=Deploy/processes.sh
. Deploy/processes.sh

"$binaries/push-simulator" --quiet --apns 127.0.0.1:0 --fcm 127.0.0.1:0 --control 127.0.0.1:0 --certificates "$folder/simulator" \
    >"$folder/simulator.out" 2>"$folder/simulator.log" &
started+=($!)
fcm=$(line_of "$folder/simulator.out" 'fcm listening on ')
line_of "$folder/simulator.out" 'certificates in ' >/dev/null
SWITCHBOARD_PROVIDER_TRUST_ROOTS=$folder/simulator/ca.pem SWITCHBOARD_LOG_LEVEL=warning \
    "$binaries/switchboard" serve --listen 127.0.0.1:0 --data-dir "$folder/data" >"$folder/gateway.out" 2>"$folder/gateway.log" &
started+=($!)
server=$(line_of "$folder/gateway.out" 'listening on ')
unset SWITCHBOARD_ADMIN_TOKEN
export SWITCHBOARD_SERVER=$server SWITCHBOARD_SERVER_ADMIN_TOKEN_FILE=$folder/data/admin-token
"$binaries/switchboard" brand create sizing --name Sizing >/dev/null
"$binaries/switchboard" app put sizing android --service-account "$folder/simulator/service-account.json" --endpoint "https://$fcm" >/dev/null

cat >"$folder/load.py" <<'PYTHON'
import http.client, json, re, subprocess, sys, time, urllib.parse

server, folder, program, devices, messages = sys.argv[1:6]
devices, messages = int(devices), int(messages)
token = open(f"{folder}/data/admin-token").read().strip()
connection = http.client.HTTPConnection(urllib.parse.urlparse(server).netloc, timeout=60)
end = time.monotonic() + 840


def call(method, path, body=None, kind="application/json"):
    headers = {"Authorization": "Bearer " + token, "Content-Type": kind}
    while True:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        text = response.read()
        if response.status < 300:
            return text
        # Full intake: nothing of the request was stored.
        if response.status != 503 or time.monotonic() > end:
            sys.exit(f"{method} {path}: {response.status} {text.decode(errors='replace')}")
        time.sleep(0.2)


def metric(name):
    text = call("GET", "/metrics").decode()
    return sum(float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", text, re.M))


def database_bytes():
    command = [program, "backup", f"{folder}/copy", "--force", "--data-dir", f"{folder}/data", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["bytes"]


def megabytes(value):
    return round(value / 1e6, 1)


def event(number):
    return json.dumps({
        "id": f"evt-{number}", "type": "agent.message", "consumer": f"consumer-{number % devices}",
        "conversation": f"conversation-{number % devices}", "agent": {"nickname": "Dana"},
        "text": f"Your order {number} has shipped and will be with you tomorrow before noon.",
    })


def wait_for(count):
    """Waits until so many deliveries have ended."""
    global highest_fds
    while metric("switchboard_delivery_outcomes_total") < count:
        highest_fds = max(highest_fds, metric("process_open_fds"))
        if time.monotonic() > end:
            sys.exit("the deliveries did not end in time")
        time.sleep(0.2)


# From the Sizing page: a consumer in memory, all consumers in memory, an idle window, and descriptors without windows.
CONSUMER_KB, CONSUMERS_MB, WINDOW_KB, DESCRIPTORS = 1, 192, 9.3, 6_400


def hosts():
    """The rows of the page's table: messages a day, devices, windows, then what they need."""
    sizes = [(10_000, 5_000, 200), (100_000, 50_000, 2_000), (1_000_000, 500_000, 15_000), (5_000_000, 2_000_000, 20_000)]
    for daily, owned, windows in sizes:
        # The busiest second has ten times the average.
        rate = daily / 86_400 * 10
        low, high = figures["cpuMicrosecondsPerMessage"], figures["cpuMicrosecondsPerMessageAlone"]
        most = figures["messagesPerSecondAlone"]
        # Messages beyond the rate at which each has a commit of its own share one.
        cores = [rate * low / 1e6, (rate * low + min(rate, most) * max(high - low, 0)) / 1e6]
        memory = figures["memoryMegabytesIdle"] + min(CONSUMERS_MB, owned * CONSUMER_KB / 1e3) + windows * WINDOW_KB / 1e3
        disk = (owned * figures["databaseBytesPerDevice"] + daily * 30 * figures["databaseBytesPerMessage"]) / 1e9
        yield (f"{daily:,}", f"{owned:,}", f"{windows:,}", f"{rate:,.0f}", f"{cores[0]:.1%} to {cores[1]:.1%}", f"{memory:,.0f} MB",
               f"{disk:,.1f} GB", f"{DESCRIPTORS + windows:,}")


empty = database_bytes()
idle = metric("process_resident_memory_bytes")
for number in range(devices):
    body = json.dumps({"token": f"sizing-{number:08d}:APA91b", "pushType": "fcm"})
    call("PUT", f"/v1/brands/sizing/apps/android/devices/device-{number}?consumer=consumer-{number}", body)
registered = database_bytes()
cpu, start, highest_fds = metric("process_cpu_seconds_total"), time.monotonic(), 0
for first in range(0, messages, 500):
    lines = [event(number) for number in range(first, min(first + 500, messages))]
    found = json.loads(call("POST", "/v1/brands/sizing/events", "\n".join(lines), "application/x-ndjson"))
    if found["accepted"] != len(lines):
        sys.exit(f"{found['rejected']} events were rejected")
wait_for(messages)
seconds = time.monotonic() - start
used = metric("process_cpu_seconds_total") - cpu
# The delivery log is indexed a moment later.
time.sleep(5)
stored, memory = database_bytes(), metric("process_resident_memory_bytes")
# One after the other: each waits for a commit of its own, as at a low rate.
alone = min(messages, 2000)
cpu, start = metric("process_cpu_seconds_total"), time.monotonic()
for number in range(messages, messages + alone):
    call("POST", "/v1/brands/sizing/events", event(number))
seconds_alone = time.monotonic() - start
wait_for(messages + alone)
used_alone = metric("process_cpu_seconds_total") - cpu
figures = {
    "devices": devices,
    "messages": messages,
    "databaseBytesPerDevice": round((registered - empty) / devices),
    "databaseBytesPerMessage": round((stored - registered) / messages),
    "cpuMicrosecondsPerMessage": round(used / messages * 1e6),
    "cpuMicrosecondsPerMessageAlone": round(used_alone / alone * 1e6),
    "messagesPerSecond": round(messages / seconds),
    "messagesPerSecondAlone": round(alone / seconds_alone),
    "memoryMegabytesIdle": megabytes(idle),
    "memoryMegabytesAfter": megabytes(memory),
    "openDescriptors": int(max(highest_fds, metric("process_open_fds"))),
}
if "--json" in sys.argv:
    print(json.dumps(figures))
else:
    for name, value in figures.items():
        print(f"{re.sub('([A-Z]+)', lambda found: ' ' + found[1].lower(), name):40} {value:>12,}")
    print()
    for row in hosts():
        print(f"| {' | '.join(row)} |")
PYTHON
timeout 900 python3 "$folder/load.py" "$server" "$folder" "$binaries/switchboard" "$devices" "$messages" $json
