#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# nfsrdma ovirt as an administrator meets it; and what the real mount.nfs makes of the command that VDSM
# will run, with the options that were typed, or with the sections that were written. strace answers
# mount(2) in the kernel's place.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq patch

root=$work/host
# host VERSION: a machine with this nfs-utils.
host()
{
	rm -rf "$root"
	mkdir -p "$root"/{etc,var/lib/dpkg,proc/self}
	printf 'Package: nfs-common\nStatus: install ok installed\nVersion: %s\n\n' "$1" >"$root/var/lib/dpkg/status"
	printf 'ID=debian\nVERSION_ID="12"\n' >"$root/etc/os-release"
}
# mounted SPEC NAME PROTO...: VDSM's directory NAME is mounted on, with each transport in turn.
mounted()
{
	local spec=$1 name=$2 id=90 parent=21 proto

	shift 2
	printf '21 1 8:1 / / rw - xfs /dev/sda1 rw\n' >"$root/proc/self/mountinfo"
	for proto; do
		printf '%d %d 0:%d / /rhev/data-center/mnt/%s rw - nfs4 %s rw,vers=4.2,proto=%s,addr=192.0.2.1\n' \
			$((++id)) $parent $id "$name" "$spec" "$proto" >>"$root/proc/self/mountinfo"
		parent=$id
	done
}
options() { run ovirt options --root "$root" "$@"; }
policy() { run ovirt policy --root "$root" "$@"; }
conf=$root/etc/nfsmount.conf.d/90-nfsrdma-ovirt.conf
guard=$root/etc/nfsrdma.conf.d/90-nfsrdma-ovirt.conf
one_line()
{
	expect_status 0
	[[ $(<"$work/out") == "$1" && $(wc -l <"$work/out") == 1 ]] || { show; fail "not '$1'"; }
}
# refused STATUS WORDS: one message on stderr, nothing on stdout.
refused()
{
	expect_status "$1"
	[[ ! -s $work/out ]] || { show; fail "something on stdout"; }
	expect_sentence "$2"
}
says() { grep -qF -- "$2" "$work/$1" || { show; fail "no '$2'"; }; }

echo "options: one line to type, and the rest on stderr"
host 1:2.6.2-4
options nas1.example.com:/export/vm
one_line proto=rdma,port=20049
says err 'Export Path                nas1.example.com:/export/vm'
says err 'mount -t nfs -o soft,nosharecache,timeo=100,retrans=3,proto=rdma,port=20049,nolock nas1.example.com:/export/vm /rhev/data-center/mnt/nas1.example.com:_export_vm'
# Except for commands, which are to be copied.
! grep -v 'mount -t' "$work/err" | grep -qE '.{81}' || { show; fail "wider than 80 columns"; }
# The engine accepts a slash at the end, and VDSM mounts without it.
options nas1:/export/vm/
one_line proto=rdma,port=20049
says err ' nas1:/export/vm /rhev/data-center/mnt/nas1:_export_vm'
options nas1:/
one_line proto=rdma,port=20049
says err ' nas1:/ /rhev/data-center/mnt/nas1:_'
options nas1:/export/vm -q
one_line proto=rdma,port=20049
[[ ! -s $work/err ]] || { show; fail "words though quiet"; }
options '[2001:db8::10]:/export/my_vm' -q -o nconnect=4,rdma --nfs-version 4.1
one_line nconnect=4,proto=rdma6,port=20049
options nas1:/export/vm --type posix --nfs-version 4.2
one_line soft,nosharecache,timeo=100,retrans=3,retry=0,vers=4.2,proto=rdma,port=20049
says err 'VFS Type                   nfsrdma'
options nas1:/export/vm -q -o 'hard, acregmin=3'
one_line hard,acregmin=3,proto=rdma,port=20049
says err 'note: remove the blank after the comma'
says err 'note: with hard, VDSM and sanlock hang'

