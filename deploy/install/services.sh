# shellcheck shell=bash
# PostgreSQL, Redis, nginx and our units on this machine.

# postgresql_port: of the newest cluster on this machine
postgresql_port() { pg_lsclusters --no-header | sort --version-sort | awk 'END { print $3 }'; }

is_local() { [[ "$(setting_of "$1")" == *"@127.0.0.1:"* ]]; }

# can_use_database URL: by what the application uses; in the environment, since arguments are everybody's to see
can_use_database() {
    DATABASE_URL="$1" .venv/bin/python -B -c '
import os, psycopg

psycopg.connect(os.environ["DATABASE_URL"], connect_timeout=5).close()
' 2>/dev/null
}

# psql_as_postgres: statements from standard input
psql_as_postgres() { runuser -u postgres -- psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --port "$1" "${@:2}"; }

make_database() {
    local url rest password port
    url="$(setting_of DATABASE_URL)"
    if ! is_local DATABASE_URL; then
        can_use_database "$url" ||
            stop "DATABASE_URL: that database cannot be used." "Make it as docs/operating.md, Database, says, or correct $ENVIRONMENT."
        return
    fi
    start_service postgresql
    if can_use_database "$url"; then return; fi
    rest="${url#postgresql://fibre-dispatch:}"
    password="${rest%%@*}"
    port="$(sed -E 's|.*@127.0.0.1:([0-9]+)/.*|\1|' <<<"$url")"
    say "role and database fibre-dispatch"
    # the password is that of the settings, also when an earlier run got no further
    psql_as_postgres "$port" >/dev/null <<SQL
SELECT 'CREATE ROLE "fibre-dispatch" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE'
    WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'fibre-dispatch') \gexec
ALTER ROLE "fibre-dispatch" PASSWORD '$password';
SELECT 'CREATE DATABASE "fibre-dispatch" OWNER "fibre-dispatch" ENCODING ''UTF8'' TEMPLATE template0'
    WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'fibre-dispatch') \gexec
REVOKE ALL ON DATABASE "fibre-dispatch" FROM PUBLIC;
SQL
    can_use_database "$url" ||
        stop "PostgreSQL on this machine refuses our role." "Read: pg_lsclusters, and the newest file in /var/log/postgresql."
}

redis_answers() { [ "$(REDISCLI_AUTH="$1" redis-cli ping 2>/dev/null)" = PONG ]; }

make_redis() {
    local rest password file=/etc/redis/fibre-dispatch.conf
    if ! is_local REDIS_URL; then return; fi
    rest="$(setting_of REDIS_URL)"
    rest="${rest#redis://:}"
    password="${rest%%@*}"
    write_file "$file" redis:redis 0640 <<<"requirepass $password"
    if ! grep -qx "include $file" /etc/redis/redis.conf; then
        say "redis.conf includes $file"
        printf '\ninclude %s\n' "$file" >>/etc/redis/redis.conf
    fi
    start_service redis-server
    if ! redis_answers "$password"; then
        # it was started by its package before it had a password
        if has_systemd; then systemctl restart redis-server; else service redis-server restart >/dev/null; fi
    fi
    local attempt
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        if redis_answers "$password"; then return; fi
        sleep "0.$attempt"
    done
    stop "Redis on this machine does not answer." "Read /var/log/redis/redis-server.log; is port 6379 somebody else's?"
}

install_units() {
    local unit
    for unit in deploy/systemd/*; do
        write_file "/etc/systemd/system/${unit##*/}" root:root 0644 <"$unit"
    done
    mkdir -p /etc/sysctl.d /etc/systemd/journald.conf.d
    write_file /etc/systemd/journald.conf.d/fibre-dispatch.conf root:root 0644 <deploy/journald/fibre-dispatch.conf
    if has_systemd && has_changed /etc/systemd/journald; then systemctl restart systemd-journald; fi
    write_file /etc/sysctl.d/60-fibre-dispatch.conf root:root 0644 <<<"net.ipv4.tcp_migrate_req=1"
    if has_systemd && has_changed /etc/sysctl.d/; then sysctl --quiet --load /etc/sysctl.d/60-fibre-dispatch.conf; fi
    if has_systemd && has_changed /etc/systemd/system/; then systemctl daemon-reload; fi
    make_link "$LINK/deploy/manage.sh" /usr/local/sbin/fibre-dispatch
}

# nginx does not start with a listener for IPv6 where the kernel has none
site_for_this_kernel() {
    local delete=''
    if [ ! -e /proc/net/if_inet6 ]; then delete='/listen \[::\]:/d'; fi
    sed -e "s/dispatch\.example\.org/${ANSWER[HOST_NAME]}/" -e "$delete" deploy/nginx/people.conf
}

install_site() {
    local site=/etc/nginx/conf.d/fibre-people.conf
    if [ ! -e "$site" ]; then
        write_file "$site" root:root 0644 site_for_this_kernel
    elif ! grep -qE "^[^#]*server_name ([^;]* )?${ANSWER[HOST_NAME]//./\\.}[ ;]" "$site"; then
        remains "server_name in $site differs from HOST_NAME and was kept. Change it there, then: systemctl reload nginx"
    fi
    nginx -t -q || stop "nginx refuses its configuration." "Read its lines above; ours is $site."
    start_service nginx
    # a certificate may have been renewed
    if has_systemd; then systemctl reload nginx; else service nginx reload >/dev/null; fi
}

start_processes() {
    if ! has_systemd; then
        remains "systemd does not run here, so the units in /etc/systemd/system were not started. Start their commands \
under another supervisor."
        return
    fi
    systemctl enable --quiet --now fibre-dispatch.target fibre-dispatch-backup.timer
    # until each has written its first heartbeat, or has failed
    sleep 20
    local unit
    for unit in web@8000 web@8001 board-stream seller relay webhooks worker; do
        systemctl is-active --quiet "fibre-dispatch-$unit" ||
            remains "fibre-dispatch-$unit does not run. Read: journalctl -u fibre-dispatch-$unit -o cat"
    done
}
