# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The peer accepts and sends nothing. The kernel's siw then blocks the connecting process for ten
# seconds, also after SIGKILL: the probe does not wait for that worker, which ends with its namespace.
server plain
# shellcheck disable=SC2016 # the guest's
signal() { inside "kill -$1"' $(pidof nfsrdma)'; }

# The kernel accepts connections for a stopped server.
serve_inside --listen 10.0.2.15:0
signal STOP
probe_inside 10.0.2.15:/export/plain --port "$serve_rdma" --transport verbs --timeout 5 --format json
signal CONT
serve_end
expect_status 3
expect_report '[.findings[] | select(.id == "probe.connect") | .status, (.summary | test("no RDMA_CM_EVENT_ESTABLISHED in time"))]
	== ["unknown", true]' "the silence is not told"
expect_reason probe.connect/fabric-silent
grep -qE 'did not exit at the deadline(; it has not ended after SIGKILL \(process [0-9]+, nfsrdma(, blocked in [a-z0-9_]+)?\))?$' "$work/err" ||
	fail "it does not say which worker is left, and in what: $(tail -n 1 "$work/err")"
# shellcheck disable=SC2016 # the guest's
inside 'for i in $(seq 60); do pidof nfsrdma >/dev/null || exit 0; sleep 1; done; exit 1'
