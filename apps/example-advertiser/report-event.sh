#!/bin/sh
# Makes the application of this folder report an event, as `lead-sandbox certify advertiser --postback` asks for it: delivers
# the lead as the service does, then presses the button of the step. A lead that is there already does not change.
set -e
site=${SITE:-http://127.0.0.1:4030}
console=${CONSOLE:-http://127.0.0.1:4031}

curl -fsS -o /dev/null "$site/leads" -H "authorization: Bearer $DELIVERY_TOKEN" -H 'content-type: application/json' \
  -d "{ \"postback_url\": \"$POSTBACK_URL\", \"amount\": $AMOUNT, \"term_months\": $TERM_MONTHS }"
curl -fsS -o /dev/null -X POST "$console/leads/$LEAD_ID/$EVENT"
