#!/usr/bin/env bash
# Starts a gateway and sends it valid and invalid requests that schemathesis generates from /openapi.yaml.
# Needs schemathesis (pip install schemathesis), openssl, curl and a build; more arguments go to `schemathesis run`.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Deploy/packages.sh
. Deploy/packages.sh

command -v schemathesis >/dev/null 2>&1 || fail "schemathesis was not found: pip install schemathesis"
program=${SWITCHBOARD:-.build/release/switchboard}
[ -x "$program" ] || program=.build/debug/switchboard
[ -x "$program" ] || fail "switchboard is not built: Deploy/release.sh switchboard"

folder=$(mktemp -d)
gateway=""
stop() {
    [ -z "$gateway" ] || kill "$gateway" 2>/dev/null || true
    rm -rf "$folder"
}
trap stop EXIT

# Nothing listens on the webhook's address.
SWITCHBOARD_OUTGOING_ALLOW_LOOPBACK=true "$program" serve --listen 127.0.0.1:0 --data-dir "$folder/data" >"$folder/out" 2>"$folder/log" &
gateway=$!
server=""
for _ in $(seq 100); do
    server=$(sed -n 's/^listening on //p' "$folder/out")
    [ -n "$server" ] && break
    kill -0 "$gateway" 2>/dev/null || { cat "$folder/log" >&2; fail "the gateway did not start"; }
    sleep 0.1
done
[ -n "$server" ] || fail "the gateway did not say where it listens"
admin=$(cat "$folder/data/admin-token")
call() { curl -sS --fail-with-body -o "$folder/answer" -H "Authorization: Bearer $admin" -H 'Content-Type: application/json' "$@"; }

# One object of each kind, so that requests do not all get 404. Nothing listens on the address of the app's provider.
openssl ecparam -name prime256v1 -genkey -noout 2>/dev/null | openssl pkcs8 -topk8 -nocrypt -out "$folder/key.pem"
key=$(awk '{printf "%s\\n", $0}' "$folder/key.pem")
apns="{\"teamId\":\"TEAM123456\",\"keyId\":\"KEY1234567\",\"privateKey\":\"$key\",\"topic\":\"com.example.app\",
  \"endpoints\":{\"production\":\"https://127.0.0.1:1\",\"sandbox\":\"https://127.0.0.1:1\"}}"
call "$server/v1/brands" -d '{"id":"acme","name":"Acme","settings":{"anonymousConsumers":true,
  "webhook":{"url":"http://127.0.0.1:1/"}}}'
call "$server/v1/brands" -d '{"id":"doomed","name":"To be deleted"}'
for app in ios doomed; do
    call -X PUT "$server/v1/brands/acme/apps/$app" -d "{\"platform\":\"ios\",\"apns\":$apns}"
done
for hook in desk doomed; do
    call -X PUT "$server/v1/brands/acme/hooks/$hook" -d '{"kind":"chatwoot","secret":"kx8wYq3vT1mZ5nB7",
        "reply":{"url":"http://127.0.0.1:1","accountId":1,"token":"hT4bQ9wLr2Vn8XyK"}}'
done
for operator in dana doomed; do
    call "$server/v1/operators" \
        -d "{\"name\":\"$operator\",\"password\":\"correct horse battery staple\",\"roles\":[{\"role\":\"viewer\"}]}"
done
call -X PUT "$server/v1/brands/acme/apps/ios/devices/d-1?consumer=u-1" -d '{"token":"aabbccdd","pushType":"apns"}'
call "$server/v1/brands/acme/events" \
    -d '{"id":"evt-0","type":"agent.message","consumer":"u-1","conversation":"c-9","text":"hello"}'
message=$(sed -n 's/.*"messageId":"\([^"]*\)".*/\1/p' "$folder/answer")
call "$server/v1/brands/acme/consumers/u-1/sessions" -d '{"deviceId":"d-1"}'
session=$(sed -n 's/.*"sessionToken":"\([^"]*\)".*/\1/p' "$folder/answer")
call "$server/v1/brands/acme/outbound/reader"

sed -e "s/@MESSAGE@/$message/" Deploy/schemathesis.toml >"$folder/schemathesis.toml"
say "as an operator"
SCHEMATHESIS_HOOKS=Deploy.schemathesis_hooks schemathesis --config-file "$folder/schemathesis.toml" run "$server/openapi.yaml" \
    --header "Authorization: Bearer $admin" --exclude-operation-id endSession --exclude-operation-id tailDeliveries "$@"
say "as a device"
SCHEMATHESIS_HOOKS=Deploy.schemathesis_hooks schemathesis --config-file "$folder/schemathesis.toml" run "$server/openapi.yaml" \
    --header "Authorization: Bearer $session" --include-tag devices --include-tag messages \
    --exclude-operation-id listDevices "$@"
curl -sS --fail-with-body -o /dev/null "$server/readyz"
if grep -q 'failed unexpectedly' "$folder/log"; then
    cat "$folder/log" >&2
    fail "the gateway logged a fault of its own"
fi
say "nothing was found"
