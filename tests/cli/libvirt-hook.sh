#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# nfsrdma-libvirt-hook, called as libvirt calls it, on hosts that are folders.
# libvirt-hook-guests.sh calls it through libvirtd; the testbed covers real mounts and absent
# servers.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/guest-xml.sh"
hook=${NFSRDMA%/*}/hooks/libvirt/nfsrdma-libvirt-hook

# ask ARGUMENT... <XML: the hook. Nothing is ever on stdout.
ask()
{
	local start

	start=$(now_ms)
	status=0
	timeout -k 5 "$run_limit" "$hook" "$@" >"$work/out" 2>"$work/err" || status=$?
	took=$(since_ms "$start")
	[[ ! -s $work/out ]] || { show; fail "something is on stdout"; }
}
ask_disks() { guest "${@:2}" >"$work/guest.xml"; ask --root "$1" web1 prepare begin - <"$work/guest.xml"; }
# refused WORDS: one sentence
refused() { expect_status 1; expect_sentence "$1"; expect_sentence '\. See nfsrdma-libvirt\(7\)\.$'; }
passed() { expect_status 0; [[ ! -s $work/err ]] || { show; fail "it says something"; }; }
# but WORDS: it passes, with a warning in a call by hand
but() { expect_status 0; expect_sentence "allowed, with a warning: .*$1"; }
# nobody WORDS: the check is unknown, and passes
nobody() { expect_status 0; expect_sentence "check failed: .*$1"; within "${2:-4000}" "no answer"; }

# mounted ROOT ID PROTO SOURCE TARGET: as the kernel shows it
mounted()
{
	local numbers='0 0 1 0 5 1200 1200 0 1200 0'

	local port=20049

	[[ $5 != */plain ]] || port=2049
	[[ $3 != rdma* ]] || numbers+=' 10 400 3 1048576 1048000 0 0 0 0 0 0 0 0 30 0 0 12'
	echo "$2 1 0:$2 / $5 rw,relatime shared:$2 - nfs4 $4 rw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=$3,port=$port,timeo=600,retrans=2,sec=sys,local_lock=none,addr=192.0.2.1" \
		>>"$1/proc/self/mountinfo"
	printf 'device %s mounted on %s with fstype nfs4 statvers=1.1\n\topts:\trw,vers=4.2,proto=%s\n\tage:\t7\n\txprt:\t%s %s\n' \
		"$4" "$5" "$3" "$3" "$numbers" >>"$1/proc/self/mountstats"
}

# pool ROOT NAME TARGET OPTION: of the server nas
pool()
{
	mkdir -p "$1/etc/libvirt/storage"
	cat >"$1/etc/libvirt/storage/$2.xml" <<END
<pool type='netfs' xmlns:fs='http://libvirt.org/schemas/storagepool/fs/1.0'>
  <name>$2</name>
  <source><host name='nas'/><dir path='/$2'/><format type='nfs'/></source>
  <target><path>$3</path></target>
  <fs:mount_opts><fs:option name='$4'/></fs:mount_opts>
</pool>
END
}

# A host: /srv/good on RDMA, /srv/tcp not, with pools on both; a pool that is not mounted; a
# directory that the policy covers; and a mount for which nothing requests RDMA.
host=$work/host
new_host()
{
	rm -rf "$host"
	mkdir -p "$host"/proc/self "$host"/srv/{good,tcp,none,policy,plain,local} "$host"/var/lib/libvirt/images
	echo "1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw" >"$host/proc/self/mountinfo"
	: >"$host/proc/self/mountstats"
	mounted "$host" 41 rdma nas:/good /srv/good
	mounted "$host" 42 tcp nas:/tcp /srv/tcp
	mounted "$host" 43 tcp other:/plain /srv/plain
	mounted "$host" 44 tcp nas:/later /srv/later/plain
	pool "$host" good /srv/good proto=rdma
	pool "$host" tcp /srv/tcp proto=rdma
	pool "$host" none /srv/none proto=rdma
	printf '[directory /srv/policy]\npolicy = require\n' >"$host/etc/nfsrdma.conf"
}

