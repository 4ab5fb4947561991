#!/usr/bin/env bash
# Deploys the service. The token comes from the environment, the password is asked for.
set -euo pipefail

TOKEN="${DEPLOY_TOKEN:?set DEPLOY_TOKEN}"
PASSWORD=$(cat /run/secrets/db_password)
API_KEY=${API_KEY:-}
SECRET="$1"

usage() {
  echo "usage: deploy.sh --token TOKEN --password PASSWORD" >&2
  echo "  --token TOKEN   the deploy token"
  echo "  --api-key KEY   the key of the API"
}

while [ $# -gt 0 ]; do
  case "$1" in
    --token) token=$2; shift 2 ;;
    --password) password="$2"; shift 2 ;;
    --secret=*) secret="${1#*=}"; shift ;;
    *) usage; exit 1 ;;
  esac
done

if [ -z "$PASSWORD" ]; then
  read -r -s -p "Password: " PASSWORD
fi

curl -fsS -H "Authorization: Bearer $TOKEN" -H "X-API-Key: ${API_KEY}" "https://api.example.org/deploy?token=$TOKEN"
curl -u "$USER:$PASSWORD" https://example.org/
mysql --user=app --password="$PASSWORD" app < schema.sql
echo "$PASSWORD" | docker login --username app --password-stdin
docker run -e TOKEN="$TOKEN" -e PASSWORD app
export TOKEN PASSWORD
