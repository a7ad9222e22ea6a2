#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# nfsrdma status: one page, whose verdict is never better than that of check and mounts; and what it
# says of pools, guests and the watcher, from files.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

hosts=$NFSRDMA_SOURCE/tests/hosts
names='mlx5-roce-rhel9 mounts-healthy server-rxe-on-bridge none-debian12 vdsm-stays-tcp layers'
names=${names% layers}
for name in $names; do
	"$NFSRDMA_SOURCE/tests/support/make-host" "$work/hosts" "$hosts/$name"
	root=$work/hosts/$name
	run status --root "$root"
	[[ $status != 2 ]] || { show; fail "$name: usage"; }
	! grep -qE '.{81}' <(grep -v '  /rhev' "$work/out") || { show; fail "$name: wider than 80 columns"; }
	[[ $(wc -l <"$work/out") -le 50 ]] || { show; fail "$name: more than a page"; }
	! grep -qE '^ +(Remedy|Evidence) ' "$work/out" || { show; fail "$name: more than a line each"; }
	cp "$work/out" "$work/text-status"
	run status --root "$root" --format json
	cp "$work/out" "$work/status.json"
	# One count and one wording for the same checks.
	run check --root "$root"
	counts=$(sed -n '/^Verdict:/,$ p' "$work/out" | tr -s ' \n' ' ' | sed -nE 's/^Verdict: [A-Za-z]+ (.*); [0-9.]+ s .*/\1/p')
	[[ $(tr -s ' \n' ' ' <"$work/text-status") == *"Checks: $counts"[\ \;]* ]] ||
		fail "$name: check counts \"$counts\", status $(grep Checks: "$work/text-status")"
	for command in check mounts; do
		run "$command" --root "$root" --format json
		[[ $command == check || $(jq -r .verdict "$work/out") != unknown ]] || continue
		# What fails there fails here.
		better=$(jq -rs '[.[] | [.findings[] | select(.status == "fail") | .id]] | .[0] - .[1] | unique | join(" ")' \
			"$work/out" "$work/status.json")
		[[ ! $better ]] || fail "$name: $command fails for $better, status does not"
	done
done

# The whole page of some machines; a healthy one fits a small screen.
for file in "$hosts"/*/expect-status.txt; do
	name=${file%/*} name=${name##*/}
	"$NFSRDMA_SOURCE/tests/support/make-host" "$work/hosts" "$hosts/$name"
	run status --root "$work/hosts/$name"
	sed -E 's/; [0-9.]+ s$//' "$work/out" >"$work/text"
	kept_page "$file" "$work/text" || fail "$name: not as expected"
	! grep -qx "$name" "$hosts/healthy" || [[ $(wc -l <"$file") -le 23 ]] || fail "$name: more than a screen"
done

root=$work/hosts/mlx5-roce-rhel9
run status --root "$root" --format json
expect_status 0
expect_report "the port" '.findings[] | select(.id == "status.port") | .evidence |
	.device == "mlx5_0" and .state == "active" and .address == "192.0.2.10"'
run status --root "$work/hosts/server-rxe-on-bridge"
expect_status 1
grep -q 'listens on rdma 20049, tcp 2049; 8' "$work/out" ||
	{ show; fail "the server"; }

# --- a watcher -------------------------------------------------------------------------------------

mkdir -p "$root/run/nfsrdma"
cat >"$root/run/nfsrdma/watch.json" <<'END'
{"schema": "nfsrdma-report/1", "command": "watch", "started": "2026-01-01T00:00:30Z", "findings": [
 {"id": "watch.libvirt", "status": "pass", "summary": "", "evidence": {"connected": 1}},
 {"id": "watch.list", "status": "pass", "summary": "", "evidence": {"good": 2, "lost": 1, "unknown": 0,
  "started_at": 1767225600, "last_lost_at": 1767225610, "last_lost": "mount /srv/vm (nas:/vm): over tcp"}},
 {"id": "watch.silent", "status": "fail", "summary": "mount /srv/vm (nas:/vm): the server does not answer",
  "evidence": {"target": "/srv/vm", "source": "nas:/vm", "waiting": 3}}]}
END
TZ=UTC run status --root "$root"
expect_status 1
tr -s ' \n' ' ' <"$work/out" >"$work/words"
for words in 'last look 2026-01-01 00:00:30; mounts, pools and disks: 2 over RDMA, 1 not, 0 unknown; libvirt connected' \
	'lost 2026-01-01 00:00:10: mount /srv/vm (nas:/vm): over tcp' 'the server does not answer'; do
	grep -qF "$words" "$work/words" || { show; fail "not said: $words"; }
done
echo '{' >"$root/run/nfsrdma/watch.json"
run status --root "$root"
expect_status 0
grep -q 'UNKNOWN  Watcher' "$work/out" || { show; fail "a malformed file is not unknown"; }
rm "$root/run/nfsrdma/watch.json"

# --- pools and guests ------------------------------------------------------------------------------

