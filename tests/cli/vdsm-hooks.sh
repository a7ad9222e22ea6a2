#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# VDSM's hooks, called as VDSM calls them (vdsm.py): as its user, by links in the folders of hook
# points, with scripts of others before and after. Hosts are folders, behind a script in the link's
# place; and this one, in a mount namespace that has a journal, a storage domain whose mount never
# answers, and /etc of its own. Servers that are gone are the testbed's.
# shellcheck disable=SC2016 # scripts of others
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires python3 taskset setpriv unshare strace jq
requires_root
if [[ ! ${NFSRDMA_INSIDE:-} ]]; then
	unshare -m true 2>/dev/null || skip "no mount namespace"
	NFSRDMA_INSIDE=$work unshare -m --propagation private "$BASH" "${BASH_SOURCE[0]}"
	exit
fi

program=$(reachable "${NFSRDMA%/*}/hooks/vdsm/vdsm-hook")

mount -t tmpfs run /run
take_journal

has_entry()
{
	[[ -s $work/journal ]] && grep -qE "^NFSRDMA_EVENT=($1)\$" "$work/journal" &&
		grep -qE "^MESSAGE=.*($2)" "$work/journal"
}
# entry EVENT WORDS: it comes, if not at once.
entry()
{
	try_until has_entry "$@" && return
	cat "$work/journal" 2>/dev/null
	fail "the journal has no \"$1\" with \"$2\""
}
no_entry() { [[ ! -s $work/journal ]] || { cat "$work/journal"; fail "there is something in the journal"; }; }

# Those that the program answers at are those at which it is installed.
mapfile -t points < <("$program" --help | grep -xE '  (before|after)_[a-z_]+' | tr -d ' ')
diff <(printf '%s\n' "${points[@]}" | sort) \
	<(sed -n 's,.* usr/libexec/vdsm/hooks/\(.*\)/90_nfsrdma,\1,p' "$NFSRDMA_SOURCE/tests/install.list") ||
	fail "the links that are installed are not the points of the program"
gates=(before_vm_start before_vm_dehibernate before_vm_migrate_destination before_disk_hotplug)

# As installed, and of the host $host.
host=$work/host
mkdir -m 1777 "$work/tmp"
for point in "${points[@]}" after_vm_destroy; do
	mkdir -p "$work/links/$point" "$work/hooks/$point"
	ln -s "$program" "$work/links/$point/90_nfsrdma"
	printf '#!/bin/sh\nexec %q --root %q --point %s\n' "$work/links/$point/90_nfsrdma" "$host" "$point" \
		>"$work/hooks/$point/90_nfsrdma"
	chmod +x "$work/hooks/$point/90_nfsrdma"
done
# Who looks for scripts passes over what is none.
echo data >"$work/hooks/before_vm_start/99_not_executable"
mkdir "$work/hooks/before_vm_start/__pycache__"

# script NAME POINT BODY: somebody else's, for every point
script()
{
	printf '#!/bin/sh\n%s\n' "$3" >"$work/hooks/$2/$1"
	chmod +x "$work/hooks/$2/$1"
}
no_scripts() { find "$work/hooks" -name '[0-9]*_other' -delete; }

