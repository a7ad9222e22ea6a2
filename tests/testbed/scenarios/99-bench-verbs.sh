# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# READs over verbs beside ib_write_bw between the same addresses: 1 MiB, eight in
# flight, in turn. Only reported: emulation says nothing about an adapter.
only_nightly
pairs=7
size=1048576

# Perftest's MB are 2^20 bytes, ours a million. It measures the processor's clock before,
# and where that came out too rough, as on a busy machine, it prints 0.
perftest()
{
	local command="ib_write_bw -F -d rxe0 -s $size -t 8 -n 24"
	# Port 18515 is 4853 in /proc/net/tcp, and 0A is a socket that listens.
	local ready="grep -q ':4853 .* 0A ' /proc/net/tcp /proc/net/tcp6"

	for _ in {1..6}; do
		guest_tell sh "$command >/dev/null 2>&1 & pid=\$!; until $ready; do sleep 0.1; done;" \
			"$command 192.168.77.1; kill \$pid 2>/dev/null; wait" >"$work/perftest" || true
		! awk -v size=$size '$1 == size && $4 > 0 { printf "%.1f\n", $4 * 1.048576; found = 1 }
			END { exit !found }' "$work/perftest" || return 0
	done
	return 1
}

# compare NAME TARGET ARGUMENT...
compare()
{
	local name=$1 i ours theirs

	shift
	: >"$work/pairs"
	for ((i = 0; i < pairs; i++)); do
		theirs=$(perftest) || { cat "$work/perftest"; fail "ib_write_bw"; }
		inside_run bench "$@" --transport verbs --level quick --format json
		expect_status 0
		ours=$(jq -e '.findings[] | select(.id == "bench.read.1m-8") |
			.evidence.mb_per_s_median' "$work/out") || fail "no figure: $(summary)"
		printf '%s %s\n' "$ours" "$theirs" | tee -a "$work/pairs"
	done
	note "$name: READ $(cut -d' ' -f1 "$work/pairs" | spread) MB/s, ib_write_bw" \
		"$(cut -d' ' -f2 "$work/pairs" | spread) MB/s, ratio" \
		"$(awk '{ printf "%.2f\n", $1 / $2 }' "$work/pairs" | spread), $pairs pairs"
}

server big
serve_inside --transport verbs --listen 192.168.77.1:0
compare "embedded server" "192.168.77.1:$serve_export" --port "$serve_rdma" \
	--mount-port "$serve_mount" --nfs-port "$serve_nfs"
serve_end
compare "kernel's server" 192.168.77.1:/export/plain/file-4194304
