#!/bin/bash
# `fibre-dispatch COMMAND …`: manage.py of the version in whose folder this file lies, with the settings in
# /etc/fibre-dispatch/environment and as the service's user. install.sh links it to /usr/local/sbin/fibre-dispatch.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
ENVIRONMENT=/etc/fibre-dispatch/environment

if [ "$(id -u)" != 0 ]; then
    echo "fibre-dispatch: run it as root, for example: sudo fibre-dispatch ${1:-check_link}" >&2
    exit 1
fi
# of the command line or the shell; what a session has of its own accord, or the file itself names twice, is not meant
read_names=" "
is_given_otherwise() {
    case "$read_names" in *" $name "*) return 1 ;; esac
    case "$name" in LANG | LC_* | PATH | HOME | TZ | TMPDIR | *_proxy) return 1 ;; esac
    [ -n "${!name:-}" ] && [ "${!name}" != "$value" ]
}

# as systemd reads it; exported, since arguments of a program are everybody's to see
while IFS= read -r line || [ -n "$line" ]; do
    case "$line" in '' | '#'* | ';'*) continue ;; esac
    value="${line#*=}"
    if [[ "$value" =~ ^\"(.*)\"$ ]]; then value="${BASH_REMATCH[1]}"; fi
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
exec setpriv --reuid=fibre-dispatch --regid=fibre-dispatch --init-groups -- .venv/bin/python manage.py "$@"