# call POINT KIND DATA [NAME=VALUE...]: with DATA in the file; $work/out is what came of it.
folder=$work/hooks
call()
{
	: >"$work/journal"
	printf '%s' "$3" >"$work/data"
	call_file "$1" "$2" "${@:4}"
}
call_file()
{
	chmod 644 "$work/data"
	touch "$work/data.after"
	chmod 666 "$work/data.after"
	status=0
	took=0
	VDSM_TMP=$work/tmp python3 "$NFSRDMA_SOURCE/tests/cli/vdsm.py" "$folder" "$1" "$2" \
		"$work/data" "${@:3}" >"$work/out" 2>"$work/err" </dev/null || status=$?
	((status == 0)) || { cat "$work/err"; fail "the call itself failed"; }
}
# flow NAME GUEST...: what VDSM does with its points; $work/out is what came of it.
flow()
{
	: >"$work/journal"
	(IFS=,; printf '[%s]' "${*:2}") >"$work/guests"
	chmod 644 "$work/guests"
	VDSM_TMP=$work/tmp VDSM_RUN=$host/run/vdsm python3 "$NFSRDMA_SOURCE/tests/cli/vdsm.py" "$folder" "$1" "$work/guests" \
		>"$work/out" 2>"$work/err" </dev/null || { cat "$work/err"; fail "the flow itself failed"; }
}
is() { expect_report "not $1" "$1"; }
# untouched: good, without a word, and as it was
untouched() { is '.rc["90_nfsrdma"] == 0 and .err["90_nfsrdma"] == "" and .same and .kept and .left == []'; }
# passed, refused WORDS: of a gate
passed() { untouched; is '.raised == null'; }
refused()
{
	is '.rc["90_nfsrdma"] == 2 and .same and .kept and .left == []'
	jq -r '.raised' "$work/out" >"$work/words"
	[[ $(wc -l <"$work/words") -le 2 ]] || { cat "$work/words"; fail "not one sentence"; }
	grep -qE -- "$1" "$work/words" || { cat "$work/words"; fail "it does not say \"$1\""; }
	! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$work/words" || fail "control characters"
	entry gate-refused "$1"
}
# own_failure WORDS
own_failure() { untouched; is '.raised == null'; entry 'gate-failed|warning' "$1"; }

# --- a host ------------------------------------------------------------------------------------

repository=/rhev/data-center
pool=11111111-1111-1111-1111-111111111111
good=22222222-2222-2222-2222-222222222222
tcp=33333333-3333-3333-3333-333333333333
gone=44444444-4444-4444-4444-444444444444
block=55555555-5555-5555-5555-555555555555

# mounted ID PROTO NAME: the export /NAME of nas, as VDSM mounts it
mounted()
{
	local numbers='0 0 1 0 5 1200 1200 0 1200 0' target=$repository/mnt/nas:_$3 port=2049

	if [[ $2 == rdma* ]]; then
		port=20049
		numbers+=' 10 400 3 1048576 1048000 0 0 0 0 0 0 0 0 30 0 0 12'
	fi
	mkdir -p "$host$target"
	echo "$1 1 0:$1 / $target rw,relatime - nfs4 nas:/$3 rw,vers=4.2,hard,proto=$2,port=$port,addr=192.0.2.1" \
		>>"$host/proc/self/mountinfo"
	printf 'device nas:/%s mounted on %s with fstype nfs4 statvers=1.1\n\topts:\trw,vers=4.2,proto=%s\n\tage:\t3600\n\txprt:\t%s %s\n' \
		"$3" "$target" "$2" "$2" "$numbers" >>"$host/proc/self/mountstats"
}

linked() { ln -sfn "$repository/mnt/$2/$1" "$host$repository/$pool/$1"; }

new_host()
{
	rm -rf "$host"
	mkdir -p "$host"/proc/self "$host"/proc/sys/kernel/random "$host"/etc "$host$repository/$pool" \
		"$host/sys/class/infiniband/mlx5_0/ports/1" "$host/sys/module/rpcrdma"
	echo b >"$host/proc/sys/kernel/random/boot_id"
	echo '4: ACTIVE' >"$host/sys/class/infiniband/mlx5_0/ports/1/state"
	echo "1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw" >"$host/proc/self/mountinfo"
	: >"$host/proc/self/mountstats"
	mounted 41 rdma good
	mounted 42 tcp tcp
	linked $good nas:_good
	linked $tcp nas:_tcp
	linked $gone nas:_gone
	linked $block blockSD
	printf '[directory %s/mnt/*]\npolicy = require\n' "$repository" >"$host/etc/nfsrdma.conf"
	# The guest of these calls is being started.
	mkdir -p "$host/run/vdsm/0a0a0a0a-0000-0000-0000-00000000000a"
	echo 0 >"$host/run/vdsm/0a0a0a0a-0000-0000-0000-00000000000a/launchflags"
}
new_host

# drive DOMAIN: as VDSM prepares it
drive()
{
	printf '{"device": "disk", "type": "disk", "diskType": "file", "format": "cow", "iface": "virtio", "name": "vda", "domainID": "%s", "poolID": "%s", "imageID": "i", "volumeID": "v", "path": "%s/%s/%s/images/i/v"}' \
		"$1" "$pool" "$repository" "$pool" "$1"
}

