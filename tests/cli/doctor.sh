#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# nfsrdma doctor: checks, a quick probe, the plan, and one list of steps without duplicates.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

# steps: each is printed once; JSON has the same.
one_list()
{
	[[ $(grep -c '^Steps$' "$work/out") -le 1 ]] || { show; fail "two lists of steps"; }
	! grep -qE '^ +Remedy' "$work/out" || { show; fail "a step outside of the list"; }
}

"$NFSRDMA_SOURCE/tests/support/make-host" "$work/hosts" "$NFSRDMA_SOURCE"/tests/hosts/{mlx5-roce-rhel9,none-debian12,mounts-healthy}
run doctor --root "$work/hosts/mlx5-roce-rhel9" 192.0.2.1:/export/vm
one_list
grep -q 'mount -t nfs -o .*rdma.* 192.0.2.1:/export/vm' <(tr -s ' \n' ' ' <"$work/out") || { show; fail "no command"; }
grep -q 'not a running system' "$work/out" || { show; fail "it probed a folder's server"; }
run doctor --root "$work/hosts/mlx5-roce-rhel9" --port 20050 --sec krb5p --nfs-version 4.1 192.0.2.1:/export/vm
grep -q -e '-o vers=4.1,port=20050,sec=krb5p,proto=rdma 192' <(tr -s ' \n' ' ' <"$work/out") || { show; fail "options of the command line"; }
run doctor --root "$work/hosts/none-debian12" 192.0.2.1:/export/vm
expect_status 1
one_list
grep -q '^Steps$' "$work/out" || { show; fail "no steps"; }
run doctor --root "$work/hosts/none-debian12" --format json 192.0.2.1:/export/vm
expect_report "steps" '(.steps | length) > 0 and (.steps | length) == (.steps | unique | length)'

# The mounts of that server only.
run doctor --root "$work/hosts/mounts-healthy" nas1:/export/vm
[[ $(sed -n 's/^  pass  rdma .* \(\/srv[^ ]*\) .*/\1/p' "$work/out" | tr '\n' ' ') == '/srv/vm /srv/vm/images ' ]] || { show; fail "the mounts"; }
run doctor --root "$work/hosts/mounts-healthy" 192.0.2.9:/export/v3
[[ $(grep -c '^  pass  rdma .* /srv' "$work/out") == 1 ]] || { show; fail "the mount of an address"; }

# The whole page of some machines.
hosts=$NFSRDMA_SOURCE/tests/hosts
for file in "$hosts"/*/expect-doctor.txt; do
	name=${file%/*} name=${name##*/}
	"$NFSRDMA_SOURCE/tests/support/make-host" "$work/hosts" "$hosts/$name"
	run doctor --root "$work/hosts/$name" 192.0.2.1:/export/vm
	one_list
	sed -E 's/; [0-9.]+ s$//' "$work/out" >"$work/text"
	[[ -z ${NFSRDMA_ACCEPT:-} ]] || cp "$work/text" "$file"
	diff -u "$file" "$work/text" || fail "$name: not as expected"
done

# An embedded server over software iWARP, which no check of this host covers.
"$NFSRDMA" serve --fault write-chunk-over-812 >"$work/serve" 2>"$work/serve.err" &
peer=$!
cleanup_fn kill "$peer"
await_line "$work/serve" "$peer"
read -r rdma nfs mount < <(jq -r '"\(.rdma) \(.nfs) \(.mount)"' "$work/serve")
run doctor --transport iwarp --port "$rdma" --mount-port "$mount" --nfs-port "$nfs" --format json 127.0.0.1:/
expect_status 1
expect_report "no probe" 'any(.findings[]; .id == "probe.null" and .status == "pass")'
expect_report "more than a quick probe" 'any(.findings[]; .id == "probe.read.random" and .status != "skip") | not'
expect_report "the defect is not found" 'any(.findings[]; .id == "bug.write-chunk-read" and .status == "fail")'
expect_report "no matrix of READs" 'any(.reads.rows[]; .mechanism == "write-chunk" and (.results | contains(["failed"])))'

# Only root may mount, and only on this host.
if [[ $(id -u) == 0 ]]; then
	requires setpriv
	run_prefix=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	run doctor --try --transport iwarp --port "$rdma" --mount-port "$mount" --nfs-port "$nfs" --format json 127.0.0.1:/
	expect_report "a trial without root" 'any(.findings[]; .id == "kernel.trial" and .status == "unknown" and .reason == "not-root")'
	run_prefix=()
	# What is left for it is too little: a mount that is ended for that says nothing.
	run doctor --try --transport iwarp --port "$rdma" --mount-port "$mount" --nfs-port "$nfs" --timeout 4 --format json 127.0.0.1:/
	expect_report "a trial without time" 'any(.findings[]; .id == "kernel.trial" and .status == "unknown" and .reason == "no-time")'
fi
run doctor --root "$work/hosts/mlx5-roce-rhel9" --try 192.0.2.1:/export/vm
expect_status 2
