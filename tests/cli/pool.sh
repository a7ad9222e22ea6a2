#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# nfsrdma pool against Debian's libvirtd, which runs by itself in namespaces of its own, with a
# mount(8) that imitates the kernel's output (see pool-daemon). The testbed has real mounts.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [[ ${1:-} != inside ]]; then
	requires_root
	requires libvirtd virsh virt-xml-validate xmllint jq unshare
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
run_prefix=("$kernel")

pool() { run pool "$@" --format json; }
switch_on() { printf '%s\n' "${2:-}" >"$daemon/$1"; }
switch_off() { rm -f "$daemon/$1"; }
last_mount() { tail -n 1 "$daemon/argv"; }
state_of() { virsh -q pool-info "$1" | awk '$1 == "State:" { print $2 }'; }
xml_of() { virsh -q pool-dumpxml --inactive "$1" | grep -vE '<(capacity|allocation|available)'; }
kept() { compgen -G '/var/lib/nfsrdma/pools/*.json' >/dev/null; }

# plain NAME: an existing running pool over TCP.
plain()
{
	mkdir -p "$daemon/$1"
	cat >"$work/$1.xml" <<END
<pool type='netfs'>
  <name>$1</name>
  <source><host name='nas1'/><dir path='/export/$1'/><format type='nfs'/></source>
  <target><path>$daemon/$1</path></target>
</pool>
END
	virsh -q pool-define "$work/$1.xml"
	virsh -q pool-start "$1"
}

gone()
{
	virsh -q pool-destroy "$1" 2>/dev/null || true
	virsh -q pool-undefine "$1"
	rm -rf /var/lib/nfsrdma/pools
}

echo "list: nothing"
pool list
expect_status 0
expect_finding pool.list pass
run pool list
grep -q '0 netfs pools at qemu:///system' "$work/out" || { show; fail "no word of it"; }

echo "define"
run pool define vms nas1:/export/vms --target "$daemon/vms" --dry-run -o timeo=600
expect_status 0
virt-xml-validate "$work/out" storagepool >/dev/null || { show; fail "not by libvirt's schema"; }
[[ ! $(virsh -q pool-list --all) ]] || fail "--dry-run has defined it"
pool define vms nas1:/export/vms --target "$daemon/vms" -o timeo=600
expect_status 0
expect_finding pool.definition pass
pool define vms nas1:/export/vms --target "$daemon/vms"
expect_status 1
expect_first_problem "already has a pool 'vms'"
expect_reason pool.definition/exists
virsh -q pool-start --build vms
[[ $(last_mount) == "-o nodev,nosuid,noexec,nfsvers=4.2,timeo=600,proto=rdma,port=20049 -t nfs nas1:/export/vms $daemon/vms" ]] ||
	fail "mount was called with $(last_mount)"
pool verify vms
expect_status 0
expect_finding pool.transport pass
expect_report "verdict" '.verdict == "pass" and .subject.server == "nas1"'

echo "verify: TCP is written"
sed "s,<name>vms,<name>tcp,; s,/var/lib/libvirt/vms,$daemon/tcp,; s,/export/vms,/export/tcp," "$NFSRDMA_SOURCE/tests/pool-xml/tcp-said.in.xml" >"$work/tcp.xml"
virsh -q pool-define "$work/tcp.xml"
pool verify tcp
expect_status 1
expect_reason pool.options/other-transport
gone tcp

echo "define: IPv6"
pool define six '[2001:db8::1]:/export/six' --target "$daemon/six"
expect_status 0
virsh -q pool-start --build six
[[ $(last_mount) == *"proto=rdma6,port=20049 -t nfs [2001:db8::1]:/export/six $daemon/six" ]] ||
	fail "mount was called with $(last_mount)"
gone six

echo "define: what makes no sense"
run pool define a nas1:/e --target "$daemon/a" -o proto=tcp
expect_status 2
expect_sentence 'contradict'
run pool define a nas1:/e --target a
expect_status 2
run pool define a nas1 --target /a
expect_status 2
run pool define a nas1:/e --target /a -o nfsrdma.check=none
expect_status 2
expect_sentence 'mount.nfsrdma'
run pool frobnicate
expect_status 2
run pool verify
expect_status 2

