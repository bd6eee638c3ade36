# shellcheck shell=bash
# The answers that install.sh needs: from a file, from an earlier run, or asked on the terminal.

# name;needed or free;default;what a value looks like;question;remedy
ANSWERS='
HOST_NAME;needed;;^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*\.[a-z][a-z0-9-]{0,62}$;Host name that people use;write a name in small letters like dispatch.example.org, without https://
PARTNER_NAME;needed;;^[A-Za-z0-9][A-Za-z0-9._ -]{0,62}[A-Za-z0-9]$;Common name of your certificate, as agreed with the seller;write letters, digits, dots and hyphens, 64 at most, like jobs.partner.example
SELLER_ENDPOINTS;needed;;^https://[^ ,]+(,https://[^ ,]+)*$;Addresses of the seller, separated by commas;write https:// addresses like https://a.seller.example,https://b.seller.example
SELLER_CA;needed;;^/.+$;File with the certificate authority agreed with the seller (PEM);write the full path of a file that the seller sent you, like /root/seller-ca.pem
SELLER_ALLOWED_SUBJECTS;needed;;^[^,]+(,[^,]+)*$;Common names of the certificates with which the seller calls;write names like jobs.seller.example
SELLER_ALLOWED_ADDRESSES;needed;;^[0-9a-fA-F.:]+(,[0-9a-fA-F.:]+)*$;IP addresses from which the seller calls;write addresses like 192.0.2.10,192.0.2.11
OFFICE_PHONE;needed;;^[+0-9][0-9 ()-]{4,}$;Telephone number of your dispatch office;write a number like 0113 496 0111
ORDER_DESK_PHONE;needed;;^[+0-9][0-9 ()-]{4,}$;Telephone number of the order desk of the seller;write a number like 0113 496 0100
SUPERVISOR;needed;;^[a-z][a-z0-9._-]{1,149}$;User name of the first supervisor;write small letters and digits like dana
SUPERVISOR_NAME;needed;;^[^ ].*$;Name of the first supervisor;write first and last name
TIME_ZONE;free;Europe/London;^[A-Za-z_]+(/[A-Za-z_+-]+)*$;Time zone of shifts and windows;write a zone like Europe/London
QUESTION_MATRIX;free;;^/.+$;File with the question matrix of the seller (empty: the sample, until you import one);write the full path of a JSON file, or leave it out
DATABASE_URL;free;;^postgresql://.+/.+$;PostgreSQL on another machine (empty: on this one);write postgresql://user:password@host:5432/name, or leave it out
REDIS_URL;free;;^rediss?://.+$;Redis on another machine (empty: on this one);write rediss://:password@host:6379/0, or leave it out
REQUIRE_SECOND_FACTOR;free;1;^[01]$;Ask the office for a code of an authenticator application (1 or 0);write 1 or 0
'
SAVED_ANSWERS=/etc/fibre-dispatch/answers
# copied at the first run: from then on the file that the answer names may be gone
COPIED_FILES='SELLER_CA /etc/fibre-dispatch/seller-ca.pem
QUESTION_MATRIX /etc/fibre-dispatch/question_matrix.json'

# ub-common-name of RFC 5280: openssl makes no request for more
COMMON_NAME_LENGTH=64

# what a pattern cannot say: addresses, ports and zones that there are; from standard input, since passwords are in some
CHECK_VALUE='
import ipaddress, sys, urllib.parse, zoneinfo

name, value = sys.argv[1], sys.stdin.read().strip()
try:
    if name == "SELLER_ALLOWED_ADDRESSES":
        for part in value.split(","):
            ipaddress.ip_address(part)
    elif name == "TIME_ZONE":
        # a machine without a list of zones knows none
        if zoneinfo.available_timezones():
            zoneinfo.ZoneInfo(value)
    else:
        for part in value.split(","):
            if urllib.parse.urlsplit(part).port == 0:
                raise ValueError(part)
except (ValueError, KeyError, OSError):
    sys.exit(1)
'
CHECKED_BY_PYTHON=' SELLER_ALLOWED_ADDRESSES TIME_ZONE SELLER_ENDPOINTS DATABASE_URL REDIS_URL '

declare -A ANSWER=()
PROBLEMS=()

problem() { PROBLEMS+=("$1"); }

