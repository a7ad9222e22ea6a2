#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The output of --format prometheus and --format openmetrics, read by parsers of both formats: python3-prometheus-client
# and promtool, which has the parser of node_exporter. A healthy machine, a broken one, a hostile one, mounts, and the
# probe.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires python3 depmod promtool

machines=$NFSRDMA_SOURCE/tests/hosts
names=(mlx5-roce-rhel9 rpcrdma-forbidden hostile-files mounts-healthy mounts-hostile-stats)
mkdir "$work/hosts"
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/hosts" "${names[@]/#/$machines/}" ||
	fail "make-host"

# Debian's module belongs to its own Python, which need not be the first in PATH.
for python in python3 /usr/bin/python3 ''; do
	[[ $python ]] || skip "no python3-prometheus-client"
	! "$python" -c 'import prometheus_client.openmetrics.parser' 2>/dev/null || break
done

cat >"$work/parse" <<'END'
import sys
from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics

text = open(sys.argv[2]).read()
parse = {"prometheus": parser, "openmetrics": openmetrics}[sys.argv[1]].text_string_to_metric_families
# The first parser names a counter's family as the second does.
families = {f.name: f for f in parse(text)}
findings, seen = {}, set()
for f in families.values():
    assert f.documentation and f.type in ("gauge", "counter"), f
    for s in f.samples:
        key = (s.name, tuple(sorted(s.labels.items())))
        assert key not in seen, key
        seen.add(key)
        assert s.value >= 0, s
        assert (f.type == "counter") == s.name.endswith("_total"), s
for s in families["nfsrdma_finding"].samples:
    key = tuple(sorted((k, v) for k, v in s.labels.items() if k != "nfsrdma_finding"))
    findings[key] = findings.get(key, 0) + s.value
assert findings and set(findings.values()) == {1}, findings
assert sum(s.value for s in families["nfsrdma_verdict"].samples) == 1
END

parse_prometheus()
{
	! grep '^# [^HT]' "$work/out" || fail "$*: a comment that only OpenMetrics has"
	promtool check metrics <"$work/out" >"$work/parser" 2>&1 ||
		{ cat "$work/parser"; fail "$*: promtool rejects it"; }
}

# promtool reads the older format: it takes this one, but misses the help of counters, whose families have another name
# there.
parse_openmetrics()
{
	local status=0

	[[ $(tail -n1 "$work/out") == '# EOF' ]] || { show; fail "$*: no end"; }
	promtool check metrics <"$work/out" >"$work/parser" 2>&1 || status=$?
	if ((status != 0 && status != 3)) || grep -v '_total no help text$' "$work/parser"; then
		cat "$work/parser"
		fail "$*: promtool rejects it"
	fi
}

# parse COMMAND...: the exit status is the verdict's, as for text.
parse()
{
	local format

	for format in prometheus openmetrics; do
		run "$@" --format "$format"
		! grep '^# TYPE ' "$work/out" | grep -vE ' (gauge|counter)$' ||
			fail "$*: a type that a textfile must not have"
		! grep -q nfsrdma_evidence "$work/out" || fail "$*: generic evidence"
		"parse_$format" "$@" "as $format"
		"$python" "$work/parse" "$format" "$work/out" >"$work/parser" 2>&1 ||
			{ show; cat "$work/parser"; fail "$*: prometheus_client rejects it as $format"; }
	done
}

# has METRIC{LABELS} VALUE: as printed last
has() { grep -qF -- "$1 $2" "$work/out" || { show; fail "no $1 $2"; }; }

parse check --root "$work/hosts/mlx5-roce-rhel9" 192.0.2.1
expect_status 0
has 'nfsrdma_verdict{command="check",server="192.0.2.1",nfsrdma_verdict="pass"}' 1
parse check --root "$work/hosts/rpcrdma-forbidden"
expect_status 1
parse check --root "$work/hosts/hostile-files" 192.0.2.1
expect_status 3
parse mounts --root "$work/hosts/mounts-hostile-stats"
# check has the same metrics of mounts as mounts, with SERVER those of its mounts alone.
parse mounts --root "$work/hosts/mounts-healthy"
grep '^nfsrdma_mount_' "$work/out" | sed 's/{command="mounts",/{/' >"$work/mounts"
parse check --root "$work/hosts/mounts-healthy"
grep '^nfsrdma_mount_' "$work/out" | sed 's/{command="check",/{/' | diff "$work/mounts" - || fail "check and mounts differ"
grep '^nfsrdma_mount_' "$work/out" >"$work/format"
run check --root "$work/hosts/mounts-healthy" --textfile "$work/check.prom"
grep '^nfsrdma_mount_' "$work/check.prom" | diff "$work/format" - || fail "--textfile and --format differ"
parse check --root "$work/hosts/mounts-healthy" 192.0.2.9
grep '^nfsrdma_mount_' "$work/out" | sed 's/{command="check",/{/' | diff <(grep 'mountpoint="/srv/v3"' "$work/mounts") - ||
	fail "not the mounts of the server alone"
parse check
parse probe --embedded --level quick
expect_status 0
grep -qE '^nfsrdma_probe_null_call_seconds\{command="probe",server=.*\} [0-9]' "$work/out" || { show; fail "no time of NULL"; }