echo "options: for scripts"
keys='["changes","command","directory","fields","given","mounted","options","remedy","schema","transport","version","warnings"]'
options nas1:/export/my_vm --nfs-version 4.2 -o nconnect=4 --format json
expect_status 0
# shellcheck disable=SC2016 # jq's variable
expect_report "values" --argjson keys "$keys" 'keys == $keys and .schema == "nfsrdma-ovirt/1" and
	.options == "nconnect=4,proto=rdma,port=20049" and .directory == "/rhev/data-center/mnt/nas1:_export_my__vm" and
	.fields == { type: "nfs", address: "nas1", path: "/export/my_vm", nfs_version: "v4_2", vfs_type: null,
		mount_options: "nconnect=4,proto=rdma,port=20049" } and
	.command == ["/usr/bin/mount", "-t", "nfs", "-o",
		"soft,nosharecache,timeo=100,retrans=3,nfsvers=4,minorversion=2,nconnect=4,proto=rdma,port=20049",
		"nas1:/export/my_vm", "/rhev/data-center/mnt/nas1:_export_my__vm"] and
	.transport == "rdma" and (.changes | length) == 2 and .warnings == [] and .mounted == "" and .remedy == ""'

options '[2001:db8::10]:/vm' --format json
expect_report "fields" '.fields | .address == "[2001:db8::10]" and .path == "/vm" and .nfs_version == "auto"'
options '[2001:db8::10]:/vm' --type posix --format json
expect_report "fields" '.fields | .address == null and .path == "[2001:db8::10]:/vm" and .vfs_type == "nfsrdma" and
	.nfs_version == null'

echo "options: refused"
options nas1:/export/vm -o timeo=600
refused 2 'the engine refuses timeo= .* the field Timeout'
options nas1:/export/vm -o Vers=4.2=x
refused 2 'the field NFS Version'
options nas1:/export/vm -o v4.2
refused 2 'the engine does not check it'
options nas1:/export/vm -o proto=tcp
refused 2 'another transport'
options nas1:/export/vm -o Proto=RDMA
refused 2 "'proto' is written in lower case"
options nas1:/export/vm -o bg
refused 2 'VDSM would use an empty directory; remove bg$'
options nas1:/export/vm --type posix -o timeo=50
refused 2 'sanlock.s I/O timeout'
options 'nas1:/export vm'
refused 2 'ASCII without blanks'
options "nas1:/$(head -c 300 /dev/zero | tr '\0' a)"
refused 2 'the engine keeps 250'
options nas1:/vm --nfs-version 4.3
refused 2 'takes auto, 3, 4, 4.0, 4.1 or 4.2'
options nas1:/vm --type cifs
refused 2 'takes nfs or posix'
options nas1:/vm --repository rhev
refused 2 'an absolute path'
options nas1:/vm --remove
refused 2 'need policy'
options
refused 2 'no domain given'
run ovirt
refused 2 'expected options or policy'
run ovirt option nas1:/vm
refused 2 "not 'option'"
mkdir "$root/etc/nfsrdma.conf.d"
printf '[server nas1]\npolicy = off\n' >"$root/etc/nfsrdma.conf.d/x.conf"
options nas1:/vm
refused 2 'the policy for it is off \(/etc/nfsrdma.conf.d/x.conf:2\)'
printf '[server nas1]\npolicy = of\n' >"$root/etc/nfsrdma.conf.d/x.conf"
options nas1:/vm
refused 3 'x.conf:2'
policy nas1:/vm
refused 3 'x.conf:2.*nothing was changed'

