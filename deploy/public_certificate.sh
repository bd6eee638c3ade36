#!/bin/bash
# The certificate of board and phone from certbot, which calls this after each renewal (docs/operating.md, Install):
#   certbot certonly --webroot … --deploy-hook /opt/fibre-dispatch/deploy/public_certificate.sh
# Copied, since the service may not enter certbot's own folder and the board warns before people.pem expires.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. deploy/install/machine.sh

: "${RENEWED_LINEAGE:?certbot sets it; this is its --deploy-hook}"
write_file "$SETTINGS_FOLDER/people.key" root:root 0600 <"$RENEWED_LINEAGE/privkey.pem"
write_file "$SETTINGS_FOLDER/people.pem" root:fibre-dispatch 0640 <"$RENEWED_LINEAGE/fullchain.pem"
nginx -t -q
if has_systemd; then systemctl reload nginx; else service nginx reload >/dev/null; fi
