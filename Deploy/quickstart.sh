#!/usr/bin/env bash
# Builds switchboard and its demonstration, which shows the whole path of an agent message on this host, with simulated APNs and FCM.
# Then this terminal is a phone: an agent writes to it, and it answers.
# With --once the phone is used by this script, and everything ends; otherwise it stays up and prints what to try next.
# Needs the Swift toolchain; installs the packages that are missing (with sudo when it is not run by root).
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Deploy/packages.sh
. Deploy/packages.sh

once=
for argument in "$@"; do
    case "$argument" in
        --once) once=yes ;;
        *) fail "usage: Deploy/quickstart.sh [--once]" ;;
    esac
done

require_swift
require_packages "${build_packages[@]}" curl
say "building (the first time takes some minutes)"
SWITCHBOARD_ONLY_PROGRAMS=1 swift build
programs=$(swift build --show-bin-path)

# shellcheck source=Deploy/processes.sh
. Deploy/processes.sh

# What the phone needs is in a file once the demonstration has succeeded.
# shellcheck disable=SC2154 # set by processes.sh
"$programs/switchboard-demo" --phone "$folder/phone" </dev/null &
demo=$!
started+=("$demo")
while [ ! -f "$folder/phone" ]; do
    # It ends only after an error, which it has printed.
    kill -0 "$demo" 2>/dev/null || exit 1
    sleep 0.1
done
# shellcheck source=/dev/null
. "$folder/phone"
# shellcheck disable=SC2154 # set by the file
umask 077 && printf '%s\n' "$session" >"$folder/session"
# shellcheck disable=SC2154
device=("$programs/switchboard-device" --server "$server" --brand "$brand" --app "$app" --consumer "$consumer"
    --session "$folder/session" --simulator "$control")

# shellcheck disable=SC2154
call() { curl --silent --show-error --fail --user "$backend" --header 'Content-Type: application/json' "$@"; }

# shellcheck disable=SC2154
agent_writes() {
    call "$server/v1/brands/$brand/events" --output /dev/null --data \
        "{\"id\":\"$1\",\"type\":\"agent.message\",\"consumer\":\"$consumer\",\"conversation\":\"c-you\",\"agent\":{\"nickname\":\"Dana\"},\"text\":\"$2\"}"
}

say "a phone in this terminal: $consumer logs in, and registers for pushes"
if [ -z "$once" ]; then
    # The agent writes once the phone has registered.
    (
        until call "$server/v1/brands/$brand/consumers/$consumer/devices" | grep -q '"deviceId"'; do sleep 0.2; done
        agent_writes quickstart-1 'Hello, this is Dana. /open shows our conversation; then write a line to answer.'
    ) 2>/dev/null &
    started+=($!)
    "${device[@]}" || true
    say "the phone is off; the gateway and the simulators run until Ctrl-C"
    wait "$demo"
    exit
fi

coproc phone { "${device[@]}" 2>&1; }
started+=("$phone_PID")
# A copy: the shell closes its own when the phone ends.
exec {screen}<&"${phone[0]}" {keyboard}>&"${phone[1]}"

# Shows what the phone prints, up to a line that begins with the text.
see() {
    local line
    while IFS= read -r -t 60 -u "$screen" line; do
        printf '  %s\n' "$line"
        case "$line" in "$1"*) return ;; esac
    done
    fail "the phone did not print: $1"
}

enter() {
    printf '  > %s\n' "$1"
    printf '%s\n' "$1" >&"$keyboard"
}

see 'registered with the push token'
agent_writes quickstart-1 'Hello, this is Dana'
see 'push '
enter /tap
see 'tapped: agent'
enter /open
see 'window: ready'
enter 'Hello, Dana'
see 'sent: c-you#2'
enter /logout
see 'logged out'
enter /quit
say "all good; without --once the phone is yours"
