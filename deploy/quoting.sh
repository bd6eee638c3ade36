# shellcheck shell=bash
# A value in /etc/fibre-dispatch/environment, as systemd reads it.

# quoted VALUE: as it is written; no answer holds a quotation mark, backslash or dollar sign
quoted() { if [[ "$1" =~ [^A-Za-z0-9_./:,@%+=?\&-] ]]; then printf '"%s"' "$1"; else printf '%s' "$1"; fi; }

# unquoted TEXT: what is written, without its quotation marks and the backslashes of what they protect
unquoted() {
    if ! [[ "$1" =~ ^\"(.*)\"$ ]]; then
        printf '%s' "$1"
    else
        printf '%s' "$(sed -E 's/\\(["\\`$])/\1/g' <<<"${BASH_REMATCH[1]}")"
    fi
}
