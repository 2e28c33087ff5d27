# shellcheck shell=bash
# Programs that a script starts, and what they print. Sourced, not run, after packages.sh, by a script with `set -e`.
# Sets `folder`, a temporary folder that is removed at the end; what is in `started` is ended then.

folder=$(mktemp -d)
started=()
stop() {
    [ ${#started[@]} -eq 0 ] || kill "${started[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$folder"
}
trap stop EXIT

# The value behind a prefix in a file, once it is there.
line_of() {
    local text
    for _ in $(seq 200); do
        text=$(sed -n "s/^$2//p" "$1" | head -n 1)
        [ -z "$text" ] || { printf '%s\n' "$text"; return; }
        sleep 0.1
    done
    cat "$folder"/*.log >&2
    fail "waited in vain for: $2"
}