new_host

echo "by hand"
"$hook" --version | grep -qx 'nfsrdma-libvirt-hook [0-9.]*' || fail "no version"
"$hook" --help | grep -q 'virsh dumpxml' || fail "no help"
for arguments in "" "web1" "web1 prepare begin" "--frobnicate"; do
	# shellcheck disable=SC2086 # words
	ask $arguments </dev/null
	expect_status 2
	grep -q '^usage' "$work/err" || { show; fail "no usage"; }
done

# A reader of it waits forever: it is open for writing here.
mkfifo "$work/never"
exec {never}<>"$work/never"

echo "every operation"
guest /srv/tcp/a.img >"$work/bad.xml"
for operation in "prepare begin" "migrate begin" "restore begin"; do
	# shellcheck disable=SC2086 # words
	ask --root "$host" web1 $operation - <"$work/bad.xml"
	refused 'disk vdaa \(/srv/tcp/a.img\).*over tcp.*pool .tcp'
done
for operation in "start begin" "started begin" "stopped end" "release end" "reconnect begin" "attach begin" \
	"prepare end" "frobnicate begin" "- -"; do
	# shellcheck disable=SC2086 # words
	# The hook does not wait for endless input.
	ask --root "$host" web1 $operation - <&"$never"
	passed
	within 4000 "$operation"
done

echo "a guest of VDSM's"
# VDSM's own hooks check it. A failed restore loses its memory, and such a start is a restore with
# launch flags.
uuid=0a0a0a0a-0000-0000-0000-00000000000a
metadata="<uuid>$uuid</uuid><metadata><o:vm xmlns:o='http://ovirt.org/vm/1.0'/></metadata>"
sed "s,</name>,&$metadata," "$work/bad.xml" >"$work/vdsm.xml"
for operation in prepare restore; do
	ask --root "$host" web1 $operation begin - <"$work/vdsm.xml"
	expect_status 0
	grep -q "allowed, with a warning: not refused, because VDSM restores the guest: disk vdaa .*over tcp" "$work/err" || { show; fail "not a word"; }
done
ask --root "$host" web1 migrate begin - <"$work/vdsm.xml"
refused 'disk vdaa .*over tcp'
mkdir -p "$host/run/vdsm/$uuid"
echo 0 >"$host/run/vdsm/$uuid/launchflags"
ask --root "$host" web1 prepare begin - <"$work/vdsm.xml"
refused 'disk vdaa .*over tcp'
rm -r "$host/run/vdsm"

# A guest can have any name, and libvirt passes four arguments.
for name in --help --version --root; do
	ask "$name" prepare begin - <"$work/bad.xml"
	expect_status 0
	[[ $name == --root ]] || passed
done

echo "allowed and refused"
ask_disks "$host" /srv/good/a.img "good b.img" /srv/plain/c.img /var/lib/libvirt/images/d.img /nowhere/e.img
passed
ask_disks "$host"
passed
ask_disks "$host" /srv/good/a.img /srv/tcp/b.img
refused 'disk vdab \(/srv/tcp/b.img\)'
ask_disks "$host" "good a.img" "tcp b.img"
refused "disk vdab .*over tcp"
ask_disks "$host" "tcp a.img" /srv/tcp/b.img /srv/policy/c.img /srv/good/d.img
refused 'disk vdaa .*\(and 2 more disks\)'
ask_disks "$host" "/var/lib/libvirt/images/top.qcow2</srv/tcp/base.img"
refused 'disk vdaa, backing file 1 \(/srv/tcp/base.img\)'
ask_disks "$host" "none a.img"
refused "disk vdaa .*pool 'none'"
ask_disks "$host" /srv/none/deep/a.img
refused "/srv/none.*pool 'none'"
ask_disks "$host" /srv/policy/a.img
refused '/srv/policy.*/etc/nfsrdma.conf:2'
ln -s /srv/tcp "$host/srv/link"
ln -s ../srv/link/deep "$host/srv/twice"
ask_disks "$host" /srv/link/a.img
refused '/srv/link/a.img.*over tcp'
ask_disks "$host" /srv/local/../twice/./a.img
refused 'over tcp'
ask_disks "$host" /srv/none/../good/a.img
passed
ask --root "$host" web1 prepare begin - \
	<<<"<disk type='file'><source file='/srv/tcp/a&#10;b&#39;c%20d.img'/><target dev='v&#10;da'/></disk>"