echo "what is mounted already"
host 1:2.6.2-4
mounted nas1:/vm nas1:_vm tcp
options nas1:/vm/../vm/ -q --type posix
one_line soft,nosharecache,timeo=100,retrans=3,retry=0,proto=rdma,port=20049,nolock
says err 'warning: /rhev/data-center/mnt/nas1:_vm is mounted over tcp, and keeps that transport'
options nas1:/vm --format json
expect_report "it is named" '(.mounted | test("mounted over tcp")) and (.remedy | test("maintenance"))'
policy nas1:/vm
expect_status 0
tr -s '\n ' ' ' <"$work/out" | grep -q 'Left to you - /rhev/data-center/mnt/nas1:_vm is mounted over tcp' || { show; fail "not named"; }
mounted nas1:/vm nas1:_vm rdma
options nas1:/vm -q
[[ ! -s $work/err ]] || { show; fail "words about what is good"; }
mounted nas1:/vm nas1:_vm tcp rdma rdma
options nas1:/vm -q
says err '3 mounts are stacked on /rhev/data-center/mnt/nas1:_vm, the topmost over '
# A repository that is a link.
mkdir -p "$root/srv/vdsm"
ln -s srv "$root/data"
mounted nas1:/vm nas1:_vm tcp
sed -i 's,/rhev/data-center/mnt,/srv/vdsm/mnt,' "$root/proc/self/mountinfo"
options nas1:/vm -q --repository /data/vdsm
says err '/srv/vdsm/mnt/nas1:_vm is mounted over tcp'
policy --remove
policy nas1:/vm --repository /data/vdsm --dry-run
says out '+[ MountPoint "/srv/vdsm/mnt/nas1:_vm" ]'

echo "what beats whatever is typed"
host 1:2.6.2-4
printf '[ NFSMount_Global_Options ]\ntcp=true\n' >"$root/etc/nfsmount.conf"
options nas1:/vm -q
one_line proto=rdma,port=20049
says err 'note: on this host the domain is not mounted over RDMA with any options: /etc/nfsmount.conf:2 has tcp=true'
options nas1:/vm --format json
expect_report "it is among the warnings" '.warnings | length == 1 and (.[0] | test("has tcp=true"))'
policy nas1:/vm
refused 1 'has tcp=true, which applies last; remove that line; nothing was changed$'