echo "convert and revert"
plain old
virsh -q pool-autostart old
xml_of old >"$work/before"
mounts=$(wc -l <"$daemon/argv")
run pool convert old --dry-run
expect_status 0
grep -q '^+    <fs:option name="proto=rdma"/>' "$work/out" || { show; fail "no difference"; }
diff -u "$work/before" <(xml_of old)
(($(wc -l <"$daemon/argv") == mounts)) || fail "--dry-run mounts"
! kept || fail "--dry-run keeps something"
pool verify old
expect_status 1
expect_reason pool.options/no-rdma
expect_report "the command" '.findings[] | select(.id == "pool.options") | .steps[1].command == "nfsrdma pool convert old"'
pool convert old
expect_status 0
for id in guests definition restart transport original; do expect_finding "pool.$id" pass; done
[[ $(last_mount) == *"nfsvers=4.2,proto=rdma,port=20049 -t nfs nas1:/export/old $daemon/old" ]] ||
	fail "mount was called with $(last_mount)"
[[ $(virsh -q pool-info old) =~ Autostart:\ +yes ]] || fail "autostart is lost"
[[ $(stat -c %a /var/lib/nfsrdma/pools) == 700 ]] || fail "anybody may read what it was"
pool verify old
expect_status 0
mounts=$(wc -l <"$daemon/argv")
pool convert old
expect_status 0
(($(wc -l <"$daemon/argv") == mounts)) || fail "what is right is mounted again"
pool revert old
expect_status 0
diff -u "$work/before" <(xml_of old)
[[ $(state_of old) == running && $(last_mount) != *proto=rdma* ]] || fail "not as it was"
! kept || fail "something is left"
pool revert old
expect_status 1
expect_first_problem 'nfsrdma has not converted'
expect_reason pool.definition/not-converted
# Whatever kind of pool it is.
run pool revert default-pool --connect test:///default --format json
expect_status 1
expect_reason pool.definition/not-converted

echo "convert: comes up over TCP, does not start, libvirt refuses"
for switch in "proto tcp" "fail mount.nfs: an incorrect mount option was specified"; do
	# shellcheck disable=SC2086 # two words
	switch_on ${switch%% *} "${switch#* }"
	pool convert old
	switch_off "${switch%% *}"
	expect_status 1
	expect_finding pool.rollback pass
	diff -u "$work/before" <(xml_of old)
	[[ $(state_of old) == running && $(last_mount) != *proto=rdma* ]] || fail "not as it was: $switch"
	! kept || fail "something is left: $switch"
done
expect_first_problem 'incorrect mount option'
expect_reason pool.restart/no-start

echo "convert: something has a file open"
exec 7>"$daemon/old/open"
pool convert old
exec 7>&-
expect_status 1
expect_finding pool.rollback pass
expect_first_problem 'cannot stop the pool'
expect_reason pool.restart/no-stop
diff -u "$work/before" <(xml_of old)

echo "revert: edited since"
pool convert old
expect_status 0
virsh -q pool-dumpxml --inactive old | sed 's/port=20049/port=20050/' >"$work/edited.xml"
virsh -q pool-define "$work/edited.xml"
pool revert old
expect_status 1
expect_first_problem 'was edited since'
expect_reason pool.definition/edited
pool revert old --force
expect_status 0
diff -u "$work/before" <(xml_of old)

