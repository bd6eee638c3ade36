#!/bin/bash
# `fibre-dispatch COMMAND …`: manage.py of the version in whose folder this file lies, with the settings in
# /etc/fibre-dispatch/environment and as the service's user. install.sh links it to /usr/local/sbin/fibre-dispatch.
set -euo pipefail
STARTED_IN="$PWD"
cd "$(dirname "$(readlink -f "$0")")/.."
. deploy/quoting.sh
ENVIRONMENT=/etc/fibre-dispatch/environment

if [ "$(id -u)" != 0 ]; then
    echo "fibre-dispatch: run it as root, for example: sudo fibre-dispatch ${1:-check_link}" >&2
    exit 1
fi
# of the command line or the shell; what a session has of its own accord, or the file itself names twice, is not meant
read_names=" "
is_given_otherwise() {
    case "$read_names" in *" $name "*) return 1 ;; esac
    case "$name" in LANG | LC_* | PATH | HOME | TZ | TMPDIR | *_proxy | *_PROXY) return 1 ;; esac
    [ -n "${!name:-}" ] && [ "${!name}" != "$value" ]
}

# as systemd reads it; exported, since arguments of a program are everybody's to see
while IFS= read -r line || [ -n "$line" ]; do
    case "$line" in '' | '#'* | ';'*) continue ;; esac
    value="$(unquoted "${line#*=}")"
    name="${line%%=*}"
    if is_given_otherwise; then
        echo "fibre-dispatch: $name is set here and in $ENVIRONMENT, and differs; unset it here, or change it there" >&2
        exit 1
    fi
    export "$name=$value"
    read_names+="$name "
done <"$ENVIRONMENT"
export HOME=/var/lib/fibre-dispatch PYTHONDONTWRITEBYTECODE=1
umask 077
as_service=(setpriv --reuid=fibre-dispatch --regid=fibre-dispatch --init-groups --)

# is_out_of_reach FILE: a relative one would be looked for in the folder of the version, and root reads more than the service
is_out_of_reach() {
    case "$1" in
    /*) [ -f "$1" ] && ! "${as_service[@]}" test -r "$1" ;;
    # a word may be the name of a file by chance
    */* | *.*) [ -f "$STARTED_IN/$1" ] && ! [ "$STARTED_IN" -ef . ] ;;
    *) return 1 ;;
    esac
}

for argument in "${@:2}"; do
    file="${argument#--*=}"
    if is_out_of_reach "$file"; then
        echo "fibre-dispatch: name files with their full path, where the service's user can read and write. Copy $file:" >&2
        echo "  install -o fibre-dispatch -m 0600 $file /var/lib/fibre-dispatch/" >&2
        exit 1
    fi
done
exec "${as_service[@]}" .venv/bin/python manage.py "$@"
