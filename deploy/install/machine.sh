# shellcheck shell=bash
# The machine below the application: which it is, packages, services, user, folders, and files that are written once.

SETTINGS_FOLDER=/etc/fibre-dispatch
DATA_FOLDER=/var/lib/fibre-dispatch
BACKUP_FOLDER=/var/lib/fibre-dispatch-backups
LINK=/opt/fibre-dispatch

say() { printf '  %s\n' "$*"; }

# stop SENTENCE REMEDY
stop() {
    printf 'Stopped: %s\n  %s\n' "$1" "$2" >&2
    exit 1
}

has_systemd() { [ -d /run/systemd/system ]; }

os_release() { sed -n "s/^$1=\"\{0,1\}\([^\"]*\)\"\{0,1\}$/\1/p" /etc/os-release; }

check_machine() {
    local id release
    if [ "$(id -u)" != 0 ]; then stop "install.sh needs root." "Run: sudo $APPLICATION/deploy/install.sh"; fi
    id="$(os_release ID)"
    release="$(os_release VERSION_ID)"
    # Debian's next release has no number yet
    release="${release:-999}"
    case "$id" in
    debian) [ "${release%%.*}" -ge 12 ] || stop "Debian $release is too old." "Use Debian 12 or newer." ;;
    ubuntu) [ "${release%%.*}" -ge 24 ] || stop "Ubuntu $release is too old." "Use Ubuntu 24.04 or newer." ;;
    *) stop "$id is not Debian or Ubuntu." "docs/operating.md, First start in production, says what to do on another system." ;;
    esac
    if [ "$APPLICATION" != "$LINK-$VERSION" ]; then
        stop "The application lies in $APPLICATION." "Move it: mv $APPLICATION $LINK-$VERSION, then run it from there."
    fi
    if [ -e "$LINK" ] && [ "$(readlink -f "$LINK")" != "$APPLICATION" ]; then
        stop "This machine runs $(readlink -f "$LINK")." "To change its version: docs/operating.md, Upgrade and roll back."
    fi
}

start_service() {
    if has_systemd; then
        systemctl enable --quiet --now "$1"
    elif ! service "$1" status >/dev/null 2>&1; then
        service "$1" start >/dev/null
    fi
}

make_user() {
    if ! getent passwd fibre-dispatch >/dev/null; then
        say "user fibre-dispatch"
        useradd --system --user-group --home-dir "$DATA_FOLDER" --no-create-home --shell /usr/sbin/nologin fibre-dispatch
    fi
}

# make_folder PATH OWNER MODE
make_folder() { [ -d "$1" ] || install -d -o "${2%:*}" -g "${2#*:}" -m "$3" "$1"; }

make_folders() {
    make_folder "$SETTINGS_FOLDER" root:fibre-dispatch 0750
    make_folder "$DATA_FOLDER" fibre-dispatch:fibre-dispatch 0700
    make_folder "$DATA_FOLDER/evidence" fibre-dispatch:fibre-dispatch 0700
    make_folder "$BACKUP_FOLDER" fibre-dispatch:fibre-dispatch 0700
    make_folder /var/www/fibre-dispatch root:root 0755
}

# make_link TARGET PATH
make_link() { [ "$(readlink "$2")" = "$1" ] || ln -sfn "$1" "$2"; }

# write_file PATH OWNER MODE [COMMAND…]: what the command prints (otherwise standard input) becomes the file, whole or
# not at all; the same one is not touched. A pipe into it would hide that the command failed half-way
write_file() {
    local made="$1.new" command=("${@:4}")
    if [ $# = 3 ]; then command=(cat); fi
    if ! (umask 077 && "${command[@]}" >"$made") || [ ! -s "$made" ]; then
        rm -f "$made"
        stop "$1 was not written: ${command[0]} failed or gave nothing." \
            "Settle what the lines above say (df -h shows a full disk), then run this again."
    fi
    if cmp --silent "$made" "$1"; then
        rm "$made"
        return 0
    fi
    chown "$2" "$made"
    chmod "$3" "$made"
    mv "$made" "$1"
    say "wrote $1"
    CHANGED+=("$1")
}

# copy_once FROM TO: what is there stays; a different answer is named
copy_once() {
    if [ ! -s "$2" ]; then
        write_file "$2" root:fibre-dispatch 0640 <"$1"
    elif [ -r "$1" ] && ! cmp --silent "$1" "$2"; then
        remains "$2 is another file than $1 and was kept. If yours is the right one: cp $1 $2"
    fi
}

CHANGED=()
has_changed() { [[ " ${CHANGED[*]} " == *" $1"* ]]; }

REMAINING=()
# remains SENTENCE: printed at the end
remains() { REMAINING+=("$1"); }
