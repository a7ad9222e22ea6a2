#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# shellcheck disable=SC2016 # backticks are none of the shell's
#
# Messages of other programs: a line of a log leads to its finding, the manual page has all of them, and a
# mistake in the texts ends the build.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires python3

findings=$NFSRDMA_SOURCE/plugin/report/findings

# means FINDING LINE: the line of a log leads to the finding.
means()
{
	run explain --message "$2"
	expect_status 0
	grep -q "^More  *nfsrdma explain $1\$" "$work/out" || { show; fail "'$2' does not lead to $1"; }
}

means server.exports 'mount.nfs: access denied by server while mounting nas1:/export/vms'
means probe.connect/not-listening 'mount.nfs4: Connection refused'
means probe.connect/not-listening 'mount.nfs: Connection refused for 192.0.2.1:/vms on /srv/vm'
means fabric.route 'mount.nfs: Protocol error: is routing being done via an interface supporting RDMA?'
means server.nfs3 'Nov 23 13:00:01 nas1 kernel: svc: failed to register nfsdv3 RPC service (errno 111).'
means server.listener 'infiniband mlx5_0: RDMA CMA: cma_listen_on_dev, error -98'
means client.module 'mount.nfs: an incorrect mount option was specified for /mnt'
means mount.answer '[ 4711.123456] rpcrdma: connection to 192.0.2.1:20049 closed (-103)'
means probe.read.inline 'kernel: rpcrdma: Recv: local length error (1/0xd7)'
means server.listener '[  101.5] Listener dead, address change failed for device mlx5_0'
means server.listener 'mlx5_0: RDMA CMA: cma_listen_on_dev, error -98'
means mount.options 'nfs: server nas1 not responding, timed out'
means platform.vdsm "MountError: Problem while trying to mount target"
means client.helper "mount: /mnt: bad option; for several filesystems (e.g. nfs, cifs) you might need a /sbin/mount.<type> helper program."
# For each program in the line: libvirt's, with mount.nfs's in it.
both="error: internal error: Child process (/bin/mount -o rdma nas1:/a /b) unexpected exit status 32: mount.nfs: Connection timed out"
means pool.transport "$both"
means probe.connect/fabric-silent "$both"

# Every finding that they name is explained, and the page has them all.
mapfile -t named < <(sed -n 's/^Finding: //p' "$findings/nfsrdma.messages" | sort -u)
run explain "${named[@]}"
expect_status 0
"$findings/make-messages" --manual "$NFSRDMA_SOURCE/plugin/report/nfsrdma-messages.7.scd" \
	"$findings/nfsrdma.messages" "$findings"/*.findings >"$work/page"
entries=$(grep -c '^Message: ' "$findings/nfsrdma.messages")
((entries > 60)) || fail "few messages"
[[ $(grep -c 'Finding: \*' "$work/page") == "$entries" ]] || fail "the page has not all messages"
grep -q '^\*access denied by server while mounting \*_SOURCE_$' "$work/page" || fail "a message of the page"
grep -q '^; messages' "$work/page" && fail "the mark of the page is left"
if command -v scdoc >/dev/null; then scdoc <"$work/page" >"$work/page.7"; fi

run explain --message 'the printer is out of paper'
expect_status 3
expect_sentence 'the text contains no message of nfsrdma-messages\(7\)'
run explain --message ''
expect_status 2

# A mistake in the texts.
good='Program: a program
About: It prints.

Message: no such {thing} to be found
Source: src/a.c, program 1.0
Finding: a.thing/absent
Cause: It is absent.
Step: Look: `ls`'
printf 'Finding: a.thing\nReason: absent\n' >"$work/a.findings"

refused()
{
	[[ $good == *"$2"* ]] || fail "the text has no '$2'"
	printf '%s\n' "${good/"$2"/"$3"}" >"$work/a.messages"
	status=0
	"$findings/make-messages" "$work/a.messages" "$work/a.findings" >"$work/out" 2>"$work/err" || status=$?
	[[ $status == 1 ]] || { show; fail "exit status $status with '$3' in place of '$2'"; }
	grep -qE "a\.messages:[0-9]+: .*$1" "$work/err" || { show; fail "it does not say \"$1\""; }
}

printf '%s\n' "$good" >"$work/a.messages"
"$findings/make-messages" "$work/a.messages" "$work/a.findings" >"$work/out"
grep -q '"no such {thing} to be found",' "$work/out" || { show; fail "no row"; }
refused 'no finding a.thing/gone'   'a.thing/absent' 'a.thing/gone'
refused 'no finding b.thing'        'a.thing/absent' 'b.thing'
refused 'too few words'             'no such {thing} to be found' 'no {thing}'
refused 'has no Source'             'Source: src/a.c, program 1.0' '# none'
refused 'Source is FILE'            'src/a.c, program 1.0' 'somewhere'
refused 'has no Step'               'Step: Look: `ls`' '# none'
refused 'no Program stands above'   $'Program: a program\nAbout: It prints.' '# none'
refused 'is no step'                'Step: Look: `ls`' 'Step: `ls`'
refused 'stands there twice'        'Message: no such' "${good#*$'\n\n'}"$'\n\nMessage: no such'