echo "silently TCP, and nothing mounted at all"
virsh -q pool-destroy vms
switch_on proto tcp
virsh -q pool-start vms
switch_off proto
pool verify vms
expect_status 1
expect_finding pool.transport fail
# The existing pool is of the same server and version.
expect_first_problem "over tcp, but its options request RDMA: NFSv4.2 to 192.0.2.1 shares the connection of the mount on $daemon/old"
expect_reason pool.transport/shared-connection
pool list
expect_status 1
run pool list
grep -qE '^ +state +autostart +requested +actual( +pool.*)?$' "$work/out" || { show; fail "no table"; }
! sed '/^$/q' <(sed '1,2d' "$work/out") | grep -qE '.{81}' || { show; fail "a table wider than the page"; }
run pool list --columns target,actual
grep -qxE ' +target +actual' "$work/out" || { show; fail "no chosen columns"; }
run pool list --format nagios
expect_status 2
virsh -q pool-destroy vms
switch_on nothing
virsh -q pool-start vms
switch_off nothing
pool verify vms
expect_status 1
expect_first_problem 'no NFS is mounted'
expect_reason pool.transport/not-mounted
virsh -q pool-destroy vms

echo "guests"
if type -P qemu-system-x86_64 >/dev/null; then
	cat >"$work/guest.xml" <<END
<domain type='qemu'>
  <name>web1</name><memory unit='MiB'>16</memory><vcpu>1</vcpu>
  <os><type arch='x86_64' machine='pc'>hvm</type></os>
  <devices>
    <emulator>$(type -P qemu-system-x86_64)</emulator>
    <disk type='volume' device='disk'><driver name='qemu' type='raw'/>
      <source pool='old' volume='disk'/><target dev='vda' bus='virtio'/></disk>
  </devices>
</domain>
END
	truncate -s 1M "$daemon/old/disk"
	virsh -q pool-refresh old
	virsh -q create --paused "$work/guest.xml"
	mounts=$(wc -l <"$daemon/argv")
	pool convert old
	expect_status 1
	expect_first_problem '1 guest runs on the pool \(web1\)'
	expect_reason pool.guests/running
	diff -u "$work/before" <(xml_of old)
	pool convert old --force
	expect_status 0
	expect_finding pool.guests warn
	expect_reason pool.guests/later
	expect_finding pool.restart skip
	(($(wc -l <"$daemon/argv") == mounts)) || fail "mounted below a guest"
	[[ $(virsh -q domstate web1) == paused* ]] || fail "the guest is gone"
	virsh -q destroy web1
	pool revert old
	expect_status 0
	rm -f "$daemon/old/disk"
else
	echo "(no qemu-system-x86_64: no guests)"
fi

echo "libvirt of no guests"
pool convert old --connect storage:///system
expect_status 3
expect_finding pool.guests unknown
expect_reason pool.guests/not-asked
pool verify old --connect storage:///system
expect_finding pool.transport pass

echo "a pool that nobody defined"
sed 's/old/fleeting/g' "$work/old.xml" >"$work/transient.xml"
mkdir -p "$daemon/fleeting"
virsh -q pool-create "$work/transient.xml" 2>"$work/transient.err" || cat "$work/transient.err"
pool convert fleeting
expect_status 1
expect_reason pool.definition/transient
virsh -q pool-destroy fleeting 2>/dev/null || true

is_running() { [[ $(state_of "$1") == running ]]; }
mounts_rdma() { [[ $(last_mount) == *proto=rdma* ]]; }

echo "a mount that hangs"
switch_on hang
limit=12
[[ ! ${NFSRDMA_MEASURED:-} ]] || limit=3
pool convert old --timeout "$limit"
within 6000 "--timeout 3"
expect_status 3
expect_finding pool.restart unknown
expect_reason pool.restart/silent
kept || fail "nothing is kept for a revert"
switch_off hang
wait_until is_running old
pool revert old
expect_status 0
diff -u "$work/before" <(xml_of old)

echo "a convert that is killed"
switch_on hang
"$kernel" "$NFSRDMA" pool convert old >/dev/null 2>&1 </dev/null &
victim=$!
wait_until mounts_rdma
kill -9 "$victim"
wait "$victim" || true
switch_off hang
wait_until is_running old
pool revert old
expect_status 0
diff -u "$work/before" <(xml_of old)

