#!/usr/bin/env bash
# Starts a gateway on the loopback address and runs the examples of the three clients against it: each posts events, reads the feed, and
# verifies a webhook that the gateway has signed.
# Needs a build, curl, Python, a JDK (javac, 17 or later), Node and tsc (Debian: node-typescript). Ends only what it has started.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=Deploy/packages.sh
. Deploy/packages.sh

program=${SWITCHBOARD:-.build/release/switchboard}
[ -x "$program" ] || program=.build/debug/switchboard
[ -x "$program" ] || fail "switchboard is not built: Deploy/release.sh switchboard"
for tool in curl python3 javac java node tsc; do
    command -v "$tool" >/dev/null 2>&1 || fail "$tool was not found"
done

# shellcheck source=Deploy/processes.sh
. Deploy/processes.sh

# Keeps the first webhook as it came: its headers, an empty line, its body.
cat >"$folder/capture.py" <<'PYTHON'
import http.server, os, sys

class Capture(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        head = "".join(f"{name}: {self.headers[name]}\n" for name in ("webhook-id", "webhook-timestamp", "webhook-signature"))
        with open(sys.argv[1] + ".partial", "wb") as file:
            file.write(head.encode() + b"\n" + body)
        os.replace(sys.argv[1] + ".partial", sys.argv[1])
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass

server = http.server.HTTPServer(("127.0.0.1", 0), Capture)
print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
PYTHON
python3 "$folder/capture.py" "$folder/webhook" >"$folder/capture.out" 2>"$folder/capture.log" &
started+=($!)
SWITCHBOARD_OUTGOING_ALLOW_LOOPBACK=true "$program" serve --listen 127.0.0.1:0 --data-dir "$folder/data" \
    >"$folder/gateway.out" 2>"$folder/gateway.log" &
started+=($!)
server=$(line_of "$folder/gateway.out" 'listening on ')
hook=$(line_of "$folder/capture.out" 'listening on ')
admin=$(cat "$folder/data/admin-token")
secret=whsec_$(head -c 32 /dev/urandom | base64)
call() { curl -sS --fail-with-body -H "Authorization: Bearer $admin" -H 'Content-Type: application/json' "$@"; }
call -o /dev/null "$server/v1/brands" \
    -d "{\"id\":\"acme\",\"name\":\"Acme\",\"settings\":{\"webhook\":{\"url\":\"$hook\",\"secret\":\"$secret\",
    \"types\":[\"conversation.resolved\"]}}}"
credential=$(call "$server/v1/brands/acme/credentials" \
    -d '{"kind":"serviceAccount","name":"crm","scopes":["events:write","events:read"]}' |
    python3 -c 'import json, sys; made = json.load(sys.stdin); print(made["id"] + ":" + made["secret"])')

say "compiling the clients"
javac --release 17 -Xlint:all -Werror -d "$folder/java" Deploy/clients/java/Example.java Deploy/clients/java/switchboard/*.java
tsc --project Deploy/clients/typescript --outDir "$folder/typescript"
cp Deploy/clients/typescript/package.json "$folder/typescript/"
node=(node)
# Node 18 of Debian 12 has the Web Crypto API behind an option.
node -e 'process.exit(globalThis.crypto ? 0 : 1)' || node+=(--experimental-global-webcrypto)
export SWITCHBOARD_CREDENTIAL=$credential SWITCHBOARD_WEBHOOK_SECRET=$secret PYTHONDONTWRITEBYTECODE=1

run() {
    case "$1" in
        python) timeout 120 python3 Deploy/clients/python/example.py "${@:2}" ;;
        java) timeout 120 java -cp "$folder/java" Example "${@:2}" ;;
        typescript) timeout 120 "${node[@]}" "$folder/typescript/example.js" "${@:2}" ;;
    esac
}

cat >"$folder/expected" <<'TEXT'
event: accepted, sequence 1, unread 1
the same event: duplicate, same message
without a text: 422 invalid_request, /text
batch: accepted, invalid_request
feed: conversation.resolved by agent
webhook: conversation.resolved
webhook with another body: refused
TEXT
for client in python java typescript; do
    say "$client"
    # A consumer each, so that the counts are the client's own.
    run "$client" "$server" acme "consumer-$client" | tee "$folder/found"
    for _ in $(seq 200); do
        [ ! -e "$folder/webhook" ] || break
        sleep 0.1
    done
    [ -e "$folder/webhook" ] || fail "the gateway posted no webhook"
    run "$client" --webhook "$folder/webhook" <"$folder/webhook" | tee -a "$folder/found"
    diff "$folder/expected" "$folder/found" || fail "the client of $client does not do what is expected"
done
say "all clients do what is expected"
