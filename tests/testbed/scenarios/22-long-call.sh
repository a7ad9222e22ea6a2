# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# Calls longer than a Send to the kernel's server, which reads them (RFC 8166, 3.5.3).
server plain
"$builddir/tests/support/long-compound" 127.0.0.1 "$rdma_port" >"$work/out" 2>"$work/err" ||
	{ cat "$work/out" "$work/err"; fail "$(cat "$work/err")"; }
cat "$work/out"
# Three of the five sizes are over 4096 bytes, each with and without a Reply chunk.
grep -q '^the server made 6 RDMA Reads$' "$work/out" || fail "$(tail -n 1 "$work/out")"