# domain FILE...: XML
domain()
{
	local each i=0 letters=({a..z})

	echo "<?xml version='1.0' encoding='utf-8'?><domain type='kvm' xmlns:ovirt-vm='http://ovirt.org/vm/1.0'><name>web1</name><devices><disk type='file' device='cdrom'><source file=''/><target dev='sdc' bus='sata'/></disk><disk type='block' device='disk'><source dev='$repository/$pool/$block/images/i/v'/><target dev='sdb'/></disk>"
	for each; do
		echo "<disk type='file' device='disk' snapshot='no'><source file='$each'/><target dev='vd${letters[i++ % 26]}' bus='virtio'/></disk>"
	done
	echo "</devices></domain>"
}
# xml POINT FILE: what the point gets
xml()
{
	if [[ $1 == before_disk_hotplug ]]; then
		echo "<?xml version='1.0' encoding='utf-8'?><disk type='file' device='disk'><source file='$2'/><target dev='vda' bus='virtio'/></disk>"
	else
		domain "$2"
	fi
}

# --- by hand -----------------------------------------------------------------------------------

echo "by hand"
"$program" --version | grep -qx 'vdsm-hook [0-9.]*' || fail "no version"
"$program" --help | grep -q 'before_disk_hotplug' || fail "no help"
for arguments in "--frobnicate" "--point" "--point nothing" "--root $host" "x --point before_vm_start"; do
	status=0
	# shellcheck disable=SC2086 # words
	"$program" $arguments >"$work/out" 2>"$work/err" </dev/null || status=$?
	expect_status 2
	if [[ -s $work/out ]] || ! grep -q 'before_disk_hotplug' "$work/err"; then show; fail "no usage"; fi
done
status=0
PATH=${program%/*}:$PATH "${program##*/}" >"$work/out" 2>"$work/err" </dev/null || status=$?
expect_status 2
grep -q 'before_disk_hotplug' "$work/err" || { show; fail "no usage"; }
# In a folder that is no point of ours VDSM goes on, also where there are no data.
: >"$work/journal"
"$work/links/after_vm_destroy/90_nfsrdma" >"$work/out" 2>"$work/err" </dev/null || fail "status $?"
if [[ -s $work/out || -s $work/err ]]; then show; fail "it said something"; fi
entry warning 'no hook for this point, remove the link .*after_vm_destroy/90_nfsrdma'
folder=$work/links call after_vm_destroy domxml '<domain/>'
own_failure 'no hook for this point, remove the link .*after_vm_destroy/90_nfsrdma'

# --- gates -------------------------------------------------------------------------------------

echo "the gates"
disk() { xml before_disk_hotplug "$repository/$pool/$1/images/i/v"; }
script 95_other before_disk_hotplug "touch $work/tmp/ran"
call before_disk_hotplug domxml "$(disk $good)"
is '.ran == ["90_nfsrdma", "95_other"] and .raised == null'
rm "$work/tmp/ran"
call before_disk_hotplug domxml "$(disk $tcp)"
refused "disk vda \($repository/$pool/$tcp/images/i/v\) is on nas:/tcp, mounted at $repository/mnt/nas:_tcp over tcp, but /etc/nfsrdma.conf:2 requires RDMA"
is '.ran == ["90_nfsrdma"]'
[[ ! -e $work/tmp/ran ]] || fail "a script ran after a veto"
for field in SYSLOG_IDENTIFIER=nfsrdma-vdsm-hook NFSRDMA_DISK=vda NFSRDMA_GUEST=0a0a0a0a-0000-0000-0000-00000000000a; do
	in_journal "$field"