# stop_if_wrong SOURCE: everything that is wrong at once
stop_if_wrong() {
    if [ ${#PROBLEMS[@]} = 0 ]; then return; fi
    printf 'Not installed. %s:\n' "$1" >&2
    printf '  %s\n' "${PROBLEMS[@]}" >&2
    exit 1
}

# each_answer FUNCTION: calls it with the six columns of each answer
each_answer() {
    local name needed default pattern question remedy
    while IFS=';' read -r name needed default pattern question remedy <&3; do
        if [ -n "$name" ]; then "$1" "$name" "$needed" "$default" "$pattern" "$question" "$remedy"; fi
    done 3<<<"$ANSWERS"
}

is_answer() { [[ "$ANSWERS" == *$'\n'"$1;"* ]]; }

# read_answers FILE: lines NAME=value; nothing in them is run
read_answers() {
    local line name value number=0 seen=' '
    if [ ! -r "$1" ]; then
        problem "the file $1 cannot be read; name a file with --answers, deploy/answers.example shows what is in it"
        return
    fi
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        line="${line%$'\r'}"
        case "$line" in '' | '#'*) continue ;; esac
        name="${line%%=*}" value="${line#*=}"
        if [ "$name" = "$line" ]; then
            problem "line $number: \"$line\" has no =; write NAME=value"
        elif ! is_answer "$name"; then
            problem "line $number: $name is not an answer; deploy/answers.example lists them"
        elif [[ "$seen" == *" $name "* ]]; then
            problem "line $number: $name is there twice; keep one"
        else
            if [[ "$value" =~ ^\"(.*)\"$ ]]; then value="${BASH_REMATCH[1]}"; fi
            ANSWER[$name]="$value"
        fi
        seen+="$name "
    done <"$1"
}

ask_one() {
    local name="$1" default="$3" pattern="$4" question="$5" remedy="$6" value
    while true; do
        read -rp "$question${default:+ [$default]}: " value || exit 1
        value="${value:-$default}"
        PROBLEMS=()
        ANSWER[$name]="$value"
        check_one "$@"
        if [ ${#PROBLEMS[@]} = 0 ]; then return; fi
        printf '  %s\n' "${PROBLEMS[@]}"
    done
}

# is_possible NAME VALUE: true where no Python is yet; install.sh asks again when there is one
is_possible() {
    local python=.venv/bin/python
    if [[ "$CHECKED_BY_PYTHON" != *" $1 "* ]]; then return; fi
    if [ ! -x "$python" ]; then python="$(command -v python3)" || return 0; fi
    "$python" -c "$CHECK_VALUE" "$1" <<<"$2"
}

fill_default() { if [ -z "${ANSWER[$1]:-}" ]; then ANSWER[$1]="$3"; fi; }

check_one() {
    local name="$1" value="${ANSWER[$1]:-}" copy
    if [ -z "$value" ]; then
        if [ "$2" = needed ]; then problem "$name: missing; $6"; fi
        return
    fi
    copy="$(awk -v name="$name" '$1 == name { print $2 }' <<<"$COPIED_FILES")"
    # as systemd would read it, too
    if [[ "$value" == *[\"\\\`\$]* ]]; then
        problem "$name: \"$value\" holds a quotation mark, backslash or dollar sign; leave it out (%XX in an address)"
    elif ! [[ "$value" =~ $4 ]] || ! is_possible "$name" "$value"; then
        problem "$name: \"$value\" is not right; $6"
    elif [ "$name" = HOST_NAME ] && [ ${#value} -gt $COMMON_NAME_LENGTH ]; then
        problem "$name: \"$value\" has ${#value} characters and a certificate names $COMMON_NAME_LENGTH at most; make a \
shorter name for this machine"
    elif [ -n "$copy" ] && [ ! -s "$copy" ] && [ ! -r "$value" ]; then
        problem "$name: the file $value cannot be read; $6"
    elif [ "$name" = SELLER_CA ] && [ ! -s "$copy" ] && ! grep -q "BEGIN CERTIFICATE" "$value"; then
        problem "$name: $value holds no certificate in PEM; ask the seller for their authority's certificate as PEM"
    fi
}

# get_answers FILE-OR-NOTHING: fills ANSWER, or stops with everything that is wrong
get_answers() {
    local file="$1"
    if [ -z "$file" ] && [ -r "$SAVED_ANSWERS" ]; then file="$SAVED_ANSWERS"; fi
    if [ -n "$file" ]; then
        read_answers "$file"
        each_answer fill_default
        each_answer check_one
        stop_if_wrong "Answers in $file"
    elif [ -t 0 ]; then
        each_answer ask_one
    else
        problem "nobody is there to ask; name a file with --answers, deploy/answers.example shows what is in it"
        stop_if_wrong "Answers"
    fi
}

save_one() { printf '%s="%s"\n' "$1" "${ANSWER[$1]}"; }

# for the next run, which asks nothing
save_answers() { write_file "$SAVED_ANSWERS" root:root 0600 each_answer save_one; }
