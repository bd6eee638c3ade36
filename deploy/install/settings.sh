# shellcheck shell=bash
# /etc/fibre-dispatch: the settings of all processes with their keys, and the certificates.

ENVIRONMENT=$SETTINGS_FOLDER/environment

random_key() { openssl rand -base64 48 | tr '+/' '-_'; }

# setting_of NAME: its value in the environment file, or nothing
setting_of() {
    local line
    line="$(grep -m 1 "^$1=" "$ENVIRONMENT" 2>/dev/null)" || return 0
    unquoted "${line#*=}"
}

has_setting() { grep -qE "^$1(_FILE)?=" "$ENVIRONMENT" 2>/dev/null; }

# compare NAME VALUE: names a setting that is another than the answer
compare() {
    if [ -n "$(setting_of "$1")" ] && [ "$(setting_of "$1")" != "$2" ]; then
        remains "$1 in $ENVIRONMENT differs from the answer and was kept. Change it there, then restart."
    fi
}

# setting NAME VALUE: a line that is there is yours and stays
setting() {
    if ! has_setting "$1"; then
        NEW_SETTINGS+="$1=$(quoted "$2")"$'\n'
    elif [ -n "${ANSWER[$1]+is set}" ]; then
        compare "$1" "$2"
    fi
}

# key NAME COMMAND…: made once
key() {
    if ! has_setting "$1"; then NEW_SETTINGS+="$1=$("${@:2}")"$'\n'; fi
}

new_vapid_key() { .venv/bin/python -c 'from config.environment import new_vapid_key; print(new_vapid_key())'; }

# fails where no password was made
database_url() {
    local password port
    if [ -n "${ANSWER[DATABASE_URL]}" ]; then echo "${ANSWER[DATABASE_URL]}"; else
        password="$(openssl rand -hex 24)" && port="$(postgresql_port)" &&
            echo "postgresql://fibre-dispatch:$password@127.0.0.1:$port/fibre-dispatch"
    fi
}

redis_url() {
    local password
    if [ -n "${ANSWER[REDIS_URL]}" ]; then echo "${ANSWER[REDIS_URL]}"; else
        password="$(openssl rand -hex 24)" && echo "redis://:$password@127.0.0.1:6379/0"
    fi
}

question_matrix() {
    if [ -e "$SETTINGS_FOLDER/question_matrix.json" ]; then echo "$SETTINGS_FOLDER/question_matrix.json"; else
        echo "$LINK/closures/data/matrix_sample_3.json"
    fi
}

# compare_addresses: what is made from an answer, or only where there is none
compare_addresses() {
    local host="${ANSWER[HOST_NAME]}" hosts name
    compare PUBLIC_URL "https://$host"
    # you may have added others
    hosts="$(setting_of ALLOWED_HOSTS)"
    if [[ ",${hosts// /}," != *",$host,"* ]]; then compare ALLOWED_HOSTS "$host"; fi
    for name in DATABASE_URL REDIS_URL; do
        if [ -n "${ANSWER[$name]}" ]; then compare "$name" "${ANSWER[$name]}"; fi
    done
}

# settings_with_new: those that are there, then NEW_SETTINGS. awk ends a last line that an editor has left without an end
settings_with_new() {
    if [ -e "$ENVIRONMENT" ]; then awk 1 "$ENVIRONMENT" || return; fi
    printf '%s' "$NEW_SETTINGS"
}

write_settings() {
    NEW_SETTINGS=''
    setting DEPLOYMENT production
    key SECRET_KEY random_key
    setting ALLOWED_HOSTS "${ANSWER[HOST_NAME]}"
    setting PUBLIC_URL "https://${ANSWER[HOST_NAME]}"
    key DATABASE_URL database_url
    setting Q_BROKER redis
    key REDIS_URL redis_url
    setting EVIDENCE_STORAGE_URL "file://$DATA_FOLDER/evidence"
    setting BACKUP_FOLDER "$BACKUP_FOLDER"
    key BACKUP_PASSPHRASE random_key
    key VAPID_PRIVATE_KEY new_vapid_key
    setting BOARD_STREAM_URL /board/stream
    setting PUBLIC_CERT "$SETTINGS_FOLDER/people.pem"
    setting SELLER_CLIENT_CERT "$SETTINGS_FOLDER/partner.pem"
    setting SELLER_CLIENT_KEY "$SETTINGS_FOLDER/partner.key"
    local name
    for name in SELLER_ENDPOINTS SELLER_ALLOWED_SUBJECTS SELLER_ALLOWED_ADDRESSES OFFICE_PHONE ORDER_DESK_PHONE \
        TIME_ZONE REQUIRE_SECOND_FACTOR; do setting "$name" "${ANSWER[$name]}"; done
    if ! has_setting SELLER_CA; then NEW_SETTINGS+="SELLER_CA=$SETTINGS_FOLDER/seller-ca.pem"$'\n'; fi
    if ! has_setting QUESTION_MATRIX; then NEW_SETTINGS+="QUESTION_MATRIX=$(question_matrix)"$'\n'; fi
    compare_addresses
    if [ -n "$NEW_SETTINGS" ]; then write_file "$ENVIRONMENT" root:root 0600 settings_with_new; fi
}

