#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# nfsrdma mounts on machines of tests/hosts: those with a file "expect-mounts", a line "STATUS ID
# TARGET" for each finding that is not good, and the verdict; "expect-mounts.txt" is the whole text. NFSRDMA_HOSTS
# and NFSRDMA_ACCEPT as in hosts.sh.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

requires jq python3 depmod

machines=$NFSRDMA_SOURCE/tests/hosts
read -ra names <<<"${NFSRDMA_HOSTS:-$(cd "$machines" && echo */expect-mounts | sed 's,/expect-mounts,,g')}"
mkdir "$work/hosts"
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/hosts" "${names[@]/#/$machines/}" \
	"$machines"/{none-debian12,mlx5-roce-rhel9,mounts-fstab-missing} || fail "make-host"

# shellcheck disable=SC2016 # jq's variable
compact()
{
	report --arg status "$status" '(.findings[] | select(.status != "pass" and .status != "skip")
		| "\(.status) \([.id, .reason // empty] | join("/")) \(.evidence.target // "-")"),
		"verdict \(.verdict), exit status \($status)"'
}

# The elapsed time is not a property of the machine.
text() { sed -E 's/; [0-9.]+ s$//' "$work/out"; }

same() { kept_page "$1" "$2" || bad+=("$name"); }

bad=()
cd "$work/hosts"
for name in "${names[@]}"; do
	run mounts --timeout "$patience" --root "$name" --format json
	[[ ! -s $work/err ]] || { show; fail "$name: words on stderr"; }
	within 3000 "$name"
	expect_report "$name: nobody may be asked below a root" \
		'all(.findings[]; .evidence | has("answer_ms") | not)'
	compact >"$work/compact"
	same "$machines/$name/expect-mounts" "$work/compact"
	[[ -f $machines/$name/expect-mounts.txt ]] || continue
	run mounts --timeout "$patience" --root "$name"
	text >"$work/text"
	same "$machines/$name/expect-mounts.txt" "$work/text"
	! grep -P '\x1b' "$work/out" || fail "$name: a terminal would obey"
done

# For programs: every mount once, with its requested and actual transport.
run mounts --root mounts-silent-tcp --format json
expect_report "what was wanted is not told" '[.findings[] | select(.id == "mount.transport")
	| "\(.evidence.target) \(.evidence.wanted) \(.evidence.effective) \(.status)"] | sort ==
	["/rhev/data-center/mnt/nas2.example.com:_export_domain rdma tcp fail",
	"/rhev/data-center/mnt/nas2.example.com:_export_domain/sub rdma tcp skip",
	"/srv/iso any tcp pass", "/srv/vm rdma tcp fail"]'

# The columns of mountstats by name, and a series for each mount.
run mounts --root mlx5-roce-rhel9 --format json
expect_report "columns are misplaced" '.findings[] | select(.id == "mount.counters") | .evidence
	| .sends == 1200 and .recvs == 1200 and .read_chunk_count == 10 and .write_chunk_count == 400
	and .reply_chunk_count == 3 and .total_rdma_request == 1048576 and .total_rdma_reply == 1048000
	and .bad_reply_count == 0 and .mrs_allocated == 30 and .reply_waits_for_send == 12'
run mounts --root mounts-healthy --format openmetrics
expect_status 0
grep -qF 'nfsrdma_mount_transport_connect_total{command="mounts",export="192.0.2.9:/export/v3",mountaddr="192.0.2.9",mountpoint="/srv/v3",protocol="rdma"} 4' \
	"$work/out" || { show; fail "no series for a mount"; }
[[ $(grep -c '^nfsrdma_' "$work/out") == $(grep '^nfsrdma_' "$work/out" | sed 's/ [^ ]*$//' | sort -u | wc -l) ]] ||
	fail "a series stands twice"
run mounts --root mounts-silent-tcp --format nagios
expect_status 2
grep -q '^NFSRDMA MOUNTS CRITICAL - /srv/vm: over tcp' "$work/out" || { show; fail "no reason"; }

# A quiet report omits mounts that pass; otherwise all are listed.
run mounts --root mounts-soft-short --quiet
! grep -q '/rhev' "$work/out" || { show; fail "a good mount in a quiet report"; }
grep -q 'WARN  rdma' "$work/out" || { show; fail "a quiet report without its mount"; }

# -o chooses the columns and their order; an unknown name is refused before mounts are read.
run mounts --root mounts-silent-tcp -o mount,nfs
expect_status 1
grep -qxE ' +mount +NFS' "$work/out" || { show; fail "no heads of the chosen columns"; }
grep -qxE '  FAIL  /srv/vm +4\.2' "$work/out" || { show; fail "no chosen cells"; }
run mounts --root nowhere --columns mount,nsf
expect_status 2
grep -q 'no column "nsf"; there are: requested, actual, NFS, port, answer, mount, source' "$work/err" || { show; fail "no names"; }

# A server is the same in each spelling, also where no mount shows its address.
for spellings in 'nas1 nas1' 'nas1.example.com nas1' 'NAS1 nas1' '[2001:db8:0::9] [2001:db8::9]' '192.0.2.9 192.0.2.9'; do
	rm -rf spelled
	cp -a mounts-fstab-missing spelled
	sed -i "s,^nas1:,${spellings% *}:," spelled/etc/fstab
	run check --root spelled --format json "${spellings#* }"
	expect_report "$spellings: not missing" 'any(.findings[]; .id == "mount.missing" and .status == "fail")'
done
run check --root mounts-fstab-missing --format json nas10
expect_report "of another server" 'all(.findings[]; .id != "mount.missing" or .status != "fail")'

# Without an RDMA device the mount in fstab cannot succeed: one cause, and both findings in JSON.
cp -a mounts-fstab-missing no-device
rm -rf no-device/sys/class/infiniband*
run check --root no-device --format json
expect_report "what it follows from" 'any(.findings[]; .id == "mount.missing" and .because_of == "client.device")
	and .verdict == "fail"'

# No NFS mount.
run mounts --root none-debian12
expect_status 0
grep -q 'this host has no NFS mount' "$work/out" || { show; fail "says nothing"; }

# An unreadable mount is unknown, and there is no wait.
rm mlx5-roce-rhel9/proc/self/mountstats
mkfifo mlx5-roce-rhel9/proc/self/mountstats
run mounts --root mlx5-roce-rhel9 --format json
expect_status 3
expect_finding mount.list unknown
within 3000 "a FIFO"

# The reason concerns the list, not another file that is missing as well.
mkdir -p empty/etc
run mounts --root empty --format json
expect_status 3
expect_report "not what is missing" '.findings[] | select(.id == "mount.list").summary
	| contains("mountinfo: No such file") and (contains("nfsmount.conf") | not)'

# This machine, with its current mounts.
limit=60
[[ ! ${NFSRDMA_MEASURED:-} ]] || limit=2
run mounts --format json --timeout "$limit"
within 4000 "--timeout 2"
expect_report "no list of mounts" 'any(.findings[]; .id == "mount.list")'

echo "${#names[@]} machines, ${#bad[@]} of them not as expected"
((${#bad[@]} == 0)) || fail "${bad[*]}"