echo "policy: shown, written, written again, taken out"
host 1:2.8.3-1
policy nas1:/vm nas2:/vm --dry-run
expect_status 0
[[ ! -e $root/etc/nfsmount.conf.d ]] || fail "--dry-run has written"
cp -r "$root" "$work/patched"
mkdir "$work/patched/etc"/{nfsmount,nfsrdma}.conf.d
sed '/^Nothing was changed/d' "$work/out" | patch -s -d "$work/patched" -p1 || fail "no difference that patch takes"
policy nas1:/vm nas2:/vm
expect_status 0
says out 'done  /etc/nfsmount.conf.d/90-nfsrdma-ovirt.conf written'
diff -r "$root/etc" "$work/patched/etc" || fail "not what was shown"
[[ $(tail -c 1 "$conf" | od -An -tx1) == ' 0a' ]] || fail "no newline at the end"
[[ $(stat -c %a "$conf" "$guard" | sort -u) == 644 ]] || fail "modes"
before=$(stat -c '%Y %i' "$conf" "$guard")
policy nas2:/vm nas1:/vm/
expect_status 0
says out 'Nothing to do'
[[ $before == "$(stat -c '%Y %i' "$conf" "$guard")" ]] || fail "written again"
# There is one policy for all hooks, and it covers the domain.
run plan nas1:/vm --root "$root" --dir /rhev/data-center/mnt/nas1:_vm --format json
expect_report "the gates' policy" '.policy.policy.from == "/etc/nfsrdma.conf.d/90-nfsrdma-ovirt.conf:5"'
printf '[ Server "nas9" ]\ntimeo=600\n' >"${conf%/*}/50-mine.conf"
policy --remove nas1:/vm
expect_status 0
! grep -q nas1 "$conf" "$guard" || fail "nas1 is left"
policy --remove
expect_status 0
[[ ! -e $conf && ! -e $guard ]] || fail "a file is left"
[[ ! -e ${guard%/*} ]] || fail "its folder is left"
[[ -d ${conf%/*} ]] || fail "a folder with a file of somebody else is gone"
policy --remove nas1:/vm
refused 1 'has written nothing for nas1:/vm'
policy --remove
expect_status 0
says out 'Nothing to remove.'

echo "policy: six at once"
for round in {1..5}; do
	host 1:2.8.3-1
	pids=()
	for n in {1..6}; do
		"$NFSRDMA" ovirt policy --root "$root" "nas$n:/vm" >/dev/null 2>"$work/at-once.$n" </dev/null &
		pids+=($!)
	done
	for n in {1..6}; do
		wait "${pids[n - 1]}" || fail "round $round: $(cat "$work/at-once.$n")"
	done
	for n in {1..6}; do
		grep -q "nas$n:" "$conf" || fail "round $round: nfsmount.conf.d has no nas$n"
		grep -q "nas$n:" "$guard" || fail "round $round: nfsrdma.conf.d has no nas$n"
	done
	[[ ! -e $root/var/lib/nfsrdma ]] || fail "the lock's folder is left"
done
mkdir -m 700 "$root/var/lib/nfsrdma"
exec 8<"$root/var/lib/nfsrdma"
flock -n 8
policy nas7:/vm --dry-run
expect_status 0
policy nas7:/vm
refused 3 'another nfsrdma command is running; nothing was changed'
exec 8<&-

echo "policy: never half of it"
host 1:2.8.3-1
mkdir -p "$root/etc/nfsrdma.conf.d"
ln -s /dev/null "$guard"
policy nas1:/vm
expect_status 3
[[ ! -e $root/etc/nfsmount.conf.d ]] || { show; fail "half of it"; }
rm "$guard"
mkdir "$guard"
policy nas1:/vm
expect_status 3
[[ ! -e $root/etc/nfsmount.conf.d ]] || { show; fail "half of it"; }
rmdir "$guard"
# If the second cannot be written the first is restored.
second=$root/etc/nfsrdma.conf.d
namespace=(unshare -m --propagation private)
"${namespace[@]}" true 2>/dev/null || namespace=(unshare -r -m --propagation private)
if "${namespace[@]}" mount --bind "$second" "$second" 2>/dev/null; then
	run_prefix=("${namespace[@]}" sh -c "mount --bind '$second' '$second' && mount -o remount,ro,bind '$second' && exec \"\$@\"" -)
	policy nas1:/vm
	refused 3 'Read-only file system; nothing was changed'
	run_prefix=()
	[[ ! -e $root/etc/nfsmount.conf.d ]] || { show; fail "half of it"; }
	# And no existing text is lost.
	policy nas1:/vm
	expect_status 0
	cp "$conf" "$work/first"
	run_prefix=("${namespace[@]}" sh -c "mount --bind '$second' '$second' && mount -o remount,ro,bind '$second' && exec \"\$@\"" -)
	policy nas1:/iso
	refused 3 'nothing was changed'
	policy --remove
	refused 3 'nothing was changed'
	run_prefix=()
	cmp "$conf" "$work/first" || fail "the first file is not as it was"
fi

echo "policy: refused"
host 1:2.6.2-4
policy nas1:/vm nas2:/vm
refused 1 '90-nfsrdma-ovirt.conf:8 set proto.*nfs-utils 1:2.6.2-4 keeps a key in one section.*nothing was changed'
policy nas1:/vm
expect_status 0
policy nas2:/vm
refused 1 'set proto.*keeps a key in one section'
policy nas1:/iso
expect_status 0
grep -qx '\[ Server "nas1" \]' "$conf" || fail "no section for the server"
says out 'whatever else this host mounts'
sed -i 's/^proto=rdma/proto=tcp/' "$conf"
policy nas1:/x
refused 1 'is not as nfsrdma ovirt policy wrote it'
policy --remove
refused 1 'is not as nfsrdma ovirt policy wrote it'
# Neither is a file with something else in it, which stays.
printf '[ Server "nas9" ]\ntimeo=600\n' | tee "$work/mine" >"$conf"
policy nas1:/vm
refused 1 'is not as nfsrdma ovirt policy wrote it'
cmp "$conf" "$work/mine" || fail "the file of somebody else has changed"
host 1:1.3.4-6
policy nas1:/vm
refused 1 'nfs-utils 1:1.3.4-6 reads no nfsmount.conf.d'
# rpm's list is not a file: the version is unknown.
rm -r "$root/var/lib/dpkg"
policy nas1:/vm
refused 3 'the version of nfs-utils of this host is not known'
host 1:2.8.3-1
policy '[2001:db8::1]:/vm'
refused 2 "ends a section's name at the first ']'"
policy '[2001:db8::1]:/vm' --guard-only
expect_status 0
run plan '[2001:db8::1]:/vm' --root "$root" --dir '/rhev/data-center/mnt/[2001:db8::1]:_vm' --format json
expect_report "the pattern of an address" '.policy.policy.from | startswith("/etc/nfsrdma.conf.d/90-")'
policy nas1:/vm -o proto=tcp
refused 1 "the engine's options have proto="
printf '[ NFSMount_Global_Options ]\ntcp=true\n' >"$root/etc/nfsmount.conf"
policy nas1:/vm
refused 1 '/etc/nfsmount.conf:2 has tcp=true'
policy
refused 2 'no domain given'
policy --remove -o x
refused 2 'cannot be combined'
policy nas1:/vm --format json
refused 2 '--format needs options'
run ovirt policy nas1:/vm --root "$work/nowhere"
refused 2 '--root: open'

echo "the real mount.nfs"
requires strace unshare
mount_nfs=$("$NFSRDMA_SOURCE/tests/support/mount-nfs" 2>"$work/why") || skip "$(<"$work/why")"
# libmount from 2.39 on has other system calls than mount(2) for it, whose options are in pieces.
export LIBMOUNT_FORCE_MOUNT2=always
"${namespace[@]}" mount -t tmpfs none /mnt 2>/dev/null || skip "no mount namespace"
strace -o /dev/null -e trace=mount true 2>/dev/null || skip "strace may not trace"

# A machine whose /etc is the one that mount.nfs reads.
host 1:2.6.2-4
for file in netconfig hosts host.conf nsswitch.conf passwd group protocols services ld.so.cache; do
	[[ ! -e /etc/$file ]] || cp "/etc/$file" "$root/etc/"
done
printf '127.0.0.1 localhost nas1 nas2\n::1 nas6\n' >"$root/etc/hosts"
repository=$work/rhev
mkdir -p "$repository/mnt"/{nas1:_vm,nas1:_iso,nas2:_vm,nas6:_vm,"[::1]:_vm"}

# vdsm SPEC [ARGUMENT...]: the command that VDSM will run for these option arguments.
vdsm()
{
	run ovirt options --root "$root" --repository "$repository" --format json "$@"
	expect_status 0
	readarray -t command < <(report '.command[]')
}
# data WORD...: the data of mount(2) for VDSM's command, as mount(8) passes it on.
data()
{
	: >"$work/trace"
	# shellcheck disable=SC2016 # the inner shell's
	timeout "$patience" "${namespace[@]}" sh -c 'mount --bind "$1/etc" /etc && shift &&
		exec strace -f -e trace=mount -e inject=mount:retval=0 -s 8000 -o "$@"' - "$root" \
		"$work/trace" "$mount_nfs" "${command[5]}" "${command[6]}" -o "rw,$1" >"$work/out" 2>"$work/err" || true
	sed -n 's/.*mount(".*", ".*", "nfs4\{0,1\}", [^,]*, "\(.*\)") *= 0 (INJECTED)$/\1/p' "$work/trace"
}
# goes WAY: the last transport in the data of mount(2) is this one, and the last port is RDMA's or
# absent.
goes()
{
	local word transport=tcp port=2049

	IFS=, read -ra words <<<"$got"
	for word in "${words[@]}"; do
		case $word in
		rdma | tcp | udp) transport=$word ;;
		proto=*) transport=${word#proto=} ;;
		port=*) port=${word#port=} ;;
		esac
	done
	[[ $got && $transport:$port == "$1" ]] || { cat "$work/trace" "$work/err"; fail "mount(2) gets '$got', not $1"; }
}

# The custom options make the mount RDMA.
for version in auto 3 4 4.0 4.1 4.2; do
	vdsm nas1:/vm --nfs-version "$version"
	got=$(data "${command[4]}")
	goes rdma:20049
done
vdsm '[::1]:/vm' --nfs-version 4.2
got=$(data "${command[4]}")
goes rdma6:20049

# The written section makes VDSM's own command RDMA, without custom options; on this nfs-utils one
# section.
plain=soft,nosharecache,timeo=100,retrans=3
policy_here() { policy --repository "$repository" "$@"; }
vdsm nas1:/vm
got=$(data "$plain,nolock")
goes tcp:2049
policy_here nas1:/vm
expect_status 0
for options in "$plain,nolock" "$plain,nfsvers=3,nolock" "$plain,nfsvers=4,minorversion=2" "$plain,nfsvers=4,nconnect=4"; do
	got=$(data "$options")
	goes rdma:20049
done
vdsm nas2:/vm
got=$(data "$plain")
goes tcp:2049
# Two domains of one server: both, by one section.
policy_here nas1:/iso
expect_status 0
for spec in nas1:/vm nas1:/iso; do
	vdsm "$spec"
	got=$(data "$plain,nfsvers=4,minorversion=1")
	goes rdma:20049
done
# Two servers, for an nfs-utils without the defect: this one does lose the first.
policy_here --remove
sed -i 's/1:2.6.2-4/1:2.8.3-1/' "$root/var/lib/dpkg/status"
policy_here nas1:/vm nas2:/vm
expect_status 0
if [[ $mount_nfs == *nfs-common*2.6.2* ]]; then
	vdsm nas1:/vm
	got=$(data "$plain")
	goes tcp:2049
fi
vdsm nas2:/vm
got=$(data "$plain")
goes rdma:20049
# A name that has only an IPv6 address.
policy_here --remove
run_prefix=("${namespace[@]}" sh -c "mount --bind '$root/etc' /etc && exec \"\$@\"" -)
run ovirt options nas6:/vm --resolve -q
one_line proto=rdma6,port=20049
run_prefix=()
# Why an address in brackets is refused: such a section is ignored, and this mount.nfs crashes on
# it.
printf '[ MountPoint "%s/mnt/[::1]:_vm" ]\nproto=rdma6\n' "$repository" >"$root/etc/nfsmount.conf"
vdsm '[::1]:/vm'
got=$(data "$plain,nfsvers=4")
grep -q "non-matched" "$work/err" || { cat "$work/err"; fail "mount.nfs takes a section with brackets"; }
[[ $got != *rdma* ]] || fail "mount(2) gets '$got'"

echo "on a running system"
if ((EUID == 0)); then
	# nfsconf(8), if installed, is run instead of checking a version.
	nfsconf=${mount_nfs%/sbin/mount.nfs}/usr/sbin/nfsconf
	[[ -x $nfsconf ]] || nfsconf=/usr/sbin/nfsconf
	[[ -x $nfsconf ]] || skip "no nfsconf"
	lost=1
	printf '[ MountPoint "/a" ]\nproto=rdma\n[ MountPoint "/b" ]\nproto=rdma\n' >"$work/two.conf"
	[[ $("$nfsconf" -f"$work/two.conf" -a/a -g MountPoint proto 2>/dev/null || true) != rdma ]] || lost=0
	rm -f "$root"/etc/nfsmount.conf
	mkdir "$work/sbin"
	cp "$nfsconf" "$work/sbin/"
	run_prefix=("${namespace[@]}" sh -c "mount --bind '$root/etc' /etc && mount --bind '$work/sbin' /usr/sbin && exec \"\$@\"" -)
	run ovirt policy nas1:/vm nas2:/vm
	expect_status $lost
	run ovirt policy nas1:/vm
	expect_status 0
	says out 'Next: nfsrdma mounts'
	! grep -qE '.{81}' "$work/out" || { show; fail "wider than 80 columns"; }
	run ovirt policy --remove
	expect_status 0
	run_prefix=()
	[[ ! -e $conf && ! -e $guard ]] || fail "something is left"
fi
