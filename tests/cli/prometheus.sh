#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# packaging/prometheus: the rules of alerts with their tests, and the dashboard; each uses only metrics that the program has.
# And what node_exporter's textfile collector makes of files in both formats.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires promtool prometheus-node-exporter python3 jq unshare ip depmod

files=$NFSRDMA_SOURCE/packaging/prometheus
rules=$files/nfsrdma.rules.yml
dashboard=$files/nfsrdma.dashboard.json

echo "rules"
promtool check rules "$rules" >"$work/promtool" 2>&1 || { cat "$work/promtool"; fail "rules"; }
promtool test rules "$files/nfsrdma.test.yml" >"$work/promtool" 2>&1 || { cat "$work/promtool"; fail "tests of the rules"; }
alerts=$(sed -n 's/^ *- alert: //p' "$rules")
[[ $alerts ]] || fail "no alert"
for alert in $alerts; do
	# One that fires.
	grep -A1 -E "^        alertname: $alert\$" "$files/nfsrdma.test.yml" | grep -q 'exp_alerts:$' || fail "$alert is not tested"
done
# Each alert names the finding or the findings that explain it.
[[ $(grep -c 'nfsrdma explain' "$rules") == $(wc -w <<<"$alerts") ]] || fail "an alert without 'nfsrdma explain'"
# shellcheck disable=SC2046 # words
run explain $(grep -oE 'nfsrdma explain [a-z][a-z./0-9-]*' "$rules" | sed 's/.* //' | sort -u) \
	$(grep -oE 'id(=|=~|!~)"[^"]*"' "$rules" | sed 's/.*="\?//; s/.*~"//; s/"//' | tr '|' ' ')
expect_status 0
[[ -s $work/out ]] || fail "no alert names a finding"

echo "dashboard"
jq -r '.panels[].targets[].expr' "$dashboard" >"$work/exprs"
(($(wc -l <"$work/exprs") > 10)) || fail "few expressions"
jq -e '[.panels[] | select((.description // "") == "" or .title == "")] == []' "$dashboard" >/dev/null || fail "a panel without description"
# As rules that record them, since promtool parses those only.
jq '{groups: [{name: "dashboard", rules: [.panels[].targets[].expr | gsub("\\$__rate_interval"; "5m")]
	| to_entries | map({record: "panel:\(.key)", expr: .value})}]}' "$dashboard" >"$work/panels.yml" # JSON is YAML
jq '.groups[].rules |= (to_entries | map(.value))' "$work/panels.yml" >/dev/null
promtool check rules "$work/panels.yml" >"$work/promtool" 2>&1 || { cat "$work/promtool"; fail "an expression of the dashboard"; }

echo "names"
run explain --scd
sed -n '/^; table metrics/,/^; end metrics/s/^\*\(nfsrdma_[a-z0-9_]*\)\* (.*/\1/p' "$work/out" | sort >"$work/names"
(($(wc -l <"$work/names") > 50)) || fail "few metrics"
cat "$rules" "$files/nfsrdma.test.yml" "$work/exprs" <(jq -r '.templating.list[].query' "$dashboard") |
	grep -v '^ *#' | grep -oE '\bnfsrdma_[a-z0-9_]+' | sort -u | comm -23 - "$work/names" >"$work/unknown"
[[ ! -s $work/unknown ]] || { cat "$work/unknown"; fail "metrics that the program does not have"; }

echo "node_exporter"
mkdir "$work"/{hosts,prom,open,both}
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/hosts" \
	"$NFSRDMA_SOURCE"/tests/hosts/{rpcrdma-forbidden,hostile-files,mounts-healthy,mounts-hostile-stats} || fail "make-host"
# put DIRECTORY FORMAT NAME COMMAND...: one file
put()
{
	run "${@:4}" --format "$2"
	(($(grep -c '^nfsrdma_' "$work/out") > 20)) || { show; fail "few samples"; }
	cp "$work/out" "$1/$3.prom"
}
# publish DIRECTORY: what node_exporter makes of its files
publish()
{
	"$NFSRDMA_SOURCE/tests/support/node-exporter" "$1" "$work/log" >"$work/published" || { cat "$work/log"; fail "node_exporter"; }
	grep -qxF 'node_textfile_scrape_error 0' "$work/published" || { cat "$work/log"; fail "a file is not read"; }
}
# is_whole DIRECTORY: every sample of its files is published. They are sorted, and have empty labels.
is_whole()
{
	[[ $(cat "$1"/*.prom | grep -c '^nfsrdma_') == $(grep -c '^nfsrdma_' "$work/published") ]] && ! grep -q 'level=error' "$work/log"
}
has_counter()
{
	grep -q '^nfsrdma_mount_transport_sends_total{command="mounts",export="nas1:/export/vm",mountaddr="192.0.2.1",mountpoint="/srv/vm",protocol="rdma"} 1200$' \
		"$work/published" || { grep sends_total "$work/published"; fail "no counter"; }
}

# Of several commands on one host.
put "$work/prom" prometheus check check --root "$work/hosts/rpcrdma-forbidden"
put "$work/prom" prometheus mounts mounts --root "$work/hosts/mounts-healthy"
put "$work/prom" prometheus status status --root "$work/hosts/mounts-hostile-stats"
put "$work/prom" prometheus server check --root "$work/hosts/hostile-files" 192.0.2.1
publish "$work/prom"
is_whole "$work/prom" || { cat "$work/log"; fail "samples are lost"; }
! grep 'Metric read from' "$work/published" || fail "metrics without help"
! grep '^# TYPE nfsrdma_.* untyped' "$work/published" || fail "metrics without type"
has_counter
put "$work/open" openmetrics mounts mounts --root "$work/hosts/mounts-healthy"
publish "$work/open"
is_whole "$work/open" || { cat "$work/log"; fail "samples of OpenMetrics are lost"; }
has_counter

# As the manual says: the two formats do not mix in one directory. So this test sees what is lost.
cp "$work/open/mounts.prom" "$work/both/"
cp "$work/prom/status.prom" "$work/both/"
publish "$work/both"
! is_whole "$work/both" || fail "the two formats mix: the manual is wrong, or nothing was compared"