echo "one that is killed before the pool has started"
# cut_off ACTION: killed while mount(8) hangs, which then fails: the pool stays stopped.
cut_off()
{
	local before

	before=$(wc -l <"$daemon/argv")
	switch_on hang
	"$kernel" "$NFSRDMA" pool "$1" old >/dev/null 2>&1 </dev/null &
	victim=$!
	mounts_again() { (($(wc -l <"$daemon/argv") > before)); }
	wait_until mounts_again
	kill -9 "$victim"
	wait "$victim" || true
	switch_on refuse "mount.nfs: refused as $1 was killed"
	switch_off hang
	# libvirtd reports it when the pool no longer starts.
	wait_until grep -qF "refused as $1 was killed" "$daemon/libvirtd.log"
	switch_off refuse
	[[ $(state_of old) == inactive ]] || fail "the pool runs"
}
cut_off convert
pool convert old
expect_status 0
expect_finding pool.restart pass
expect_finding pool.transport pass
[[ $(state_of old) == running ]] || fail "the pool does not run"
cut_off revert
diff -u "$work/before" <(xml_of old)
pool revert old
expect_status 0
expect_finding pool.restart pass
diff -u "$work/before" <(xml_of old)
[[ $(state_of old) == running && $(last_mount) != *proto=rdma* ]] || fail "not as it was"
! kept || fail "something is left"

echo "a libvirtd that is stopped, one that is not there"
kill -STOP "$(cat "$daemon/libvirtd.pid")"
for action in list "verify old" "convert old"; do
	# shellcheck disable=SC2086 # words
	pool $action --timeout 2
	within 4000 "$action with --timeout 2"
	expect_status 3
	expect_reason pool.list/silent
done
kill -CONT "$(cat "$daemon/libvirtd.pid")"
pool list --connect qemu+unix:///system?socket=/nowhere
expect_status 3
expect_reason pool.list/no-connection
pool list --connect nosuch:///
expect_status 3

echo "libvirt's driver for tests drops mount options"
pool define new nas1:/e --target /mnt --connect test:///default
expect_status 1
expect_first_problem 'libvirt kept'
expect_reason pool.definition/options-dropped

echo "many pools"
# nodes COUNT: COUNT pools, for libvirt's test driver.
nodes()
{
	local i
	echo '<node>'
	for ((i = 1; i <= $1; i++)); do
		printf "<pool type='netfs'><name>p%d</name><source><host name='nas1'/><dir path='/e/%d'/><format type='nfs'/></source><target><path>/mnt/p%d</path></target></pool>\n" $i $i $i
	done
	echo '</node>'
}
nodes 600 >"$work/node.xml"
pool list --connect "test://$work/node.xml"
expect_report "all 600" '[.findings[] | select(.id != "pool.list")] | length == 600'
nodes 2001 >"$work/node.xml"
pool list --connect "test://$work/node.xml" --timeout "$patience"
expect_status 3
expect_reason pool.list/error
expect_report "both numbers" '.findings[0].summary | test("2001 pools.*2000 at most")'

echo "files"
pool verify "$NFSRDMA_SOURCE/tests/pool-xml/no-xmlns.in.xml"
expect_status 1
expect_reason pool.namespace/no-namespace
expect_reason pool.options/no-rdma-file
expect_report "one cause" '[.findings[] | select(.because_of != null) | "\(.id) \(.because_of)"] == ["pool.options pool.namespace"]'
pool verify "$NFSRDMA_SOURCE/tests/pool-xml/hostile-external.in.xml"
expect_status 1
expect_first_problem 'document type'
expect_reason pool.definition/malformed
pool verify "$NFSRDMA_SOURCE/tests/pool-xml/rdma-right.in.xml"
expect_status 0
mkfifo "$work/fifo.xml"
for file in "$work/fifo.xml" "$work" /dev/zero /nowhere.xml; do
	pool verify "$file"
	((status == 1 || status == 3)) || { show; fail "exit status $status of $file"; }
	within 2000 "$file"
done
expect_reason pool.definition/no-file
pool verify nosuch
expect_status 1
expect_reason pool.definition/unknown-pool
chmod 777 /var/lib/nfsrdma/pools
pool convert old
expect_status 3
expect_reason pool.definition/originals
chmod 700 /var/lib/nfsrdma/pools
pool convert old -o proto=tcp
expect_status 1
expect_reason pool.definition/policy