done
no_scripts
call before_disk_hotplug domxml "$(disk $gone)"
refused "nothing is mounted at $repository/mnt/nas:_gone, .*'nfsrdma ovirt options nas:/gone'"
call before_disk_hotplug domxml "$(disk $tcp)"
refused "'nfsrdma ovirt options nas:/tcp'"
# The other domains of the repository, whatever the section's "*" takes in.
printf '\n[directory %s]\npolicy = require\n' "$repository/mnt/*/*" "$repository/mnt" >>"$host/etc/nfsrdma.conf"
mkdir -p "$host$repository/mnt/glusterSD/nas:_vol"
echo "51 1 0:51 / $repository/mnt/glusterSD/nas:_vol rw - fuse.glusterfs nas:/vol rw" >>"$host/proc/self/mountinfo"
for path in "mnt/blockSD/$block" "$pool/$block" "mnt/glusterSD/nas:_vol/$block"; do
	call before_disk_hotplug domxml "$(xml before_disk_hotplug "$repository/$path/images/i/v")"
	passed
	no_entry
done
call before_disk_hotplug domxml "$(disk $tcp)"
refused '/etc/nfsrdma.conf:[0-9]+ requires'
new_host
for source in "type='block'><source dev='$repository/$pool/$tcp/images/i/v'/>" "type='network'><source protocol='rbd' name='a/b'/>" \
	"type='file'><source file=''/>"; do
	call before_disk_hotplug domxml "<disk device='disk' $source<target dev='vda' bus='virtio'/></disk>"
	passed
	no_entry
done

# Of a restore the journal tells: a refusal would cost the guest its memory.
told() { passed; entry warning "not refused, because the guest is restored: $1"; in_journal NFSRDMA_REFUSED=no; }
refuses() { if [[ $point == before_vm_dehibernate ]]; then told "$1"; else refused "$1"; fi; }
for point in "${gates[@]}"; do
	call "$point" domxml "$(xml "$point" "$repository/mnt/nas:_good/$good/images/i/v")"
	passed
	no_entry
	call "$point" domxml "$(xml "$point" "$repository/$pool/$tcp/images/i/v")"
	refuses 'disk vda .*over tcp'
	# The environment has what somebody typed as a guest's custom properties.
	call "$point" domxml "$(xml "$point" "$repository/$pool/$tcp/images/i/v")" PATH=/nowhere:/usr/bin:/bin NFSRDMA_DEBUG=all \
		HOME=- LC_ALL=xx_YY.UTF-8 XML_CATALOG_FILES=/etc/passwd "vmId=$(printf 'a\033b')"
	refuses 'disk vda .*over tcp'
	in_journal 'NFSRDMA_GUEST=a?b'
done
# Scripts of others that fail, and what VDSM then shows.
script 10_other before_vm_start 'echo "it is theirs" >&2; exit 1'
call before_vm_start domxml "$(domain "$repository/$pool/$good/images/i/v")"
is '.raised == "it is theirs\n" and .ran == ["10_other", "90_nfsrdma"]'
call before_vm_start domxml "$(domain "$repository/$pool/$tcp/images/i/v")"
is '.raised | test("^disk vda .*over tcp")'
script 10_other before_disk_hotplug 'echo "it is theirs" >&2; exit 2'
call before_disk_hotplug domxml "$(xml before_disk_hotplug "$repository/$pool/$tcp/images/i/v")"
is '.raised == "it is theirs\n" and .ran == ["10_other"]'
no_scripts
# What the policy says.
printf '[directory %s/mnt/*]\npolicy = prefer\n' "$repository" >"$host/etc/nfsrdma.conf"
call before_disk_hotplug domxml "$(disk $tcp)"
passed
entry warning 'over tcp'
printf '[directory %s/mnt/*]\npolicy = off\n' "$repository" >"$host/etc/nfsrdma.conf"
call before_disk_hotplug domxml "$(disk $tcp)"
passed
no_entry
rm "$host/etc/nfsrdma.conf"
call before_disk_hotplug domxml "$(disk $tcp)"
passed
# Our own troubles are not VDSM's.
echo 'policy = of' >"$host/etc/nfsrdma.conf"
call before_disk_hotplug domxml "$(disk $tcp)"
own_failure '/etc/nfsrdma.conf:1'
new_host
rm "$host/proc/self/mountinfo"
call before_vm_start domxml "$(domain "$repository/$pool/$tcp/images/i/v")"
own_failure 'mountinfo'
new_host

# --- what VDSM does with its points --------------------------------------------------------------

