#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# nfsrdma watch with Debian's libvirtd, which runs by itself in namespaces of its own (pool-daemon):
# pools that come up over TCP, lose their mount and have it again; guests, and disks that are
# plugged in; a libvirtd that is restarted, and one that hangs. Real mounts are the testbed's.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ ${1:-} != inside ]]; then
	requires_root
	requires libvirtd virsh jq unshare
	unshare --mount --net --propagation private true 2>/dev/null ||
		skip "no namespaces of mounts and networks"
	mkdir "$work/daemon"
	unshare --mount --net --propagation private "$(dirname "$0")/pool-daemon" \
		"$work/daemon" bash "$0" inside "$work/daemon"
	exit 0
fi

daemon=$2
kernel=$daemon/bin/kernel
export LIBVIRT_DEFAULT_URI=qemu:///system
# What a path without a mount of its own lies on.
echo '1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw' >>"$daemon/mountinfo"
switch_on() { printf '%s\n' "${2:-}" >"$daemon/$1"; }
switch_off() { rm -f "$daemon/$1"; }

# line WORDS: it comes
line()
{
	try_until grep -qE -- "$1" "$work/lines" && return
	cat "$work/lines" "$work/watch.err" "$daemon/mountinfo"
	fail "no line says \"$1\""
}
lines() { grep -cE -- "$1" "$work/lines" || true; }
# Where neither has changed jq is not asked again.
asked=''
watch_says()
{
	local text=''

	{ IFS= read -rd '' text || true; } 2>/dev/null </run/nfsrdma/watch.json || return 1
	[[ $1$text != "$asked" ]] || return 1
	asked=$1$text
	jq -e "$1" >/dev/null 2>&1 <<<"$text" || return 1
	asked=''
}
# seen FILTER: what watch.json comes to say
seen()
{
	try_until watch_says "$1" && return
	cat "$work/lines" "$work/watch.err"
	jq . /run/nfsrdma/watch.json
	fail "watch.json does not come to say $1"
}
pool_is() { seen "[.findings[] | select(.id == \"pool.transport\" and .evidence.pool == \"$1\") | .status] == [\"$2\"]"; }
daemon_answers() { virsh -q list >/dev/null 2>&1; }
start_daemon()
{
	env -u LD_PRELOAD libvirtd --pid-file "$daemon/libvirtd.pid" >"$daemon/libvirtd.out" 2>&1 </dev/null &
	libvirtd=$!
	cleanup_fn kill "$libvirtd"
	try_until daemon_answers || fail "no libvirtd"
}
# pool NAME OPTION
pool()
{
	local options=

	[[ ! $2 ]] || options="<fs:mount_opts><fs:option name='$2'/></fs:mount_opts>"
	cat >"$work/$1.xml" <<END
<pool type='netfs' xmlns:fs='http://libvirt.org/schemas/storagepool/fs/1.0'>
  <name>$1</name>
  <source><host name='nas1'/><dir path='/export/$1'/><format type='nfs'/><protocol ver='4.2'/></source>
  <target><path>$daemon/$1</path></target>
  $options
</pool>
END
	mkdir -p "$daemon/$1"
	virsh -q pool-define "$work/$1.xml"
}

pool vms proto=rdma
pool plain ''
"$kernel" "$NFSRDMA" watch --verbose --interval 1 >"$work/lines" 2>"$work/watch.err" </dev/null &
watcher=$!
end_watch()
{
	[[ ${watcher:-} ]] || return 0
	kill -TERM "$watcher" 2>/dev/null || true
	ended=0
	wait "$watcher" || ended=$?
	watcher=
}
cleanup_fn end_watch
seen '[.findings[] | select(.id == "watch.libvirt") | .status] == ["pass"]'

echo "a pool that comes up over TCP, and then over RDMA"
switch_on proto tcp
virsh -q pool-start vms
line 'NOT over RDMA: pool vms: over tcp, but its options request RDMA'
line "NOT over RDMA: mount $daemon/vms .* over tcp, but pool 'vms' requests RDMA"
pool_is vms fail
virsh -q pool-start plain
virsh -q pool-destroy vms
switch_off proto
virsh -q pool-start vms
line 'over RDMA again: pool vms:'
pool_is vms pass
(($(lines 'pool plain') == 0)) || { cat "$work/lines"; fail "plain NFS is nobody's loss"; }

echo "a pool that is stopped is none that is lost"
virsh -q pool-destroy vms
seen '[.findings[] | select(.evidence.pool? == "vms")] == []'
sleep 2
(($(lines 'NOT over RDMA: pool vms') == 1)) || { cat "$work/lines"; fail "a pool that was stopped is told"; }
virsh -q pool-start vms
pool_is vms pass

