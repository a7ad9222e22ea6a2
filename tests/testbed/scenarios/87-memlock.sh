# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# An ordinary user whose limit of locked memory, which registered memory is, is too low.
server plain
before='ulimit -l 64;'
guest_tell sh "su -s /bin/sh nobody -c 'ulimit -l 64; exec nfsrdma probe 192.168.77.1:/export/plain --transport verbs --timeout $run_timeout --format json'" \
	>"$work/out" 2>"$work/err" && status=0 || status=$?
show
expect_status 3
expect_report 'any(.findings[]; .status == "unknown"
	and (.summary | test("RLIMIT_MEMLOCK") and test("[0-9]+.*(65536|64 [Kk])|(65536|64 [Kk]).*[0-9]+")))' \
	"nothing says how much memory may be locked, and how much is needed"

# A user who cannot open the device either.
inside 'chmod 600 /dev/infiniband/uverbs*'
guest_tell sh "su -s /bin/sh nobody -c 'exec nfsrdma probe 192.168.77.1:/export/plain --transport verbs --timeout $run_timeout --format json'" \
	>"$work/out" 2>"$work/err" && status=0 || status=$?
inside 'chmod 666 /dev/infiniband/uverbs*'
expect_status 3
expect_reason probe.route/permission