echo "create, restore, migrate, hot-plug, recover"
# guest OWN [SAVED [SNAPSHOT]]: with three drives, of which VDSM has OWN in its XML and SAVED in the saved one
guest()
{
	jq -n --argjson drives "[$(drive "$1"), $(drive $good), $(drive $gone)]" --arg xml "$(domain "$repository/$pool/$1/images/i/v")" \
		--arg saved "$(domain "$repository/$pool/${2:-$1}/images/i/v")" --arg disk "$(disk "$1")" --argjson snapshot "${3:-false}" \
		'{$drives, $xml, $saved, $disk, snapshot: $snapshot}'
}
asked() { is ".calls | map(select(.ran | index(\"90_nfsrdma\")) | .point) == [$(printf ', "%s"' "$@" | cut -c3-)]"; }
words='disk vda .*nas:_tcp over tcp, but /etc/nfsrdma.conf:2 requires RDMA'

rm -r "$host/run/vdsm"
chmod 777 "$host/run"
flow create "$(guest $good)"
is '.guests[0] | .state == "up" and .prepared == 3 and .extends'
asked before_vm_start
flow create "$(guest $tcp)"
is ".guests[0] | .state == \"down\" and (.words | test(\"^$words\"))"
entry gate-refused "$words"

# A restore: what is started is the saved XML, and VDSM hands before_vm_start another one, which is not
# asked about. It goes on in any case, with its memory.
for snapshot in false true; do
	flow restore "$(guest $tcp $good $snapshot)"
	is '.guests[0] | .state == "up" and .prepared == 3 and .extends'
	asked before_vm_start before_vm_dehibernate
	no_entry
	flow restore "$(guest $good $tcp $snapshot)"
	is '.guests[0] | .state == "up" and .memory == "in use" and .words == null'
	is 'all(.calls[].err[]?; . == "")'
	entry warning "not refused, because the guest is restored: $words"
	! grep -q 'gate-refused' "$work/journal" || fail "the journal says that it was refused"
done

# Nor is it refused where what is unknown is.
printf '[default]\non-unknown = refuse\n' >>"$host/etc/nfsrdma.conf"
broken=$(guest $good | jq '.saved = "<domain" | .xml = "<domain"')
flow create "$broken"
is '.guests[0] | .state == "down" and (.words | test("on-unknown = refuse"))'
flow restore "$broken"
is '.guests[0] | .state == "up" and .memory == "in use" and .words == null'
entry gate-failed 'before_vm_dehibernate'
call before_vm_dehibernate domxml '<domain/>' _hook_domxml=-
own_failure 'before_vm_dehibernate.*VDSM gave no file'
printf '[directory %s/mnt/*]\npolicy = require\n' "$repository" >"$host/etc/nfsrdma.conf"

# Another host's guest: refused at once, in our words, and it goes on where it is.
flow migrate "$(guest $good)"
is '.guests[0] | .answer == "done" and .state == "up"'
asked before_vm_migrate_destination
flow migrate "$(guest $tcp)"
is ".guests[0] | .answer == \"hookError\" and .waited == 0 and .state == \"up at the source\" and (.words | test(\"^Destination hook failed: $words\"))"
is '.guests[0].prepared == 3'

flow hotplug "$(guest $good)"
is '.guests[0] | .attached != null and .words == null'
asked before_disk_hotplug
flow hotplug "$(guest $tcp)"
is ".guests[0] | .state == \"up\" and .attached == null and (.words | test(\"^$words\"))"

# VDSM is restarted under guests that run: nothing is refused, whatever their disks are on. Nor by the
# link of an older version, which some installations leave behind.
for old in no yes; do
	if [[ $old == yes ]]; then
		mkdir -p "$work/hooks/after_disk_prepare"
		ln -s "$program" "$work/hooks/after_disk_prepare/90_nfsrdma"
	fi
	flow recover "$(guest $tcp)" "$(guest $gone)"
	is '.guests | length == 2 and all(.state == "up" and .prepared == 3 and .of == 3 and .extends and .words == null)'
	is '.calls | length == 7 and all(.[]; .rc["90_nfsrdma"] | . == null or . == 0) and all(.[].err[]?; . == "")'
	! grep -q 'gate-' "$work/journal" || { cat "$work/journal"; fail "a gate was asked about a guest that runs"; }