# make_key FILE OWNER MODE: PKCS#8, as all our servers read it
make_key() { [ -s "$1" ] || write_file "$@" openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256; }

# names_in FILE: the common name and the host names of a request
names_in() {
    openssl req -noout -subject -nameopt multiline -in "$1" | sed -n 's/^ *commonName *= //p'
    openssl req -noout -text -in "$1" | sed -n '/DNS:/s/DNS://gp' | tr -d ' ' | tr ',' '\n'
}

# compare_names REQUEST NAME…: says when it was made for others
compare_names() {
    local names name
    names="$(names_in "$1" 2>/dev/null)" || names=''
    for name in "${@:2}"; do
        if ! grep -qxF -- "$name" <<<"$names"; then
            remains "$1 does not name $name and was kept. Delete it, and ${1%.csr}.pem while that is the temporary \
certificate, then run this again."
            return
        fi
    done
}

# make_request KEY SUBJECT FILE
make_request() {
    if [ -s "$3" ]; then
        compare_names "$3" "$2" "${ANSWER[HOST_NAME]}"
        return
    fi
    write_file "$3" root:root 0644 openssl req -new -key "$1" -subj "/CN=$2" \
        -addext "subjectAltName=DNS:${ANSWER[HOST_NAME]}" -addext "extendedKeyUsage=serverAuth,clientAuth"
}

# make_temporary_certificate KEY SUBJECT FILE: so that everything starts before the signed one is here
make_temporary_certificate() {
    if [ -s "$3" ]; then return; fi
    write_file "$3" root:fibre-dispatch 0640 openssl req -x509 -key "$1" -subj "/CN=$2" -days 60 \
        -addext "subjectAltName=DNS:${ANSWER[HOST_NAME]}"
}

# check_pair CERTIFICATE KEY: nothing starts with two that do not belong together
check_pair() {
    local of_certificate
    of_certificate="$(openssl x509 -noout -pubkey -in "$1" 2>/dev/null)" ||
        stop "$1 is not a certificate in PEM." "Put the signed certificate there as PEM, its chain below it."
    if [ "$of_certificate" != "$(openssl pkey -pubout -in "$2" 2>/dev/null)" ]; then
        stop "$1 does not belong to the key $2." "Ask for a certificate made from the request ${2%.key}.csr."
    fi
}

service_reads() { setpriv --reuid=fibre-dispatch --regid=fibre-dispatch --init-groups -- test -r "$1"; }

# open_to_service FILE…: those that are there. Whoever put one there may have had a careful umask, and nothing starts
# that cannot read it
open_to_service() {
    local file
    for file in "$@"; do
        if [ ! -e "$file" ] || service_reads "$file"; then continue; fi
        say "$file: readable for the service now"
        chown root:fibre-dispatch "$file"
        chmod 0640 "$file"
        service_reads "$file" || stop "The service's user cannot read $file." \
            "Put the file itself there, not a link into a closed folder: install -g fibre-dispatch -m 0640 FILE $file"
    done
}

# of the first certificate: a chain may end with its root, which signed itself
is_self_signed() {
    [ "$(openssl x509 -in "$1" -noout -subject_hash)" = "$(openssl x509 -in "$1" -noout -issuer_hash)" ]
}

make_certificates() {
    local folder="$SETTINGS_FOLDER" name="${ANSWER[PARTNER_NAME]}" host="${ANSWER[HOST_NAME]}"
    copy_once "${ANSWER[SELLER_CA]}" "$folder/seller-ca.pem"
    if [ -n "${ANSWER[QUESTION_MATRIX]}" ]; then
        copy_once "${ANSWER[QUESTION_MATRIX]}" "$folder/question_matrix.json"
    fi
    # nginx's user may be in the group (docs/operating.md, nginx in front)
    make_key "$folder/partner.key" fibre-dispatch:fibre-dispatch 0600
    make_request "$folder/partner.key" "$name" "$folder/partner.csr"
    make_temporary_certificate "$folder/partner.key" "$name" "$folder/partner.pem"
    check_pair "$folder/partner.pem" "$folder/partner.key"
    # of whoever may have replaced it
    chown fibre-dispatch:fibre-dispatch "$folder/partner.key"
    chmod 0600 "$folder/partner.key"
    make_key "$folder/people.key" root:root 0600
    make_request "$folder/people.key" "$host" "$folder/people.csr"
    make_temporary_certificate "$folder/people.key" "$host" "$folder/people.pem"
    check_pair "$folder/people.pem" "$folder/people.key"
    open_to_service "$folder"/{partner,people,seller-ca}.pem "$folder/question_matrix.json" "$(setting_of SELLER_CRL)"
    if is_self_signed "$folder/partner.pem"; then
        remains "Send $folder/partner.csr to the seller's team. Put the certificate that they sign into \
$folder/partner.pem, then run this again. Until then no message passes in either direction."
    fi
    if is_self_signed "$folder/people.pem"; then
        remains "Browsers warn of a temporary certificate, and the seller cannot fetch photos. Have $folder/people.csr signed by a public authority, put the \
certificate with its chain into $folder/people.pem, then run this again. (Or let certbot do it: docs/operating.md, Install, step 6.)"
    fi
}
