#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# What the real mount.nfs, with an nfsmount.conf that says otherwise, hands to mount(2) when it is
# given the planned options: proto=rdma,port=20049 and no other transport. It runs in a mount
# namespace of its own, with an /etc of its own, and strace answers mount(2) in the kernel's place.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires strace unshare
mount_nfs=$("$NFSRDMA_SOURCE/tests/support/mount-nfs" 2>"$work/why") || skip "$(<"$work/why")"
# libmount from 2.39 on has other system calls than mount(2) for it, whose options are in pieces.
export LIBMOUNT_FORCE_MOUNT2=always
# As root, or as root of a user namespace.
namespace=(unshare -m --propagation private)
"${namespace[@]}" true 2>/dev/null || namespace=(unshare -r -m --propagation private)
"${namespace[@]}" mount -t tmpfs none /mnt 2>/dev/null || skip "no mount namespace"
strace -o /dev/null -e trace=mount true 2>/dev/null || skip "strace may not trace"

mkdir "$work/etc" "$work/target" "$work/folder"
for file in netconfig hosts host.conf nsswitch.conf passwd group protocols services ld.so.cache; do
	[[ ! -e /etc/$file ]] || cp "/etc/$file" "$work/etc/"
done
printf '127.0.0.1 localhost nas1 nas46\n::1 nas6 nas46\n' >"$work/etc/hosts"

# conf TEXT: the nfsmount.conf from here on; drop_in NAME TEXT: beside it.
conf()
{
	rm -rf "$work/etc"/nfsmount.conf*
	what=$1
	[[ ! $1 ]] || printf '%b' "$1" >"$work/etc/nfsmount.conf"
}
drop_in()
{
	what+=" $1: $2"
	mkdir -p "$work/etc/nfsmount.conf.d"
	printf '%b' "$2" >"$work/etc/nfsmount.conf.d/$1"
}

# data SPEC OPTIONS: the data of mount(2), unquoted; empty if it is not called.
data()
{
	: >"$work/trace"
	# shellcheck disable=SC2016 # the inner shell's
	timeout "$patience" "${namespace[@]}" sh -c 'mount --bind "$1/etc" /etc && shift &&
		exec strace -f -e trace=mount -e inject=mount:retval=0 -s 8000 -o "$@"' - "$work" \
		"$work/trace" "$mount_nfs" "$1" "$work/target" -o "$2" >"$work/out" 2>"$work/err" || true
	sed -n 's/.*mount(".*", ".*", "nfs4\{0,1\}", [^,]*, "\(.*\)") *= 0 (INJECTED)$/\1/; T; s/\\"/"/g; p' "$work/trace"
}

# goes_to SPEC GIVEN WANT: the planned options contain WANT, and so does the data of mount(2),
# where the last transport and the last port are those, and no other is named.
checked=0
goes_to()
{
	local planned words=() word transports=0

	run plan "$1" -o "$2" --options-only --dir "$work/target"
	expect_status 0
	planned=$(<"$work/out")
	got=$(data "$1" "$planned")
	[[ ,$got, == *,$3,* ]] || { cat "$work/trace" "$work/err"; fail "$what: -o '$2', planned '$planned': mount(2) gets '$got'"; }
	IFS=, read -ra words <<<"$got"
	for word in "${words[@]}"; do
		[[ $word != @(tcp|udp|rdma|nordma|proto=*|port=*) ]] || ((++transports))
	done
	((transports == 2)) || fail "$what: -o '$2': mount(2) gets '$got'"
	checked=$((checked + 1))
}
refused()
{
	run plan "$1" -o "$2" --options-only
	expect_status 2
	[[ ! -s $work/out ]] || fail "-o '$2' is refused, and has options"
}

# Command lines of an administrator, with each file.
all()
{
	local given

	for given in '' rdma rdma,port=20049 proto=rdma proto=rdma,port=20049 vers=4.2 \
		     rw,soft,nolock,vers=3 nfsvers=4,minorversion=1; do
		goes_to 127.0.0.1:/e "$given" proto=rdma,port=20049
	done
	goes_to nas1:/e rdma proto=rdma,port=20049
	goes_to 127.0.0.1:/e port=2049 port=2049,proto=rdma
	goes_to 127.0.0.1:/e rdma,port=20050 proto=rdma,port=20050
	goes_to '[::1]:/e' rdma,vers=4.2 proto=rdma6,port=20049
}

