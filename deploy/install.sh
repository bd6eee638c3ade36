#!/bin/bash
# Install Fibre dispatch on a machine with Debian 12 or newer, or Ubuntu 24.04 or newer, as root:
#   deploy/install.sh                      asks on the terminal
#   deploy/install.sh --answers FILE       reads the answers (deploy/answers.example)
#   deploy/install.sh --check-answers FILE says what is wrong with them and changes nothing
#   deploy/install.sh --for-restore [--answers FILE]   makes neither supervisor nor backup and starts nothing, so that a
#                                          backup can be restored (docs/operating.md, Back up and restore)
# What is there is kept, so it can be run again at any time: after an interruption, with a renewed certificate, or to see
# what remains to be done. docs/operating.md, Install.
set -euo pipefail
STARTED_IN="$PWD"
APPLICATION="$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)"
cd "$APPLICATION"
# also under a careful umask the service must be able to read its code
umask 022
VERSION="$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)"

. deploy/quoting.sh
. deploy/install/machine.sh
. deploy/install/answers.sh
. deploy/install/settings.sh
. deploy/install/services.sh

# from_start FILE: a relative name is meant from the folder in which install.sh was started
from_start() { case "$1" in /*) echo "$1" ;; *) echo "$STARTED_IN/$1" ;; esac; }

answers_file='' is_for_restore=''
while [ $# -gt 0 ]; do
    case "$1" in
    --answers)
        answers_file="$(from_start "${2:?--answers needs the name of a file}")"
        shift
        ;;
    --for-restore) is_for_restore=1 ;;
    --check-answers)
        get_answers "$(from_start "${2:?--check-answers needs the name of a file}")"
        echo "The answers are complete."
        exit 0
        ;;
    *)
        sed -n '2,9s/^# \{0,1\}//p' "$0"
        exit 2
        ;;
    esac
    shift
done

STEP=0 TITLE=''
step() {
    STEP=$((STEP + 1)) TITLE="$1"
    printf '%s. %s\n' "$STEP" "$TITLE"
}

# on_exit: whatever ended it says what the lines above belong to
on_exit() {
    if [ "$1" != 0 ] && [ "$STEP" != 0 ]; then
        echo "Step $STEP ($TITLE) is not done. Settle what the lines above say, then run install.sh again; what is done stays." >&2
    fi
}
trap 'on_exit $?' EXIT

manage() { deploy/manage.sh "$@"; }

# say_what_remains: what only people can do
say_what_remains() {
    local number=0 sentence
    printf '\nInstalled: version %s for %s/\n' "$VERSION" "$(setting_of PUBLIC_URL)"
    remains "Write the passphrase of the backups down elsewhere (BACKUP_PASSPHRASE in $ENVIRONMENT): without it the keys in a \
backup are lost. Copy $(setting_of BACKUP_FOLDER) to another machine every day."
    printf '\nWhat remains to be done:\n'
    for sentence in "${REMAINING[@]}"; do
        number=$((number + 1))
        printf '%s. %s\n' "$number" "$sentence"
    done
}

check_machine
get_answers "$answers_file"

step "Packages"
packages=(openssl nginx procps curl)
if [ -n "${ANSWER[DATABASE_URL]}" ]; then packages+=(postgresql-client); else packages+=(postgresql); fi
if [ -z "${ANSWER[REDIS_URL]}" ]; then packages+=(redis-server); fi
deploy/build.sh packages "${packages[@]}"

step "Application in $APPLICATION (a few minutes the first time)"
deploy/build.sh application
each_answer check_one
stop_if_wrong "Answers"
make_link "$APPLICATION" "$LINK"

step "User and folders"
make_user
make_folders
save_answers

step "Certificates and requests for them"
make_certificates

step "Settings and keys in $ENVIRONMENT"
write_settings

step "Database"
make_database

step "Redis"
make_redis

step "Tables"
manage migrate --verbosity 0

step "Units and web server"
install_units
install_site

if [ -n "$is_for_restore" ]; then
    remains "Nothing was started, and there is no supervisor: both come with the backup (docs/operating.md, Back up and restore)."
    say_what_remains
    exit
fi

step "First supervisor"
manage first_supervisor "${ANSWER[SUPERVISOR]}" --name "${ANSWER[SUPERVISOR_NAME]}"

# the alarm about old backups would begin with the first day
step "First backup"
if ! compgen -G "$(setting_of BACKUP_FOLDER)/2*Z" >/dev/null; then manage backup; fi

step "Start"
start_processes

step "Checks"
manage check --deploy --fail-level WARNING || remains "Settle what check --deploy says above, then: fibre-dispatch check --deploy"
manage check_link || remains "Settle what check_link says above, then: fibre-dispatch check_link"
say_what_remains
