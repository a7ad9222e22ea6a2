#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The output of --format openmetrics, read by a parser of OpenMetrics and by Prometheus' own
# parser of its older format, which node_exporter uses: a healthy machine, a broken one, a hostile
# one, and the probe.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires python3 depmod

machines=$NFSRDMA_SOURCE/tests/hosts
names=(mlx5-roce-rhel9 rpcrdma-forbidden hostile-files)
mkdir "$work/hosts"
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/hosts" "${names[@]/#/$machines/}" ||
	fail "make-host"

parsers=()
# Debian's module belongs to its own Python, which need not be the first in PATH.
for python in python3 /usr/bin/python3 ''; do
	[[ $python ]] || break
	! "$python" -c 'import prometheus_client.openmetrics.parser' 2>/dev/null || { parsers+=(python); break; }
done
! type -P promtool >/dev/null || parsers+=(promtool)
((${#parsers[@]})) || skip "neither python3-prometheus-client nor promtool"

python_parser()
{
	"$python" - "$1" <<'END'
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families

families = {f.name: f for f in text_string_to_metric_families(open(sys.argv[1]).read())}
findings = {}
for s in families["nfsrdma_finding"].samples:
    key = tuple(sorted((k, v) for k, v in s.labels.items() if k != "nfsrdma_finding"))
    findings[key] = findings.get(key, 0) + s.value
assert findings and set(findings.values()) == {1}, findings
assert sum(s.value for s in families["nfsrdma_verdict"].samples) == 1
END
}

promtool_parser() { promtool check metrics <"$1"; }

# The exit status is the verdict's, as for text.
parse()
{
	local parser

	run "$@" --format openmetrics
	[[ $(tail -n1 "$work/out") == '# EOF' ]] || { show; fail "$*: no end"; }
	! grep '^# TYPE ' "$work/out" | grep -v ' gauge$' || fail "$*: a type that a textfile must not have"
	for parser in "${parsers[@]}"; do
		"${parser}_parser" "$work/out" >"$work/parser" 2>&1 ||
			{ show; cat "$work/parser"; fail "$*: $parser does not take it"; }
	done
}

parse check --root "$work/hosts/mlx5-roce-rhel9" 192.0.2.1
expect_status 0
parse check --root "$work/hosts/rpcrdma-forbidden"
expect_status 1
parse check --root "$work/hosts/hostile-files" 192.0.2.1
expect_status 3
parse check
parse probe --embedded --level quick
expect_status 0
echo "${parsers[*]}"