# The risk exists: bare "rdma" and this file make a mount over TCP.
conf '[ NFSMount_Global_Options ]\nProto=tcp\n'
trap_data=$(data 127.0.0.1:/e rdma,port=20049)
[[ $trap_data == rdma,port=20049,*proto=tcp* ]] || fail "mount.nfs made '$trap_data' of rdma,port=20049"
all
conf ''
all
conf '[ Server "127.0.0.1" ]\nProto=rdma\nPort=20049\n'
all
conf '[ NFSMount_Global_Options ]\nProto=tcp\nPort=2049\n'
all
conf '[ Server "127.0.0.1" ]\nrdma=true\nport=20049\n'
# The flag is another name of proto with the same meaning: not one transport, but no other.
got=$(data 127.0.0.1:/e proto=rdma,port=20049,vers=4.2)
[[ $got == proto=rdma,port=20049,vers=4.2,rdma,* ]] || fail "$what: mount(2) gets '$got'"
conf '[ NFSMount_Global_Options ]\nDefaultproto=tcp\nDefaultvers=4.1\n'
all
conf '[ NFSMount_Global_Options ]\nDefaultproto=rdma\n'
all
conf '[ NFSMount_Global_Options ]\nProto=Rdma\n'
all
conf '[ NFSMount_Global_Options ]\nProto=udp\nPort=0\n'
all
# Two servers, of which nfs-utils 2.6.2 forgets the first.
conf '[ Server "127.0.0.1" ]\nproto=rdma\nport=20049\n[ Server "127.0.0.2" ]\nproto=rdma\n'
all
conf ''
drop_in 50-rdma.conf '[ Server "127.0.0.1" ]\nproto=tcp\nport=2049\n'
all
conf '[ Server "127.0.0.1" ]\nproto=tcp\nport=20049'
all
conf "[ MountPoint \"$work/target\" ]\\nproto=tcp\\nport=2049\\n[ Server \"[\" ]\\nproto=tcp6\\n[ NFSMount_Global_Options ]\\nproto=udp\\n"
all

# No option string overrides this, so the mount must be checked afterwards: nfsrdma.conf(5),
# FILES.
conf '[ NFSMount_Global_Options ]\ntcp=true\nBackground=true\n'
got=$(data 127.0.0.1:/e proto=rdma,port=20049,vers=4.2)
[[ $got == proto=rdma,port=20049,vers=4.2,@(tcp,bg|bg,tcp),addr=* ]] || fail "$what: mount(2) gets '$got'"

# The rest of the string is passed to mount.nfs unchanged: quotes, blanks, unknown options.
conf '[ NFSMount_Global_Options ]\nProto=tcp\n'
goes_to 127.0.0.1:/e 'rdma,foo="a b",bar=b=c,nconnect=4,vers=4.2' proto=rdma,port=20049
[[ $got == 'proto=rdma,port=20049,foo="a b",bar=b=c,nconnect=4,vers=4.2,addr='* ]] ||
	fail "$what: mount(2) gets '$got'"
# With prefer the second attempt is TCP, whatever the file says.
conf '[ Server "127.0.0.1" ]\nProto=rdma\nPort=20049\n'
run plan 127.0.0.1:/e -o nfsrdma.policy=prefer,rdma,soft,vers=4.2 --format json
expect_status 0
got=$(data 127.0.0.1:/e "$(jq -r .options_tcp "$work/out")")
[[ $got == proto=tcp,port=2049,soft,vers=4.2,addr=* ]] || fail "$what: mount(2) gets '$got'"
# For a name with only IPv6 addresses mount.nfs needs proto=rdma6; the name is kept.
conf ''
run_prefix=("${namespace[@]}" sh -c "mount --bind '$work/etc' /etc && exec \"\$@\"" -)
for row in 'nas6 rdma proto=rdma6,port=20049' 'nas6 proto=rdma proto=rdma6,port=20049' \
	   'nas46 rdma proto=rdma,port=20049' 'nas46 proto=rdma6 proto=rdma6,port=20049' \
	   'nas1 rw rw,proto=rdma,port=20049'; do
	read -r name given want <<<"$row"
	run plan "$name:/e" -o "$given" --options-only --resolve
	expect_status 0
	[[ $(<"$work/out") == "$want" ]] || { show; fail "$row"; }
	got=$(data "$name:/e" "$want,vers=4.2")
	[[ $got == *"${want#rw,}",vers=4.2,addr=* ]] || { cat "$work/err"; fail "$row: mount(2) gets '$got'"; }
done
run plan nas1:/e -o proto=rdma6 --resolve
expect_status 2
run_prefix=()

# These are not mounted.
refused 127.0.0.1:/e proto=tcp
refused 127.0.0.1:/e tcp
refused 127.0.0.1:/e rdma,tcp
# mount.nfs 2.6.2 crashes on a setting below a heading with an unclosed quote, for every mount.
for text in '[ Server "[::1]" ]\nproto=rdma6\n' '[ Server "nas ]\nport=20049\n'; do
	conf "$text"
	data 127.0.0.1:/e vers=4.2 >/dev/null
	! "$mount_nfs" -V 2>&1 | grep -q 'nfs-utils 2\.6\.2' || grep -q 'killed by SIGSEGV' "$work/trace" ||
		{ cat "$work/trace" "$work/err"; fail "mount.nfs does not die of '$text'"; }
done
conf '[ Server "[::1]" ]\n'
[[ $(data 127.0.0.1:/e vers=4.2) ]] || fail "it is the setting that mount.nfs dies of, not the heading"
echo "$checked mounts"