mkdir -p "$root/usr/sbin" "$root/run/libvirt/storage" "$root/run/libvirt/qemu"
touch "$root/usr/sbin/libvirtd"
cat >"$root/run/libvirt/storage/vms.xml" <<'END'
<poolstate><pool type='netfs'><name>vms</name><uuid>11111111-2222-3333-4444-555555555555</uuid>
<source><host name='192.0.2.1'/><dir path='/export/vm'/><format type='nfs'/></source><target><path>/srv/vm</path></target>
<fs:mount_opts xmlns:fs='http://libvirt.org/schemas/storagepool/fs/1.0'><fs:option name='proto=rdma'/></fs:mount_opts>
</pool></poolstate>
END
# guest DISK
guest()
{
	cat >"$root/run/libvirt/qemu/web1.xml" <<END
<domstatus state='running'><domain type='kvm'><name>web1</name><devices>
<disk type='file' device='disk'><source file='$1'/><target dev='vda'/></disk></devices></domain></domstatus>
END
}
guest /srv/vm/web1.img
run status --root "$root"
expect_status 0
grep -q 'libvirt pools: 1: vms (rdma)' "$work/out" || { show; fail "the pool"; }
grep -q 'Running guests: 1; 1 of 1 disks require RDMA and are on it' "$work/out" || { show; fail "the guest"; }
# ask: status of status.guests, and its reason
guests_are()
{
	run status --root "$root" --format json
	# shellcheck disable=SC2016 # jq's variables
	expect_report "guests are not $1/$2" --arg s "$1" --arg r "$2" \
		'.findings[] | select(.id == "status.guests") | .status == $s and .reason == $r'
}
cp "$root/proc/self/mountinfo" "$work/mountinfo"
sed -i 's/,proto=rdma//g' "$root/proc/self/mountinfo"
guests_are unknown "uncertain"
cp "$work/mountinfo" "$root/proc/self/mountinfo"
if ((EUID == 0)); then
	chmod 700 "$root/run/libvirt/qemu" "$root/run/libvirt/storage"
	run_prefix=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	guests_are unknown "permission"
	expect_report "pools of root's" '.findings[] | select(.id == "status.pools") | .reason == "permission"'
	run_prefix=()
fi
sed -i 's/proto=rdma/proto=tcp/g; s/,proto=rdma6/,proto=tcp/' "$root/proc/self/mountinfo"
run status --root "$root"
expect_status 1
grep -q 'FAIL  Running guests: web1: disk vda' "$work/out" || { show; fail "the guest is not on RDMA"; }
grep -q 'mount.transport' "$work/out" || { show; fail "the mount is not on RDMA"; }
# A step that interrupts guests names them: by a file, by a volume of the pool, and no other.
guest_of() { sed "s/web1/$1/; s,<disk .*/><target,<disk $2/><target," "$root/run/libvirt/qemu/web1.xml" >"$root/run/libvirt/qemu/$1.xml"; }
guest_of mail "type='file' device='disk'><source file='/srv/vm2/mail.img'"
guest_of db "type='file' device='disk'><source file='/srv/vm/sub/db.img'"
run mounts --root "$root" --format json
# shellcheck disable=SC2016 # jq's variables
expect_report "the guests are not named" 'any(.findings[]; .id == "mount.transport" and .evidence.guests == "db, web1"
	and any(.steps[]; .effect == "interrupts" and (.text | endswith("these use it: db, web1")))
	and all(.steps[]; .effect == "interrupts" or (.text | contains("web1") | not)))'
rm "$root"/run/libvirt/qemu/{mail,db}.xml
echo '<domain' >"$root/run/libvirt/qemu/web1.xml"
guests_are unknown "damaged"
echo '<pool' >"$root/run/libvirt/storage/vms.xml"
run status --root "$root" --format json
expect_report "a damaged pool" '.findings[] | select(.id == "status.pools") | .status == "unknown" and .reason == "damaged"'
for format in prometheus openmetrics nagios; do
	run status --root "$root" --format "$format"
	[[ -s $work/out ]] || fail "no $format"
done

# --- a watcher that ended --------------------------------------------------------------------------

# watcher_is STATUS REASON
watcher_is()
{
	run status --format json
	# shellcheck disable=SC2016 # jq's variables
	expect_report "the watcher is not $1/$2" --arg s "$1" --arg r "$2" \
		'.findings[] | select(.id == "status.watcher") | .status == $s and .reason == $r'
}
((EUID == 0)) && unshare --mount --propagation private true 2>/dev/null || exit 0
cat >"$work/inside" <<'END'
#!/bin/bash
mount -t tmpfs tmpfs /run || exit 125
mkdir -p /run/nfsrdma /run/systemd/system/multi-user.target.wants
touch /run/systemd/system/nfsrdma-watch.service
ln -s ../nfsrdma-watch.service /run/systemd/system/multi-user.target.wants/
[[ ! $JSON ]] || printf '%s' "$JSON" >/run/nfsrdma/watch.json
exec "$@"
END
chmod +x "$work/inside"
run_prefix=(unshare --mount --propagation private "$work/inside")
JSON='' watcher_is warn "stopped"
JSON='{"command": "watch", "started": "2026-01-01T00:00:00Z", "findings": []}' watcher_is warn "stalled"
