#!/bin/bash
# What every installation is built from, on a server (install.sh) and in a container (Containerfile):
#   deploy/build.sh packages       the packages of Debian or Ubuntu that the application needs to run; as root
#   deploy/build.sh application    .venv from uv.lock, compiled; static files for nobody to write again
# Both do nothing the second time. Package indexes are those that apt, pip and uv are configured for.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
# also under a careful umask the service must be able to read its code
umask 022

# the two of pango draw the evidence of a job as a PDF, and bring a font
PACKAGES=(python3 python3-venv ca-certificates libpango-1.0-0 libpangoft2-1.0-0)

is_installed() { [ "$(dpkg-query --show --showformat '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# install_packages NAME…: only what is missing, and apt is not asked when nothing is
install_packages() {
    local name log missing=()
    for name in "$@"; do is_installed "$name" || missing+=("$name"); done
    if [ ${#missing[@]} = 0 ]; then return; fi
    printf '  installing %s\n' "${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    log="$(mktemp)"
    if ! { apt-get -qq update && apt-get -qq -y --no-install-recommends install "${missing[@]}"; } >"$log" 2>&1; then
        cat "$log" >&2
        printf 'apt could not install %s. Read its lines above, mend /etc/apt/sources.list or the network, and repeat.\n' \
            "${missing[*]}" >&2
        return 1
    fi
    rm "$log"
}

# the service may not write beside the code, so each of its processes would compile Django anew
compile() { .venv/bin/python -m compileall -q -j 0 .venv/lib ./*/ >/dev/null || true; }

static_fingerprint() {
    { cat uv.lock && find static seller_sandbox board phone engineers -path '*static*' -type f -print0 |
        LC_ALL=C sort --zero-terminated | xargs --null cksum; } | cksum
}

collect_static_files() {
    local stamp=var/static/.built fingerprint
    fingerprint="$(static_fingerprint)"
    if [ "$(cat $stamp 2>/dev/null)" = "$fingerprint" ]; then return; fi
    printf '  collecting static files\n'
    rm -rf var/static
    mkdir -p var/static
    .venv/bin/python -m tools.static_files
    echo "$fingerprint" >$stamp
}

# open_to_service: what was cloned before us, too; not the address of the repository, which may hold a password, nor data
open_to_service() {
    find . -path ./.git -prune -o -path './var/*' ! -path './var/static*' -prune -o ! -type l -exec chmod go+rX {} +
}

build_application() {
    tools/environment.sh run
    compile
    collect_static_files
    open_to_service
}

case "${1:-}" in
packages) install_packages "${PACKAGES[@]}" "${@:2}" ;;
application) build_application ;;
*)
    echo "deploy/build.sh: say packages or application" >&2
    exit 2
    ;;
esac
