# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# For Ganesha's scenarios: it runs in the guest and is probed from inside, over verbs, by soft RoCE.
# shellcheck shell=bash disable=SC2034
: "${work:?}"
address=192.168.77.1 export=/export/ext

# ganesha_begin plain|requests: it runs, and serves; requests: it logs what is asked of it.
ganesha_begin()
{
	server off
	# The clock of a guest that booted on a busy machine can be several times too fast.
	guest_tell sh "ganesha start $*" || fail "Ganesha does not start: $(inside 'tail -n1 /run/ganesha/log')"
}

# As the process that it was, with an answer to NULL over TCP.
ganesha_alive()
{
	inside 'ganesha alive' >"$work/alive" ||
		fail "Ganesha is gone: $(head -n1 "$work/alive"); $(inside 'dmesg | grep -m1 ganesha.nfsd; tail -n1 /run/ganesha/out')"
}

# ganesha_probe VERSION LEVEL: the probe, which Ganesha survives. Its report is also
# $work/report-VERSION-LEVEL.json; what it says of what it sends is $work/sent.
ganesha_probe()
{
	status=0
	guest_tell sh "NFSRDMA_DEBUG=probe nfsrdma probe $address:$export --transport verbs --nfs-version $1" \
		"--level $2 --timeout 600 --format json >/run/report 2>/run/sent; status=\$?;" \
		"gzip -c /run/sent | base64; exit \$status" >"$work/sent.gz" || status=$?
	base64 -d "$work/sent.gz" | gunzip >"$work/sent"
	inside 'cat /run/report' >"$work/out"
	cp "$work/out" "$work/report-$1-$2.json"
	grep -v '^probe: ' "$work/sent" >"$work/err" || true
	show
	ganesha_alive
}