done
entry warning 'remove the link .*after_disk_prepare/90_nfsrdma'
rm -r "$work/hooks/after_disk_prepare"
new_host

# --- bad input ---------------------------------------------------------------------------------

echo "bad input"
for point in "${gates[@]}"; do
	call "$point" domxml '<domain/>' _hook_domxml=-
	own_failure "$point.*VDSM gave no file"
	call "$point" domxml '<domain/>' _hook_domxml=
	own_failure "$point.*VDSM gave no file"
	call "$point" domxml '<domain/>' _hook_domxml=/nowhere/x
	own_failure "$point.*/nowhere"
	call "$point" domxml '<domain/>' _hook_domxml=/dev/zero
	own_failure "$point.*not a regular file"
	for data in '<domain' '{}' '<!DOCTYPE d [<!ENTITY a SYSTEM "/etc/passwd">]><domain>&a;</domain>'; do
		call "$point" domxml "$data"
		own_failure "$point: "
	done
	call "$point" domxml ''
	own_failure "$point.*empty"
	: >"$work/journal"
	{ printf '<domain><name>'; head -c 50000000 /dev/zero | tr '\0' x; printf '</name></domain>'; } >"$work/data"
	call_file "$point" domxml
	own_failure "$point.*16777216 bytes"
done
# Descriptors closed.
call before_disk_hotplug domxml "$(disk $tcp)"
disk $tcp >"$work/data"
status=0
_hook_domxml=$work/data "$work/hooks/before_disk_hotplug/90_nfsrdma" <&- >&- 2>&- || status=$?
[[ $status == 2 ]] || fail "without stderr: exit status $status"

# --- before VDSM starts --------------------------------------------------------------------------

echo "before_vdsm_start"
# modprobe SCRIPT: of the host
modprobe()
{
	mkdir -p "$host/usr/sbin"
	printf '#!/bin/sh\n%s\n' "$1" >"$host/usr/sbin/modprobe"
	chmod +x "$host/usr/sbin/modprobe"
}
start()
{
	local begin

	: >"$work/journal"
	rm -f "$work/loaded"
	: >"$work/empty"
	begin=$(now_ms)
	_hook_domxml=$work/empty "$work/hooks/before_vdsm_start/90_nfsrdma" >"$work/out" 2>"$work/err" </dev/null ||
		fail "exit status $?"
	took=$(since_ms "$begin")
	[[ ! -s $work/out && ! -s $work/err ]] || { show; fail "it says something"; }
}
load="echo \"\$*\" >>$work/loaded"
modprobe "$load"
mkdir -p "$host/usr/sbin"
touch "$host/usr/sbin/mount.nfs"
start
[[ ! -e $work/loaded ]] || fail "a loaded module is loaded"
! grep -q 'client.module' "$work/journal" || { cat "$work/journal"; fail "a module that is loaded is told of"; }
# An adapter whose RDMA half is not loaded, and the module.
rm -r "$host/sys"
mkdir -p "$host/sys/class" "$host/sys/bus/pci/devices/0000:3b:00.0" "$host/sys/bus/pci/drivers/mlx5_core"
echo 0x15b3 >"$host/sys/bus/pci/devices/0000:3b:00.0/vendor"
echo 0x1017 >"$host/sys/bus/pci/devices/0000:3b:00.0/device"
echo 0x020000 >"$host/sys/bus/pci/devices/0000:3b:00.0/class"
ln -s ../../../../bus/pci/drivers/mlx5_core "$host/sys/bus/pci/devices/0000:3b:00.0/driver"
start
[[ $(cat "$work/loaded") == $'--use-blacklist mlx5_ib\n-- rpcrdma' ]] || { cat "$work/loaded"; fail "other modules are loaded"; }
entry finding 'this host before VDSM starts: fail: .*mlx5_ib.*\[client.drivers/[a-z-]*\]'
# No RDMA device, and nobody who asks for one: nothing is done, be there an adapter or not.
rm "$host/etc/nfsrdma.conf"
start
[[ ! -e $work/loaded ]] || fail "a module is loaded for nobody"
no_entry
rm -r "$host/sys"
start
[[ ! -e $work/loaded ]] || fail "a module is loaded for nobody"
no_entry
echo 'policy = of' >"$host/etc/nfsrdma.conf"
start
entry warning 'the policy cannot be used.*/etc/nfsrdma.conf:1'
grep -q rpcrdma "$work/loaded" || fail "no module is loaded"
modprobe 'echo "FATAL: no such thing" >&2; exit 1'
start
entry warning 'rpcrdma could not be loaded: .*modprobe ends with status 1: FATAL: no such thing'
rm "$host/usr/sbin/modprobe"
start
entry warning 'rpcrdma could not be loaded: .*No such file'
modprobe 'exec sleep 20'
start
within 5500 "modprobe that hangs"
entry warning 'rpcrdma could not be loaded: .*modprobe does not end'
entry finding 'client.device'
# As a child that nobody ends, and that holds what it can.
modprobe 'trap "" TERM; sleep 20 & wait; wait'
start
within 5500 "modprobe that hangs"
new_host

