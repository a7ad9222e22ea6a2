#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# nfsrdma plan for people and scripts: its three formats, the policy's files, bad input.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

mkdir -p "$work/host/etc"
plan() { run plan --root "$work/host" "$@"; }
# one_line TEXT: the option string, and nothing else on stdout.
one_line()
{
	expect_status 0
	[[ $(<"$work/out") == "$1" && $(wc -l <"$work/out") == 1 ]] || { show; fail "not '$1'"; }
}
# refused STATUS WORDS: one sentence on stderr, nothing on stdout.
refused()
{
	expect_status "$1"
	[[ ! -s $work/out ]] || { show; fail "something on stdout"; }
	[[ $(wc -l <"$work/err") == 1 ]] || { show; fail "not one line on stderr"; }
	grep -qF -- "$2" "$work/err" || { show; fail "stderr does not say '$2'"; }
}

plan nas1:/export -o rw,soft --options-only
one_line rw,soft,proto=rdma,port=20049
[[ ! -s $work/err ]] || fail "something on stderr"
plan nas1:/export --options-only
one_line proto=rdma,port=20049
plan --options-only --options=rdma nas1:/export
one_line proto=rdma,port=20049
plan nas1:/export -o nfsrdma.policy=off --options-only
one_line ''
plan nas1:/export -o 'rdma, soft' --options-only
one_line proto=rdma,port=20049,soft
grep -q '^nfsrdma plan: warning: blanks around 1 option' "$work/err" || fail "no warning"

# For people: every change with its reason, within 80 columns.
plan '[2001:db8::10]:/export' -o rdma,vers=4.1,nfsrdma.policy=prefer
expect_status 0
for words in 'Options    proto=rdma6,port=20049,vers=4.1' 'Over TCP   proto=tcp6,port=2049,vers=4.1' \
	     'Transport  rdma6, port 20049' 'NFS        4.1' '  replaced rdma -> proto=rdma6' \
	     '  added    port=20049' 'policy      prefer (mount option)'; do
	grep -qF -- "$words" "$work/out" || { show; fail "no '$words'"; }
done
[[ $(wc -L <"$work/out") -le 80 ]] || { show; fail "wider than 80 columns"; }
plan nas1:/export -o proto=rdma,port=20049
grep -qx 'Changes    none' "$work/out" || { show; fail "changes"; }

# For scripts: these keys, always.
keys='["changes","directory","export","family","given","nfs_version","options","options_tcp","policy","port","schema","server","spec","transport","version","wants_rdma","warnings"]'
for options in '' rdma,vers=4.2 remount nfsrdma.policy=off nfsrdma.policy=prefer,tcp; do
	plan nas1:/export -o "$options" --format json
	expect_status 0
	# shellcheck disable=SC2016 # jq's variable
	expect_report "the keys of '$options'" --argjson keys "$keys" 'keys == $keys'
done
plan nas1:/export -o rdma,foo=$'\xff',v4,bg,fg --format json --dir /mnt/a
expect_report "the values" '.schema == "nfsrdma-plan/1" and .spec == "nas1:/export" and
	.server == "nas1" and .export == "/export" and .directory == "/mnt/a" and .family == null and
	.options == "proto=rdma,port=20049,foo=\ufffd,v4,bg,fg" and .options_tcp == null and
	.transport == "rdma" and .wants_rdma and .port == 20049 and .nfs_version == "4" and
	.changes[0] == { kind: "replace", before: "rdma", after: "proto=rdma",
		reason: "Proto= in nfsmount.conf would override the bare word" } and
	.changes[1].kind == "add" and .changes[1].before == null and
	(.warnings | length) == 1 and .policy.policy == { value: "require", from: "built in" } and
	.policy.deadline.value == 10 and .policy.options.value == null'