echo "a pool whose mount somebody took away"
umount "$daemon/vms"
line 'NOT over RDMA: pool vms: .*no NFS is mounted'
mount -t nfs -o proto=rdma "nas1:/export/vms" "$daemon/vms"
pool_is vms pass
(($(lines 'over RDMA again: pool vms:') == 2)) || { cat "$work/lines"; fail "it is not told as back"; }

echo "a guest, and a disk that is plugged in"
if type -P qemu-system-x86_64 >/dev/null; then
	truncate -s 1M "$daemon/vms/good.img"
	cat >"$work/guest.xml" <<END
<domain type='qemu'>
  <name>web1</name><memory unit='MiB'>16</memory><vcpu>1</vcpu>
  <os><type arch='x86_64' machine='pc'>hvm</type></os><features><acpi/></features>
  <devices>
    <emulator>$(type -P qemu-system-x86_64)</emulator>
    <disk type='file' device='disk'><driver name='qemu' type='raw'/>
      <source file='$daemon/vms/good.img'/><target dev='vda' bus='virtio'/></disk>
  </devices>
</domain>
END
	virsh -q create --paused "$work/guest.xml"
	seen '[.findings[] | select(.evidence.guest? == "web1") | "\(.evidence.disk) \(.status)"] == ["vda pass"]'
	switch_on proto tcp
	pool late proto=rdma
	virsh -q pool-start late
	truncate -s 1M "$daemon/late/bad.img"
	virsh -q attach-disk web1 "$daemon/late/bad.img" vdb
	line 'NOT over RDMA: guest web1: disk vdb .* over tcp'
	seen '[.findings[] | select(.evidence.guest? == "web1") | "\(.evidence.disk) \(.status)"] | sort == ["vda pass", "vdb fail"]'
	switch_off proto
	virsh -q destroy web1
	seen '[.findings[] | select(.evidence.guest? == "web1")] == []'
	virsh -q pool-destroy late
else
	echo "(no qemu-system-x86_64: no guests)"
fi

echo "libvirtd is restarted"
before=$(jq -r .started /run/nfsrdma/watch.json)
kill "$(cat "$daemon/libvirtd.pid")"
seen '[.findings[] | select(.id == "watch.libvirt") | .status] == ["unknown"]'
pool_is vms unknown
seen '[.findings[] | select(.id == "watch.mount" and (.evidence.target | endswith("vms"))) | .status] == ["pass"]'
grep -q '^nfsrdma_watch_libvirt_connected 0$' /run/nfsrdma/metrics.prom || fail "the metrics say it is connected"
line 'pools and guests are not watched until libvirt answers'
start_daemon
line 'libvirt answers again'
pool_is vms pass
[[ $(jq -r .started /run/nfsrdma/watch.json) != "$before" ]] || fail "it does not look"
lost=$(lines 'NOT over RDMA: pool vms')
umount "$daemon/vms"
more_lines() { (($(lines "$1") > lost)); }
try_until more_lines 'NOT over RDMA: pool vms' || true
(($(lines 'NOT over RDMA: pool vms') == lost + 1)) || { cat "$work/lines"; fail "events do not come any more"; }
mount -t nfs -o proto=rdma "nas1:/export/vms" "$daemon/vms"
pool_is vms pass

echo "libvirtd hangs: mounts are followed, and the end does not wait"
kill -STOP "$libvirtd"
lost=$(lines "NOT over RDMA: mount $daemon/vms")
switch_on proto tcp
umount "$daemon/vms"
mount -t nfs -o proto=rdma "nas1:/export/vms" "$daemon/vms"
try_until more_lines "NOT over RDMA: mount $daemon/vms" || true
(($(lines "NOT over RDMA: mount $daemon/vms") == lost + 1)) || { cat "$work/lines"; fail "a hanging libvirtd stops it"; }
# keepalive: 15 s
seen '[.findings[] | select(.id == "watch.libvirt") | .status] == ["unknown"]'
kill -CONT "$libvirtd"
pool_is vms fail
kill -STOP "$libvirtd"
start=$(now_ms)
end_watch
took=$(since_ms "$start")
((ended == 0)) || fail "exit status $ended"
within 1000 "the end"
run_prefix=("$kernel")
run watch --once --timeout 2 --format json
within 4000 "--timeout 2"
expect_finding watch.libvirt unknown
kill -CONT "$libvirtd"
run watch --once --format json
expect_status 1
expect_finding pool.transport fail
[[ ! -s $work/watch.err ]] || { cat "$work/watch.err"; fail "something on stderr"; }