refused 'disk v\?da \(/srv/tcp/a\?b'

echo "prefer, and off"
new_host
printf '[directory /srv/tcp]\npolicy = prefer\n' >>"$host/etc/nfsrdma.conf"
ask_disks "$host" "tcp a.img"
but 'disk vdaa .*over tcp.*/etc/nfsrdma.conf:4'
sed -i s/prefer/off/ "$host/etc/nfsrdma.conf"
ask_disks "$host" "tcp a.img"
passed
new_host

echo "what runs counts, not what is defined"
pool "$host" later /srv/later/plain proto=rdma
ask_disks "$host" "later a.img"
refused "over tcp.*pool 'later'"
mkdir -p "$host/run/libvirt/storage"
sed -E 's|<fs:option[^>]*>||; s|^<pool |<poolstate>&|; s|</pool>|&</poolstate>|' "$host/etc/libvirt/storage/later.xml" \
	>"$host/run/libvirt/storage/later.xml"
ask_disks "$host" "later a.img"
passed
rm -r "$host/run/libvirt"

echo "what cannot be found out"
ask_disks "$host" "nosuch a.img"
but "disk vdaa .*unknown whether.*no pool.*'nosuch'"
echo '<pool' >"$host/etc/libvirt/storage/broken.xml"
ask_disks "$host" "broken a.img" "tcp b.img"
refused 'disk vdab'
printf '[default]\non-unknown = refuse\n' >>"$host/etc/nfsrdma.conf"
ask_disks "$host" "broken a.img"
refused 'disk vdaa .*broken'
new_host
echo 'policy = of' >"$host/etc/nfsrdma.conf"
ask_disks "$host" /srv/tcp/a.img
nobody '/etc/nfsrdma.conf:1'
new_host
rm "$host/proc/self/mountinfo"
ask_disks "$host" /srv/tcp/a.img
nobody mountinfo
new_host
ask --root "$work/nowhere" web1 prepare begin - <"$work/bad.xml"
nobody nowhere

echo "stdin: closed, empty, no XML, endless, 50 MB, cut, slow"
ask --root "$host" web1 prepare begin - <&-
nobody 'stdin'
ask --root "$host" web1 prepare begin - </dev/null
nobody 'the XML is empty'
ask --root "$host" web1 prepare begin - <"$work"
nobody 'stdin'
ask --root "$host" web1 prepare begin - < <(yes)
nobody '16777216 bytes'
ask --root "$host" web1 prepare begin - </dev/zero
nobody '16777216 bytes'
ask --root "$host" web1 prepare begin - < <(head -c 50000000 /dev/zero | tr '\0' ' ')
nobody '16777216 bytes'
ask --root "$host" web1 prepare begin - < <(head -c 60 "$work/bad.xml")
nobody 'line'
cat "$work/bad.xml" >&"$never"
ask --root "$host" web1 prepare begin - <&"$never"
nobody 'in time' 12000
((took >= 9500)) || { show; fail "given up after $took ms"; }
within 10500 "input that does not end"
# A slow platform does not use up the hook's two seconds.
ask --root "$host" web1 prepare begin - < <(head -c 60 "$work/bad.xml"; sleep 3; tail -c +61 "$work/bad.xml")
refused 'disk vdaa \(/srv/tcp/a.img\)'
((took >= 2900)) || { show; fail "the input was not slow"; }
ask --root "$host" web1 prepare begin - <<<'<!DOCTYPE d [<!ENTITY a SYSTEM "/etc/passwd">]><domain><name>&a;</name></domain>'
nobody 'document type'

