#!/bin/sh
# postgres.sh - runs a command with a PostgreSQL server of its own, which is gone afterwards: MIDPOOL_POSTGRES is the folder of its
# socket, a store there is postgresql://midpool@/DATABASE?host=$MIDPOOL_POSTGRES. postgres.sh stop|start within it stops the server
# at once, as a crash does, and starts it again. Without a server (Debian: postgresql) it exits 77: skipped.
# Usage: postgres.sh COMMAND ...
# SPDX-License-Identifier: MIT
set -u
bin=$(find /usr/lib/postgresql -name pg_ctl 2>/dev/null | sort -V | tail -1)
[ -n "$bin" ] || bin=$(command -v pg_ctl)
if [ -z "$bin" ]; then
    echo "no PostgreSQL server here (Debian: postgresql): skipped"
    exit 77
fi
bin=$(dirname "$bin")

# A server does not run as root.
unprivileged() {
    if [ "$(id -u)" != 0 ]; then
        "$@"
    elif id postgres >/dev/null 2>&1; then
        setpriv --reuid=postgres --regid="$(id -g postgres)" --clear-groups "$@"
    else
        setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups "$@"
    fi
}
start() {
    cd / # a place that every user may be in
    unprivileged "$bin/pg_ctl" -D "$MIDPOOL_POSTGRES/data" -w -t 60 -l "$MIDPOOL_POSTGRES/log" \
        -o "-c listen_addresses='' -c unix_socket_directories='$MIDPOOL_POSTGRES' -c fsync=${MIDPOOL_FSYNC:-off}" start >/dev/null
}
stop() {
    unprivileged "$bin/pg_ctl" -D "$MIDPOOL_POSTGRES/data" -m immediate stop >/dev/null 2>&1
}

case $1 in
start | stop)
    "$1"
    exit
    ;;
esac
MIDPOOL_POSTGRES=$(mktemp -d) || exit 1
export MIDPOOL_POSTGRES
trap 'stop; rm -rf "$MIDPOOL_POSTGRES"' EXIT
trap 'exit 1' INT TERM HUP
chmod 755 "$MIDPOOL_POSTGRES"
[ "$(id -u)" != 0 ] || chown "$(id -u postgres 2>/dev/null || id -u nobody)" "$MIDPOOL_POSTGRES"
(cd / && unprivileged "$bin/initdb" -D "$MIDPOOL_POSTGRES/data" -A trust -U midpool -E UTF8 --locale=C --no-sync) >/dev/null || exit 1
(start) || { cat "$MIDPOOL_POSTGRES/log" >&2; exit 1; }
"$bin/createdb" -h "$MIDPOOL_POSTGRES" -U midpool lab || exit 1
"$@"