# The policy's files, and the origin of each value.
mkdir "$work/host/etc/nfsrdma.conf.d"
cp "$NFSRDMA_SOURCE/plugin/options/vdsm.conf" "$work/host/etc/nfsrdma.conf.d/"
printf '[default]\ncheck = connect\n' >"$work/host/etc/nfsrdma.conf"
plan nas1:/export -o rw --options-only --dir /rhev/data-center/mnt/nas1:_export
one_line rw,soft,nosharecache,timeo=100,retrans=3,retry=0,nolock,proto=rdma,port=20049
plan nas1:/export -o rw --options-only --dir /mnt
one_line rw,proto=rdma,port=20049
plan nas1:/export --format json --dir /rhev/data-center/mnt/x
expect_report "from" '.policy.check == { value: "connect", from: "/etc/nfsrdma.conf:2" } and
	(.policy["options-v3"] | .value == "nolock" and (.from | startswith("/etc/nfsrdma.conf.d/vdsm.conf:")))'
plan nas1:/export -o nfsrdma.check=none,nfsrdma.deadline=3 --format json
expect_report "override" '.policy.check == { value: "none", from: "mount option" } and .policy.deadline.value == 3'

# A misspelt option is reported, but kept: a newer kernel may know the option.
plan nas1:/export -o vesr=4.2 --options-only
expect_status 0
grep -q '^vesr=4.2,' "$work/out" || { show; fail "not kept"; }
grep -q "'vesr' is not a known mount option; did you mean 'vers'?" "$work/err" || { show; fail "no guess"; }

# A damaged file is an error, whatever the mount requests.
printf '[server nas1]\npolicy = of\n' >"$work/host/etc/nfsrdma.conf"
plan nas1:/export -o nfsrdma.policy=off --options-only
refused 3 "/etc/nfsrdma.conf:2: policy =: takes require, prefer or off, not 'of'"
rm "$work/host/etc/nfsrdma.conf"

# Malformed input
plan
refused 2 'no source given'
plan nas1:/export -o rdma,proto=tcp
refused 2 "'rdma' and 'proto=tcp' contradict each other"
plan nas1:/export -o bg --format json
refused 2 'bg contradicts the policy require'
plan nas1:/export rdma
refused 2 'unexpected argument'
plan nas1:/export --format nagios
refused 2 "--format: takes text or json, not 'nagios'"
plan nas1:/export --dir mnt
refused 2 '--dir needs an absolute path'
plan nas1:/export -o
refused 2 '--options needs an argument'
plan nas1:/export --resolve
refused 2 '--resolve and --root cannot'
plan nfs://nas1/export
refused 2 'is a URL; expected SERVER:/EXPORT'
plan "$(printf 'nas1:/\x1b[31m')"
refused 2 'control character'
plan nas1:/export -o "$(head -c 65536 /dev/zero | tr '\0' a)"
refused 2 'more than 65535 bytes'
run plan nas1:/export --root "$work/nowhere"
refused 2 '--root: open'

# The manual pages have exactly our mount options.
for page in mount-helper/mount.nfsrdma.8.scd plugin/options/nfsrdma.conf.5.scd; do
	documented=$(grep -oE '\*nfsrdma\.[a-z-]+=' "$NFSRDMA_SOURCE/$page" | tr -d '*=' | sort -u)
	[[ $(wc -l <<<"$documented") == 3 ]] || fail "$page has not all of them: $documented"
	for option in $documented; do
		plan nas1:/export -o "$option=x"
		refused 2 "$option=: takes"
	done
done
plan nas1:/export -o nfsrdma.on-unknown=refuse
refused 2 "'on-unknown' is a key of nfsrdma.conf only"

# Names
run plan localhost:/export -o rdma --options-only --resolve
[[ $(<"$work/out") == @(proto=rdma,port=20049|proto=rdma6,port=20049) ]] || { show; fail "localhost"; }
run plan 192.0.2.1:/export --options-only --resolve
one_line proto=rdma,port=20049
run plan no-such-name.invalid:/export --resolve --timeout 3
expect_status 3
[[ ! -s $work/out ]] || fail "something on stdout"