# --- no storage is touched -----------------------------------------------------------------------

echo "nothing at or below a mount is touched"
# traced POINT KIND DATA
traced()
{
	printf '%s' "$3" >"$work/data"
	# What looks for leaks is a tracer itself.
	env "_hook_$2=$work/data" ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" strace -f -qq -o "$work/strace" -e 'trace=%file,readlinkat,openat2,name_to_handle_at,getdents64' \
		"$program" --root "$host" --point "$1" 2>/dev/null </dev/null || true
	grep -q mountinfo "$work/strace" || fail "strace shows nothing"
	# Where a link leads is no path that is gone to.
	if sed 's/readlinkat([0-9]*, "", .*/readlinkat/' "$work/strace" | grep -E "nas:_(good|tcp)|images"; then fail "$1 touches a mount"; fi
}
if strace -o /dev/null true 2>/dev/null; then
	traced before_disk_hotplug domxml "$(disk $tcp)"
	traced before_vm_start domxml "$(domain "$repository/$pool/$tcp/images/i/v" "$repository/mnt/nas:_good/$good/images/i/v")"
else
	echo "(strace cannot trace here)"
fi

# A storage domain on a mount that never answers: of FUSE, whose daemon does not.
echo "a mount that hangs"
here=$work/dc
hung=$here/mnt/nas:_hung
mkdir -p "$hung" "$here/$pool"
ln -s "$hung/$tcp" "$here/$pool/$tcp"
chmod -R go+rX "$here"
mkdir -p "$work/etc/vdsm"
for file in passwd group ld.so.cache nsswitch.conf localtime; do
	[[ ! -e /etc/$file ]] || cp -L "/etc/$file" "$work/etc/"
done
printf '[irs]\nrepository = %s\n' "$here" >"$work/etc/vdsm/vdsm.conf"
printf '[directory %s/mnt/*]\npolicy = require\n' "$here" >"$work/etc/nfsrdma.conf"
chmod -R go+rX "$work/etc"
mount --bind "$work/etc" /etc
if daemon=$(python3 "$NFSRDMA_SOURCE/tests/cli/hung.py" "$hung" 2>"$work/err"); then
	cleanup_fn kill "$daemon"
	cleanup_fn umount -l "$hung"
	status=0
	{ timeout -s KILL 1 stat "$hung/$tcp" || status=$?; } >/dev/null 2>&1
	[[ $status == 137 ]] || fail "it does not hang"
	mkdir -p /run/vdsm
	cp -r "$host/run/vdsm/." /run/vdsm/
	# That it ends is the point; how soon: vdsm-hooks-time.sh.
	folder=$work/links
	call before_disk_hotplug domxml "$(xml before_disk_hotplug "$here/$pool/$tcp/images/i/v")"
	refused "$hung"
	call before_vm_start domxml "$(domain "$here/$pool/$tcp/images/i/v" "$hung/x")"
	refused "$hung"
	folder=$work/hooks
else
	echo "(no FUSE: $(tail -n 1 "$work/err"))"
fi

# --- by the links that are installed ---------------------------------------------------------------

echo "by links"
folder=$work/links
for point in "${gates[@]}"; do
	call "$point" domxml "$(xml "$point" /nowhere/x)"
	passed
done