echo "what the gate cannot read, where the unknown is refused"
# deep COUNT: metadata nested COUNT times; wide COUNT: COUNT elements of it; before the disk.
deep() { printf '<domain><metadata>'; printf '<a>%.0s' $(seq "$1"); printf '</a>%.0s' $(seq "$1"); rest; }
wide() { printf '<domain><metadata>'; head -c $(($1 * 4)) < <(yes '<a/>' | tr -d '\n'); rest; }
rest() { echo "</metadata><devices><disk><source file='/srv/tcp/a.img'/><target dev='vda'/></disk></devices></domain>"; }
deep 300 >"$work/deep.xml"
wide 1000000 >"$work/wide.xml"
: >"$work/empty.xml"
new_host
for name in deep wide empty; do
	ask --root "$host" web1 prepare begin - <"$work/$name.xml"
	nobody "the guest's XML on stdin"
done
printf '[server nas9]\non-unknown = refuse\n' >>"$host/etc/nfsrdma.conf"
for name in deep wide empty; do
	ask --root "$host" web1 prepare begin - <"$work/$name.xml"
	refused "the guest's XML on stdin.*/etc/nfsrdma.conf:4 has on-unknown = refuse"
done
ask --root "$host" web1 prepare begin - <&-
refused 'stdin.*on-unknown = refuse'
echo 'policy of' >>"$host/etc/nfsrdma.conf"
ask_disks "$host" /srv/good/a.img
refused '/etc/nfsrdma.conf:5.*/etc/nfsrdma.conf:4 has on-unknown = refuse'
# Other operations are not checked.
ask --root "$host" web1 stopped end - <"$work/deep.xml"
passed
new_host

echo "nothing at or below a network mount is touched"
if type -P strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	guest /srv/tcp/a/b.img "tcp c/d.img" /srv/good/e.img /srv/link/f.img "/var/lib/libvirt/images/top</srv/plain/base" >"$work/guest.xml"
	ln -s /srv/good/g.img "$host/srv/local/g.img"
	# The leak check needs ptrace(2), which strace uses.
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -y -e trace=%file,readlinkat,openat2,name_to_handle_at -o "$work/strace" \
		"$hook" --root "$host" web1 prepare begin - <"$work/guest.xml" 2>"$work/err" && fail "it is let pass"
	grep -q 'mountinfo' "$work/strace" || fail "strace shows nothing"
	grep -q '"srv' "$work/strace" || fail "strace does not show how paths are walked"
	! grep -E 'srv/(tcp|good|plain)' "$work/strace" || fail "it touches a mount"
else
	echo "(no strace)"
fi

echo "how long it takes"
# spent FILE COMMAND...: the least and the median of many runs, in tenths of a millisecond
spent()
{
	python3 - "$@" <<'PY'
import statistics, subprocess, sys, time
def once():
    start = time.monotonic()
    with open(sys.argv[1]) as xml:
        subprocess.run(sys.argv[2:], stdin=xml, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (time.monotonic() - start) * 10000
runs = [once() for _ in range(21)]
print(round(min(runs)), round(statistics.median(runs)))
PY
}
if type -P python3 >/dev/null; then
	for count in 20 500; do
		disks=()
		for ((i = 0; i < count; i++)); do disks+=("/srv/good/disk-$i.img"); done
		guest "${disks[@]}" >"$work/many.xml"
		read -r least median < <(spent "$work/many.xml" "$hook" --root "$host" web1 prepare begin -)
		echo "$count disks: $((median / 10)).$((median % 10)) ms, at best $((least / 10)).$((least % 10)) ms"
		# Other load can disturb this; it is judged where the test runs alone.
		[[ ! ${NFSRDMA_MEASURED:-} ]] || ((least < (count + 230) * 2)) || fail "$count disks take $((least / 10)) ms"
	done
fi

echo "it is linked with what it may call"
if type -P readelf >/dev/null; then
	needed=$(readelf -d "$hook" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
	[[ $needed == *libxml2* ]] || fail "it reads no XML"
	! grep -E '^lib(virt|systemd|dbus|nftables|curl|ssl|rdmacm)' <<<"$needed" || fail "it is linked with that"
fi
